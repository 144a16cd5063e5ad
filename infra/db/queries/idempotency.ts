import { sql } from 'kysely';
import { listsOf, relationOf } from '../lists.ts';
import { batchQuery, query, type Numbered } from '../query.ts';

/** `lock` is the id of an advisory lock in PostgreSQL. */
export interface KeyToClaim {
  lock: string;
  caller: string;
  operation: string;
  key: string;
}

/** `finished` is false while the work goes on after the response was stored. */
interface AnswerToStore extends Omit<KeyToClaim, 'lock'> {
  fingerprint: string;
  status: number;
  headers: string;
  body: string | null;
  finished: boolean;
}

/** `claimed` is false while another request uses the key. Without an unexpired response, the other fields are null. */
export interface ClaimRow {
  claimed: boolean;
  fingerprint: string | null;
  status: number | null;
  headers: Record<string, string> | null;
  body: string | null;
  finished: boolean | null;
}

/** Claims the key until the transaction ends, and does not wait for the key. */
export const claimKey = query(
  'idempotency.claimKey',
  ({ lock, caller, operation, key }: KeyToClaim) => sql<ClaimRow>`
    select pg_try_advisory_xact_lock(${lock}::bigint) as claimed, r.fingerprint, r.status, r.headers, r.body, r.finished
      from (values (1)) as one
      left join idempotency_records r
        on r.caller = ${caller} and r.operation = ${operation} and r.key = ${key} and r.created_at > now() - interval '24 hours'`,
);

/** The SQLSTATE for a key with an unexpired response, and in `claimNewKey` for a key in use. */
export const STORED_MEANWHILE = 'RF001';

/** With `waits`, fails with `STORED_MEANWHILE` if each key is in use or has an unexpired response. */
export const claimNewKey = batchQuery(
  'idempotency.claimNewKey',
  (keys: readonly KeyToClaim[], waits) => sql<Numbered>`
    select ordinal from idempotency_claims(${waits}, ${listsOf(keys, { lock: 'bigint', caller: 'text', operation: 'text', key: 'text' })}) as claimed (ordinal)`,
  { lockOf: ({ lock }) => lock },
);

/** Overwrites expired responses. Fails with `STORED_MEANWHILE` if an unexpired response exists. */
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
  { isLast: true },
);
