import { sql, type RawBuilder } from 'kysely';
import type { StoredRow } from '../../../domain/bank/rows.ts';
import { listsOf, relationOf } from '../lists.ts';
import { query } from '../query.ts';
import { columnsOf, tables } from '../tables.ts';
import type { AccountRow, TransactionRow } from './bank-reading.ts';

/** `refs`: what this bank calls the account, in any connection of the owner. */
export interface KnownAccountRow extends AccountRow {
  refs: string[];
  /** Whether the connection has listed the account before. */
  linked: boolean;
}

interface Listing {
  ownerId: string;
  connectionId: string;
  bankId: string;
}

/** Serialises the lists of an owner's accounts, so that two connections make no account twice. */
export const lockAccountsOf = query(
  'bankAccounts.lockOwner',
  (ownerId: string) => sql`select pg_advisory_xact_lock(hashtextextended(${ownerId}, 4715))::text as locked`,
);

export const knownAccounts = query('bankAccounts.known', ({ ownerId, connectionId, bankId }: Listing) =>
  tables
    .selectFrom('bank_accounts as a')
    .select(columnsOf('bank_accounts').map((column) => `a.${column}` as const))
    .select([
      sql<string[]>`array(
        select l.ref from bank_account_links l join bank_connections c on c.connection_id = l.connection_id
         where l.account_id = a.account_id and c.bank_id = ${bankId} order by l.ref)`.as('refs'),
      sql<boolean>`exists (
        select from bank_account_links l where l.account_id = a.account_id and l.connection_id = ${connectionId})`.as(
        'linked',
      ),
    ])
    .where('a.owner_id', '=', ownerId)
    .orderBy('a.seq'),
);

export type NewAccount = Pick<
  AccountRow,
  'account_id' | 'owner_id' | 'kind' | 'currency' | 'details_sealed' | 'key_sealed' | 'number_hash' | 'iban_hash'
>;

const ACCOUNT_TYPES = {
  account_id: 'text',
  owner_id: 'text',
  kind: 'text',
  currency: 'text',
  details_sealed: 'text',
  key_sealed: 'text',
  number_hash: 'text',
  iban_hash: 'text',
} as const;

export const insertAccounts = query(
  'bankAccounts.insert',
  (accounts: readonly NewAccount[]) => sql`
    insert into bank_accounts (${names(ACCOUNT_TYPES)}, created_at)
    select ${names(ACCOUNT_TYPES)}, now() from ${relationOf('given', accounts, ACCOUNT_TYPES)} order by ordinal`,
);

export type ListedRow = Pick<AccountRow, 'account_id' | 'number_hash' | 'listed_number_hash' | 'iban_hash'> & {
  ref: string;
  /** Null if the details are as before. */
  details_sealed: string | null;
};

const LISTED_TYPES = {
  account_id: 'text',
  ref: 'text',
  number_hash: 'text',
  listed_number_hash: 'text',
  iban_hash: 'text',
  details_sealed: 'text',
} as const;

/** Links that the list does not confirm are gone. */
export const unlinkOthers = query(
  'bankAccounts.unlinkOthers',
  (connectionId: string, listed: readonly ListedRow[]) => sql`
    update bank_account_links set gone_at = now()
     where connection_id = ${connectionId} and gone_at is null and (account_id, ref) not in (
       select account_id, ref from ${relationOf('given', listed, LISTED_TYPES)})`,
);

export const linkListed = query(
  'bankAccounts.link',
  (connectionId: string, listed: readonly ListedRow[]) => sql`
    with given as (select * from ${relationOf('given', listed, LISTED_TYPES)}),
    linked as (
      insert into bank_account_links (connection_id, account_id, ref, linked_at)
      select ${connectionId}, account_id, ref, now() from given
      on conflict (connection_id, account_id) do update set ref = excluded.ref, gone_at = null)
    update bank_accounts a
       set gone_at = null, number_hash = given.number_hash, listed_number_hash = given.listed_number_hash,
           iban_hash = given.iban_hash,
           details_sealed = coalesce(given.details_sealed, a.details_sealed)
      from given where a.account_id = given.account_id`,
);

/** The bank no longer shows the account to this connection. */
export const unlinkAccount = query(
  'bankAccounts.unlink',
  (connectionId: string, accountId: string) => sql`
    update bank_account_links set gone_at = now()
     where connection_id = ${connectionId} and account_id = ${accountId} and gone_at is null`,
);

