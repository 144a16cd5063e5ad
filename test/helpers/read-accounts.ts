import {
  newAccountSecret,
  sealDetails,
  sealTexts,
  type AccountDetails,
  type TransactionTexts,
} from '../../activities/bank/accounts.ts';
import type { NewRow } from '../../infra/db/tables.ts';
import { insertion } from '../../infra/db/query.ts';
import type { Services } from '../../infra/services.ts';
import { textQuery } from './text-query.ts';

const insertAccount = insertion('test.insertAccount', 'bank_accounts');
const insertLink = insertion('test.insertLink', 'bank_account_links');
const insertTransactions = textQuery(
  'test.insertTransactions',
  `insert into bank_transactions
     (transaction_id, account_id, owner_id, bank_id, amount, booked_on, texts_sealed, fingerprint, ordinal, created_at)
   select r.transaction_id, $1, $2, 'played-local', r.amount, r.booked_on, r.texts_sealed, r.transaction_id, 0, now()
     from jsonb_to_recordset($3::jsonb) r(transaction_id text, amount bigint, booked_on date, texts_sealed text)`,
);

const DETAILS: AccountDetails = {
  ...{ name: 'Everyday', sortCode: '207106', accountNumber: '44417021', iban: null, last4: null },
};
const TEXTS: TransactionTexts = { counterparty: 'Corner Shop', payer: null, debtorAccount: null, reference: 'CARD 12' };

type Figures = Partial<Omit<NewRow<'bank_accounts'>, 'account_id' | 'owner_id'>>;
export interface KnownAccount {
  accountId: string;
  ownerId: string;
  secret: string;
}

/** Stores an account as a sync does: by default a current account with £1,000.00 and credit of £500.00. */
export async function storeAccount(
  services: Services,
  {
    ownerId,
    connections,
    details = {},
    ...figures
  }: Figures & {
    ownerId: string;
    connections: readonly string[];
    details?: Partial<AccountDetails>;
  },
): Promise<KnownAccount> {
  const accountId = services.newId('acct');
  const { secret, sealed: key_sealed } = await newAccountSecret(services, accountId);
  const at = new Date().toISOString();
  await services.db.run(
    insertAccount({
      ...{ account_id: accountId, owner_id: ownerId, kind: 'current', currency: 'GBP', key_sealed, created_at: at },
      details_sealed: await sealDetails(secret, accountId, { ...DETAILS, ...details }),
      ...{ balance: 100_000, available: 150_000, credit_line: 50_000, as_of: at },
      ...figures,
    }),
  );
  for (const connection_id of connections) await linkAccount(services, { accountId, connection_id });
  return { accountId, ownerId, secret };
}

export async function linkAccount(
  services: Services,
  { accountId: account_id, connection_id }: { accountId: string; connection_id: string },
): Promise<void> {
  const link = { connection_id, account_id, ref: account_id, linked_at: new Date().toISOString() };
  await services.db.run(insertLink(link));
}

/** Each row is a day, an amount, and texts that differ from a card payment's. @returns the ids, in the same order. */
export async function storeTransactions(
  services: Services,
  { accountId: account_id, ownerId, secret }: KnownAccount,
  rows: readonly (readonly [booked_on: string, amount: number, texts?: Partial<TransactionTexts>])[],
): Promise<string[]> {
  const made = await Promise.all(
    rows.map(async ([booked_on, amount, texts = {}]) => {
      const transaction_id = services.newId('txn');
      const texts_sealed = await sealTexts(secret, { account_id, transaction_id }, { ...TEXTS, ...texts });
      return { transaction_id, amount, booked_on, texts_sealed };
    }),
  );
  await services.db.run(insertTransactions(account_id, ownerId, JSON.stringify(made)));
  return made.map(({ transaction_id }) => transaction_id);
}
