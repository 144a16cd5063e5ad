import { sql } from 'kysely';
import { ATTENDED_FOR_MIN, type RequestedBy, type SyncOutcome } from '../../../domain/bank/reading.ts';
import { query } from '../query.ts';
import { columnsOf, tables, type Row } from '../tables.ts';
import type { ConsentRow } from './bank.ts';

/* Reads run in real time: their limits are the bank's. */

const NOW = sql<string>`now()`;

export type AccountRow = Row<'bank_accounts'>;
export type TransactionRow = Row<'bank_transactions'>;
export type SyncRow = Row<'bank_syncs'>;

/** Whether the connection `c` may be read. */
const READABLE = sql<boolean>`(c.kind = 'accounts'
  and connection_status(c.status, c.authorise_until, c.valid_until) = 'authorised'
  and coalesce(c.reconfirm_by >= business_today(), true))`;

/** Whether no older connection reads the account of the link `l` of the connection `own`. */
const READS = sql<boolean>`(l.gone_at is null and not exists (
  select from bank_account_links o join bank_connections c on c.connection_id = o.connection_id
   where o.account_id = l.account_id and o.gone_at is null and c.seq < own.seq and ${READABLE}))`;

/** Inserts nothing if a sync of the connection is open. */
export const insertSync = query('bankReading.insertSync', (sync: Omit<SyncRow, 'requested_at'>) =>
  tables
    .insertInto('bank_syncs')
    .values({ ...sync, requested_at: NOW })
    .onConflict((conflict) => conflict.column('connection_id').doNothing()),
);

/** `lately`: less than five minutes ago, so a person who requested the sync is still there. */
export const syncOf = query('bankReading.syncOf', (connectionId: string) =>
  tables
    .selectFrom('bank_syncs')
    .select(columnsOf('bank_syncs'))
    .select(sql<boolean>`requested_at > now() - make_interval(mins => ${ATTENDED_FOR_MIN})`.as('lately'))
    .where('connection_id', '=', connectionId),
);

/** Serialises the requests of a person who is there, and counts those of the last 24 hours. */
export const countAttended = query(
  'bankReading.countAttended',
  (ownerId: string) => sql<{ count: number }>`
    select count(*)::int as count from (
      select sync_id from bank_reads
       where owner_id = ${ownerId} and requested_by = 'person' and read_at > now() - interval '24 hours'
      union
      select s.sync_id from bank_syncs s join bank_connections c on c.connection_id = s.connection_id
       where c.owner_id = ${ownerId} and s.requested_by = 'person') as syncs`,
);

export const lockAttended = query(
  'bankReading.lockAttended',
  (ownerId: string) => sql`select pg_advisory_xact_lock(hashtextextended(${ownerId}, 4714))::text as locked`,
);

/**
 * When the next account of the connection may be read: null for now. No rows if the connection reads no account.
 * `most`: reads of an account in 24 hours.
 */
export const nextReadOf = query(
  'bankReading.nextReadOf',
  ({ connectionId, requestedBy, most }: { connectionId: string; requestedBy: RequestedBy; most: number }) => sql<{
    next_read_at: string | null;
  }>`
    select case when ${most}::int = 0 then now() + interval '24 hours' else (
             select r.read_at + interval '24 hours' from bank_reads r
              where r.account_id = l.account_id and r.requested_by = ${requestedBy} and r.read_at > now() - interval '24 hours'
              order by r.read_at desc offset greatest(${most}::int - 1, 0) limit 1) end as next_read_at
      from bank_connections own join bank_account_links l on l.connection_id = own.connection_id
     where own.connection_id = ${connectionId} and ${READS}
     order by next_read_at nulls first limit 1`,
);

/** The accounts that this connection reads, and no older one. */
export const accountsToRead = query(
  'bankReading.accountsToRead',
  (connectionId: string) => sql<{ account_id: string }>`
    select l.account_id
      from bank_connections own join bank_account_links l on l.connection_id = own.connection_id
      join bank_accounts a on a.account_id = l.account_id
     where own.connection_id = ${connectionId} and ${READS} order by a.seq`,
);