/** An account is gone once no connection that has not ended shows it. Its figures are not known from then on. */
export const markGone = query(
  'bankAccounts.markGone',
  (connectionId: string) => sql`
    update bank_accounts a set gone_at = now(), balance = null, available = null, credit_line = null, as_of = null
      from bank_account_links l
     where l.connection_id = ${connectionId} and l.account_id = a.account_id and l.gone_at is not null
       and a.gone_at is null and not exists (
         select from bank_account_links o join bank_connections c on c.connection_id = o.connection_id
          where o.account_id = a.account_id and o.gone_at is null
            and c.status in ('authorised', 'reauthorisation_needed'))`,
);

export const accountById = query('bankAccounts.byId', (accountId: string) =>
  tables.selectFrom('bank_accounts').select(columnsOf('bank_accounts')).where('account_id', '=', accountId),
);

export const lockAccount = query('bankAccounts.lock', (accountId: string) =>
  tables.selectFrom('bank_accounts').select(columnsOf('bank_accounts')).where('account_id', '=', accountId).forUpdate(),
);

interface StoredWanted {
  accountId: string;
  bankId: string;
  from: string;
  to: string;
  stableHashes: readonly string[];
}

const STORED = sql.raw('transaction_id, bank_id, stable_hash, fingerprint, ordinal, amount, booked_on');

type StoredColumns = Pick<
  TransactionRow,
  'transaction_id' | 'bank_id' | 'stable_hash' | 'fingerprint' | 'ordinal' | 'amount' | 'booked_on'
>;

/** The account's rows of these days, and those of any day with one of the stable ids. */
export const storedRows = query(
  'bankAccounts.storedRows',
  ({ accountId, bankId, from, to, stableHashes }: StoredWanted) => sql<StoredColumns>`
    select ${STORED} from bank_transactions
     where account_id = ${accountId} and booked_on between ${from}::date and ${to}::date
    union all
    select ${STORED} from bank_transactions
     where account_id = ${accountId} and bank_id = ${bankId} and stable_hash = any(${stableHashes}::text[])
       and booked_on not between ${from}::date and ${to}::date`,
);

export type NewTransaction = Omit<TransactionRow, 'seq' | 'created_at'>;

const TRANSACTION_TYPES = {
  transaction_id: 'text',
  account_id: 'text',
  owner_id: 'text',
  bank_id: 'text',
  amount: 'bigint',
  booked_on: 'date',
  texts_sealed: 'text',
  payer_hash: 'text',
  counterparty_hash: 'text',
  debtor_hash: 'text',
  stable_hash: 'text',
  fingerprint: 'text',
  ordinal: 'int',
} as const;

export const insertTransactions = query(
  'bankAccounts.insertTransactions',
  (rows: readonly NewTransaction[]) => sql`
    insert into bank_transactions (${names(TRANSACTION_TYPES)}, created_at)
    select * from (select ${names(TRANSACTION_TYPES)}, now() from unnest(${listsOf(rows, TRANSACTION_TYPES)})
      with ordinality as given (${names(TRANSACTION_TYPES)}, place) order by booked_on, place) as sorted`,
);

type Gained = Pick<StoredRow, 'transactionId' | 'stableHash' | 'fingerprint' | 'ordinal'> &
  Pick<TransactionRow, 'payer_hash' | 'debtor_hash'>;

const GAINED_TYPES = {
  transactionId: 'text',
  stableHash: 'text',
  fingerprint: 'text',
  ordinal: 'int',
  payer_hash: 'text',
  debtor_hash: 'text',
} as const;

/** Stored rows from now on have the identity by which this bank reports them, and the parties that were not known before. */
export const gainIdentity = query(
  'bankAccounts.gainIdentity',
  (bankId: string, rows: readonly Gained[]) => sql`
    update bank_transactions t
       set bank_id = ${bankId}, stable_hash = given.stable_hash, fingerprint = given.fingerprint, ordinal = given.ordinal,
           payer_hash = coalesce(t.payer_hash, given.payer_hash), debtor_hash = coalesce(t.debtor_hash, given.debtor_hash)
      from unnest(${listsOf(rows, GAINED_TYPES)})
        as given (transaction_id, stable_hash, fingerprint, ordinal, payer_hash, debtor_hash)
     where t.transaction_id = given.transaction_id`,
);

function names(types: Readonly<Record<string, string>>): RawBuilder<unknown> {
  return sql.join(Object.keys(types).map((name) => sql.ref(name)));
}
