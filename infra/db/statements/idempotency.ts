import { sql } from 'kysely';
import { listsOf, relationOf } from '../lists.ts';
import { batchQuery, lockingQuery, query, type Placed } from '../query.ts';

/** The key of a request; `lock` is its number among PostgreSQL's advisory locks. */
export interface KeyToClaim {
  lock: string;
  caller: string;
  operation: string;
  key: string;
}

/** An answer to be stored under its key. `finished` is false if it is provisional. */
export interface AnswerToStore {
  caller: string;
  operation: string;
  key: string;
  fingerprint: string;
  status: number;
  /** JSON. */
  headers: string;
  body: string | null;
  finished: boolean;
}

/**
 * A stored answer; all null if there is none that still counts. `claimed` is false while another request with the key
 * runs. If it is not `finished`, it is provisional.
 */
export interface ClaimRow {
  claimed: boolean;
  fingerprint: string | null;
  status: number | null;
  headers: Record<string, string> | null;
  body: string | null;
  finished: boolean | null;
}

/** Claims the key until the end of the transaction, and reads what is stored under it. */
export const claimKey = query(
  'idempotency.claimKey',
  ({ lock, caller, operation, key }: KeyToClaim) => sql<ClaimRow>`
    select pg_try_advisory_xact_lock(${lock}::bigint) as claimed, r.fingerprint, r.status, r.headers, r.body, r.finished
      from (values (1)) as one
      left join idempotency_records r
        on r.caller = ${caller} and r.operation = ${operation} and r.key = ${key} and r.created_at > now() - interval '24 hours'`,
);

/** The SQLSTATE of `storeAnswer` and `claimNewKey` if an answer that still counts is already stored. */
export const STORED_MEANWHILE = 'RF001';

/**
 * Claims new keys until the end of the transaction, and returns their places. If it waits, a key that is not new fails
 * with `STORED_MEANWHILE`.
 */
export const claimNewKey = lockingQuery(
  'idempotency.claimNewKey',
  ({ lock }: KeyToClaim) => lock,
  (keys, waits) => sql<Placed>`
    select place from idempotency_claims(${waits}, ${listsOf(keys, { lock: 'bigint', caller: 'text', operation: 'text', key: 'text' })}) as claimed (place)`,
);

/** Stores answers, replacing those that no longer count. Fails with `STORED_MEANWHILE` if one still counts. */
export const storeAnswer = batchQuery(
  'idempotency.storeAnswer',
  (answers: readonly AnswerToStore[]) => sql`
    insert into idempotency_records as r (caller, operation, key, fingerprint, status, headers, body, finished, created_at)
    select given.caller, given.operation, given.key, given.fingerprint, given.status, given.headers::jsonb, given.body,
           given.finished, now()
      from ${relationOf('given', answers, {
        caller: 'text',
        operation: 'text',
        key: 'text',
        fingerprint: 'text',
        status: 'int',
        headers: 'text',
        body: 'text',
        finished: 'boolean',
      })}
    on conflict (caller, operation, key) do update
      set fingerprint = case when r.created_at <= now() - interval '24 hours' then excluded.fingerprint
                             else stored_meanwhile() end,
          status = excluded.status, headers = excluded.headers,
          body = excluded.body, finished = excluded.finished, created_at = excluded.created_at`,
);

/** Replaces a provisional answer by the final one. Works once; later calls change nothing. */
export const finishAnswer = query(
  'idempotency.finishAnswer',
  ({ caller, operation, key, status, headers, body }: Omit<AnswerToStore, 'fingerprint' | 'finished'>) => sql`
    update idempotency_records set status = ${status}, headers = ${headers}::jsonb, body = ${body}, finished = true
     where caller = ${caller} and operation = ${operation} and key = ${key} and not finished`,
);
