import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Production refuses the development passwords.
export const newPassword = () => randomBytes(16).toString('hex');

/** Production accepts certificates of this CA. */
export const OWN_AUTHORITY = 'Authority of this test';

export const OWN_CONSENT = 'consent-of-this-test';

export const PRODUCTION: Readonly<Record<string, string>> = {
  RINGFENCE_ENV: 'production',
  SMTP_URL: 'smtps://mail.example',
  CHECKPOINTS: 'own/checkpoints',
  LIMIT_PAYMENT: '1000000000000000',
  LIMIT_OWNER_PAYMENTS_PER_DAY: '1000000000000000',
  LIMIT_OWNER_PAYMENT_COUNT_PER_DAY: '1000000',
  LIMIT_APP_PAYMENT_COUNT_PER_DAY: '100000000',
};

/** Writes a file of one bank, for which the keys are in `pki`, and returns the settings that name it. */
export function banksFileFor(folder: string, { pki, url }: { pki: string; url: string }): Record<string, string> {
  const file = join(folder, 'banks.json');
  writeFileSync(file, JSON.stringify([bankEntry(pki, url)]));
  return { BANKS_FILE: file, BANK_HOUSE: 'own-bank', BANK_CONSENT_ID: OWN_CONSENT };
}

/** An entry of `BANKS_FILE`. */
export function bankEntry(pki: string, url: string) {
  return {
    id: 'own-bank',
    name: 'Own Bank',
    api: 'obie-4.0',
    redirect_uri: 'https://localhost:8443/api/v1/bank/callback',
    ca_file: join(pki, 'ca.crt'),
    regulated: { name: 'Firm of this test', terms_url: 'https://firm.example/terms' },
    issuer: url,
    resource_url: `${url}/open-banking/v4.0`,
    client_id: 'ringfence',
    client_auth: 'private_key_jwt',
    transport_cert_file: join(pki, 'bank-client.crt'),
    transport_key_file: join(pki, 'bank-client.key'),
    signing_key_file: join(pki, 'bank-signing.key'),
    signing_key_id: 'ringfence-signing',
    org_id: '0015800001HQQrZAAX',
    software_statement_id: '1fwdUxAcQwlfQ5PZU2qUXk',
    tan: 'openbanking.org.uk',
    jwks_url: `${url}/jwks`,
  };
}

/** An entry of an aggregator, which needs no certificate. */
export function aggregatorEntry(changes: object = {}) {
  return {
    id: 'own-bank',
    name: 'Own Aggregator',
    api: 'truelayer-v1',
    redirect_uri: 'https://localhost:8443/api/v1/bank/callback',
    regulated: { name: 'Firm of this test', terms_url: 'https://firm.example/terms' },
    client_id: 'ringfence',
    client_secret_file: 'own/truelayer-client-secret',
    ...changes,
  };
}

export function withPassword(url: string, password: string): string {
  const changed = new URL(url);
  changed.password = password;
  return changed.href;
}
