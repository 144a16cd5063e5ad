import { randomBytes } from 'node:crypto';

/** A password for the database's role, as a deployment has it: not the development one. */
export const newPassword = () => randomBytes(16).toString('hex');

/** A test's own authority, which signs what production accepts. */
export const OWN_AUTHORITY = 'Authority of this test';

/** The consent under which a test's own bank lets production pay. */
export const OWN_CONSENT = 'consent-of-this-test';

/** Settings that production requires besides its own certificates, keys and database: a bank and a mail server. */
export const PRODUCTION: Readonly<Record<string, string>> = {
  RINGFENCE_ENV: 'production',
  BANK_URL: 'https://bank.example',
  BANK_CONSENT_ID: OWN_CONSENT,
  SMTP_URL: 'smtps://mail.example',
  LIMIT_PAYMENT: '1000000000000000',
  LIMIT_OWNER_PAYMENTS_PER_DAY: '1000000000000000',
};

/** The same database with another password. */
export function withPassword(url: string, password: string): string {
  const changed = new URL(url);
  changed.password = password;
  return changed.href;
}
