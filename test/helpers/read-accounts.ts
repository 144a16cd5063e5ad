import * as sealing from '../../activities/bank/accounts.ts';
import { insertTransactions, linkListed } from '../../infra/db/queries/bank-accounts.ts';
import { insertion } from '../../infra/db/query.ts';
import type { NewRow } from '../../infra/db/tables.ts';
import type { Services } from '../../infra/services.ts';

const insertAccount = insertion('test.insertAccount', 'bank_accounts');

const DETAILS = { name: 'Everyday', sortCode: '207106', accountNumber: '44417021', iban: null, last4: null };
const TEXTS = { counterparty: 'Corner Shop', payer: null, debtorAccount: null, reference: 'CARD 12' };
export type KnownAccount = Awaited<ReturnType<typeof storeAccount>>;

interface Given extends Partial<Omit<NewRow<'bank_accounts'>, 'account_id' | 'owner_id'>> {
  ownerId: string;
  connections: readonly string[];
  details?: Partial<sealing.AccountDetails>;
}

/** Stores an account as a sync does: by default a current account with £1,000.00 and credit of £500.00. */
export async function storeAccount(services: Services, given: Given) {
  const { ownerId: owner_id, connections, details = {}, ...figures } = given;
  const account_id = services.newId('acct');
  const { secret, sealed: key_sealed } = await sealing.newAccountSecret(services, account_id);
  const details_sealed = await sealing.sealDetails(secret, account_id, { ...DETAILS, ...details });
  const at = new Date().toISOString();
  const row = { account_id, owner_id, kind: 'current', currency: 'GBP', created_at: at, as_of: at } as const;
  const money = { balance: 100_000, available: 150_000, credit_line: 50_000 };
  await services.db.run(insertAccount({ ...row, details_sealed, key_sealed, ...money, ...figures }));
  const { listed_number_hash = null } = figures;
  const hashes = { number_hash: listed_number_hash, listed_number_hash, iban_hash: null };
  const listed = [{ account_id, ref: account_id, ...hashes, details_sealed: null }];
  for (const connection_id of connections) await services.db.run(linkListed(connection_id, listed));
  return { account_id, owner_id, secret };
}

/** Each row is a day, an amount, and texts that differ from a card payment's. Returns the ids. */
export async function storeTransactions(
  services: Services,
  { account_id, owner_id, secret }: KnownAccount,
  rows: readonly (readonly [booked_on: string, amount: number, texts?: Partial<sealing.TransactionTexts>])[],
): Promise<string[]> {
  const sealed = rows.map(async ([booked_on, amount, texts = {}]) => {
    const transaction_id = services.newId('txn');
    const texts_sealed = await sealing.sealTexts(secret, { account_id, transaction_id }, { ...TEXTS, ...texts });
    const identity = { bank_id: 'played-local', stable_hash: null, fingerprint: transaction_id, ordinal: 0 };
    const parties = { payer_hash: texts.payer ?? null, counterparty_hash: null, debtor_hash: null };
    return { transaction_id, account_id, owner_id, amount, booked_on, texts_sealed, ...identity, ...parties };
  });
  const stored = await Promise.all(sealed);
  await services.db.run(insertTransactions(stored));
  return stored.map(({ transaction_id }) => transaction_id);
}