export type AccountToRead = Pick<AccountRow, 'account_id' | 'owner_id' | 'kind' | 'currency' | 'key_sealed'> & {
  ref: string;
};

/** Returns no row if the connection no longer reads the account. */
export const accountToRead = query(
  'bankReading.accountToRead',
  (connectionId: string, accountId: string) => sql<AccountToRead>`
    select a.account_id, a.owner_id, a.kind, a.currency, a.key_sealed, l.ref
      from bank_connections own join bank_account_links l on l.connection_id = own.connection_id
      join bank_accounts a on a.account_id = l.account_id
     where own.connection_id = ${connectionId} and l.account_id = ${accountId} and ${READS}`,
);

interface Counted {
  syncId: string;
  accountId: string;
  requestedBy: RequestedBy;
  /** Null if these reads have no limit. */
  most: number | null;
}

/**
 * Counts one read of an account that the transaction has locked. Returns a row if it may be read: a sync that is repeated counts
 * once.
 */
export const countRead = query(
  'bankReading.countRead',
  ({ syncId, accountId, requestedBy, most }: Counted) => sql<{ sync_id: string }>`
    insert into bank_reads (sync_id, account_id, owner_id, requested_by, read_at)
    select ${syncId}, account_id, owner_id, ${requestedBy}, now() from bank_accounts
     where account_id = ${accountId} and (
       exists (select from bank_reads where sync_id = ${syncId} and account_id = ${accountId})
       or ${most}::int is null or ${most}::int > (
         select count(*) from bank_reads r where r.account_id = ${accountId} and r.requested_by = ${requestedBy}
            and r.read_at > now() - interval '24 hours'))
    on conflict (sync_id, account_id) do update set read_at = bank_reads.read_at
    returning sync_id`,
);

export interface ReadResult {
  syncId: string;
  accountId: string;
  isComplete: boolean;
  rowsNew: number;
  rowsRefused: number;
}

/** A repeated read refuses the same rows again, but stores no row again. */
export const storeReadResult = query(
  'bankReading.storeResult',
  ({ syncId, accountId, isComplete, rowsNew, rowsRefused }: ReadResult) => sql`
    update bank_reads set outcome = ${isComplete ? 'complete' : 'partial'}, rows_new = rows_new + ${rowsNew}::int,
           rows_refused = ${rowsRefused}::int
     where sync_id = ${syncId} and account_id = ${accountId}`,
);

type Figures = Partial<
  Pick<AccountRow, 'balance' | 'available' | 'credit_line' | 'as_of' | 'read_through' | 'gone_at'>
>;

export const changeAccount = query('bankReading.changeAccount', (accountId: string, figures: Figures) =>
  tables.updateTable('bank_accounts').set(figures).where('account_id', '=', accountId),
);

/** `accounts`: of how many something was stored. */
export const resultsOf = query(
  'bankReading.resultsOf',
  (syncId: string) => sql<{ accounts: number; rows_new: number; rows_refused: number }>`
    select count(outcome)::int as accounts, coalesce(sum(rows_new), 0)::int as rows_new,
           coalesce(sum(rows_refused), 0)::int as rows_refused
      from bank_reads where sync_id = ${syncId}`,
);

export const deleteSync = query('bankReading.deleteSync', (connectionId: string, syncId: string) =>
  tables.deleteFrom('bank_syncs').where('connection_id', '=', connectionId).where('sync_id', '=', syncId),
);

export interface Ended {
  outcome: SyncOutcome;
  reason: string | null;
  rowsNew: number;
  rowsRefused: number;
  waitUntil: string | null;
}

export const endSync = query('bankReading.endSync', (connectionId: string, ended: Ended) =>
  tables
    .updateTable('bank_connections')
    .set({
      synced_at: NOW,
      sync_outcome: ended.outcome,
      sync_reason: ended.reason,
      sync_rows_new: ended.rowsNew,
      sync_rows_refused: ended.rowsRefused,
      read_wait_until: ended.waitUntil,
    })
    .where('connection_id', '=', connectionId),
);

export const accountsListed = query('bankReading.accountsListed', (connectionId: string) =>
  tables.updateTable('bank_connections').set({ accounts_listed_at: NOW }).where('connection_id', '=', connectionId),
);

