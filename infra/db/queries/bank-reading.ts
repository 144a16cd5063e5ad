import { sql } from 'kysely';
import type { AskedBy } from '../../../domain/bank/reading.ts';
import { query } from '../query.ts';
import { columnsOf, tables, type Row } from '../tables.ts';

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

export const syncOf = query('bankReading.syncOf', (connectionId: string) =>
  tables.selectFrom('bank_syncs').select(columnsOf('bank_syncs')).where('connection_id', '=', connectionId),
);

/** Serialises the requests of a person who is there, and counts those of the last 24 hours. */
export const countAttended = query(
  'bankReading.countAttended',
  (ownerId: string) => sql<{ count: number }>`
    select count(*)::int as count from (
      select sync_id from bank_reads
       where owner_id = ${ownerId} and asked_by = 'person' and read_at > now() - interval '24 hours'
      union
      select s.sync_id from bank_syncs s join bank_connections c on c.connection_id = s.connection_id
       where c.owner_id = ${ownerId} and s.asked_by = 'person') as syncs`,
);

export const lockAttended = query(
  'bankReading.lockAttended',
  (ownerId: string) => sql`select pg_advisory_xact_lock(hashtextextended(${ownerId}, 4714))::text as locked`,
);

/**
 * When the next account of the connection has room: null for one that has it now. No rows if the connection reads no account.
 * `most`: reads of an account in 24 hours.
 */
export const roomOf = query(
  'bankReading.roomOf',
  ({ connectionId, askedBy, most }: { connectionId: string; askedBy: AskedBy; most: number }) => sql<{
    room_at: string | null;
  }>`
    select case when ${most}::int = 0 then now() + interval '24 hours' else (
             select r.read_at + interval '24 hours' from bank_reads r
              where r.account_id = l.account_id and r.asked_by = ${askedBy} and r.read_at > now() - interval '24 hours'
              order by r.read_at desc offset greatest(${most}::int - 1, 0) limit 1) end as room_at
      from bank_connections own join bank_account_links l on l.connection_id = own.connection_id
     where own.connection_id = ${connectionId} and ${READS}
     order by room_at nulls first limit 1`,
);
