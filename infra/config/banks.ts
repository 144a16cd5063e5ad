import { PAYEE_CATEGORIES } from '../../domain/payments.ts';
import { readBanksFile, type BankEntry } from './banks-file.ts';
import type { bank } from './groups/dependencies.ts';
import { ConfigError } from './settings.ts';
import type * as z from 'zod';

/** The consent that the sandbox bank knows for the house account. */
export const SANDBOX_CONSENT = 'sandbox-consent';
const SANDBOX_BANK = 'sandbox';
const CALLBACK = '/api/v1/bank/callback';

type BankSettings = z.output<typeof bank>;

/** What follows from the settings: the banks, and the house account of owners who connected no bank. */
export interface ReadBanks {
  entries: readonly BankEntry[];
  house: { bankId: string; consentRef: string } | null;
}

/** @throws ConfigError */
export function banksOf(
  settings: BankSettings,
  { environment, publicUrl }: { environment: 'sandbox' | 'production'; publicUrl: string },
): ReadBanks {
  const { banksFile, houseBank, consentId } = settings;
  const own = environment === 'sandbox' ? sandboxBanks(settings, publicUrl) : [];
  const entries = banksFile === undefined ? own : readBanksFile('BANKS_FILE', banksFile);
  const isKnown = (bankId: string) => entries.some(({ id }) => id === bankId);
  if (houseBank !== undefined && !isKnown(houseBank))
    throw new ConfigError(`BANK_HOUSE is "${houseBank}", but no bank has this id. Set the id of a bank in BANKS_FILE.`);
  const usual = environment === 'sandbox' && isKnown(SANDBOX_BANK) ? SANDBOX_BANK : undefined;
  const bankId = houseBank ?? usual;
  return { entries, house: bankId === undefined ? null : { bankId, consentRef: consentId } };
}

/** They are not in a file, because `npm start` makes their keys only later. The second shows what the first holds. */
function sandboxBanks(
  { url, clientId, tls, signingKey, signingKeyId, truelayerSecret }: BankSettings,
  publicUrl: string,
): BankEntry[] {
  const common = {
    redirect_uri: `${publicUrl}${CALLBACK}`,
    ca_file: tls.ca,
    regulated: { name: 'Ringfence sandbox bank', terms_url: `${url}/terms` },
    client_id: clientId,
  };
  return [
    {
      ...common,
      id: SANDBOX_BANK,
      name: 'Sandbox bank',
      api: 'obie-4.0',
      issuer: url,
      resource_url: `${url}/open-banking/v4.0`,
      client_auth: 'private_key_jwt',
      transport_cert_file: tls.cert,
      transport_key_file: tls.key,
      signing_key_file: signingKey,
      signing_key_id: signingKeyId,
      org_id: 'ringfence',
      software_statement_id: 'sandbox',
      tan: 'openbanking.org.uk',
      jwks_url: `${url}/jwks`,
      reads: true,
      sweeping: false,
      other: [...PAYEE_CATEGORIES, 'OWN_ACCOUNT'],
    },
    {
      ...common,
      id: 'sandbox-truelayer',
      name: 'Sandbox aggregator',
      api: 'truelayer-v1',
      client_secret_file: truelayerSecret,
      auth_url: `${url}/truelayer/auth`,
      api_url: `${url}/truelayer/api`,
      providers: 'uk-ob-all',
      cards: true,
    },
  ];
}