/** The next sync asks the bank for its list of accounts. */
export const listAgain = query('bankReading.listAgain', (connectionId: string) =>
  tables.updateTable('bank_connections').set({ accounts_listed_at: null }).where('connection_id', '=', connectionId),
);

interface DueWanted {
  bankId: string;
  /** Seconds between two reads by the schedule. */
  everyS: number;
  after: number;
  most: number;
}

/**
 * Connections that the schedule has to read, in the order of `seq`. It waits for an hour after a failure. Where it can only ask for
 * the list again, it waits as long as after a read.
 */
export const dueSyncs = query(
  'bankReading.dueSyncs',
  ({ bankId, everyS, after, most }: DueWanted) => sql<{ connection_id: string; seq: number }>`
    select own.connection_id, own.seq from bank_connections own
     where own.bank_id = ${bankId} and own.kind = 'accounts' and own.status = 'authorised' and own.seq > ${after}
       and coalesce(own.reconfirm_by >= business_today(), true)
       and coalesce(own.read_wait_until <= now(), true)
       and (own.sync_outcome is distinct from 'failed' or own.synced_at < now() - interval '1 hour')
       and not exists (select from bank_syncs s where s.connection_id = own.connection_id)
       and (own.synced_at is null or own.accounts_listed_at is not null
            or own.synced_at < now() - make_interval(secs => ${everyS}))
       and (own.accounts_listed_at is null or exists (
         select from bank_account_links l where l.connection_id = own.connection_id and ${READS}))
       and not exists (
         select from bank_account_links l join bank_reads r on r.account_id = l.account_id
          where l.connection_id = own.connection_id and l.gone_at is null and r.requested_by = 'schedule'
            and r.read_at > now() - make_interval(secs => ${everyS}))
     order by own.seq limit ${most}`,
);

/** Syncs that were requested `silentS` seconds ago, oldest first. */
export const silentSyncs = query(
  'bankReading.silentSyncs',
  ({ silentS, most }: { silentS: number; most: number }) => sql<{ connection_id: string; owner_id: string }>`
    select s.connection_id, c.owner_id from bank_syncs s join bank_connections c on c.connection_id = s.connection_id
     where s.requested_at < now() - make_interval(secs => ${silentS})
     order by s.requested_at limit ${most}`,
);

interface LooksWanted {
  /** Null: only those about which the bank has reported something. */
  olderS: number | null;
  after: string;
  most: number;
}

/** Consents in use that the service has to ask the bank about, in the order of their ids. */
export const dueLooks = query(
  'bankReading.dueLooks',
  ({ olderS, after, most }: LooksWanted) => sql<Pick<ConsentRow, 'consent_id' | 'owner_id'>>`
    select k.consent_id, k.owner_id from bank_consents k
     where k.ended_at is null and k.end_requested_at is null and k.consent_id > ${after}
       and (k.looked_at is null or k.looked_at < now() - make_interval(secs => ${olderS}::float8))
       and exists (select from bank_connections c where c.consent_id = k.consent_id
                    and c.status in ('authorised', 'reauthorisation_needed'))
     order by k.consent_id limit ${most}`,
);

export const connectionOfConsent = query('bankReading.connectionOfConsent', (consentId: string) =>
  tables.selectFrom('bank_connections').select('connection_id').where('consent_id', '=', consentId),
);

export const consentByRef = query('bankReading.consentByRef', (bankId: string, consentRef: string) =>
  tables
    .selectFrom('bank_consents')
    .select(['consent_id', 'owner_id', 'end_requested_at'])
    .where('bank_id', '=', bankId)
    .where('consent_ref', '=', consentRef),
);

/** Only if nobody has asked for another look since. */
export const looked = query('bankReading.looked', (consentId: string, before: string | null) =>
  tables
    .updateTable('bank_consents')
    .set({ looked_at: NOW })
    .where('consent_id', '=', consentId)
    .where('looked_at', 'is not distinct from', before),
);

export const lookAgain = query('bankReading.lookAgain', (consentId: string) =>
  tables.updateTable('bank_consents').set({ looked_at: null }).where('consent_id', '=', consentId),
);
