import { lines, opening, query } from '../sql.ts';

/**
 * A stored answer; all null where there is none that counts. `claimed` is false while another request with the key runs.
 * One that is not `finished` holds what was begun, not the answer.
 */
export interface ClaimRow {
  claimed: boolean;
  fingerprint: string | null;
  status: number | null;
  headers: Record<string, string> | null;
  body: string | null;
  finished: boolean | null;
}

/** Claims the key until the end of the transaction, and reads what is stored under it: lock, caller, operation, key. */
export const claimKey = query<ClaimRow>(
  'idempotency.claimKey',
  `select pg_try_advisory_xact_lock($1::bigint) as claimed, r.fingerprint, r.status, r.headers, r.body, r.finished
     from (values (1)) as one
     left join idempotency_records r
       on r.caller = $2 and r.operation = $3 and r.key = $4 and r.created_at > now() - interval '24 hours'`,
);

/** The SQLSTATE of the refusal to store an answer over one that counts, and of `claimNewKey`. */
export const STORED_MEANWHILE = 'RF001';

/**
 * Claims keys that are new until the end of the transaction, and gives the places of those; where it waits, one that is not new fails
 * with `STORED_MEANWHILE`. A line: lock, caller, operation, key.
 */
export const claimNewKey = opening<{ place: number }>(
  'idempotency.claimNewKey',
  'select place from idempotency_claims($1, $2, $3, $4, $5) as claimed (place)',
);

/**
 * Stores answers, over those that no longer count; fails with `STORED_MEANWHILE` where there is one that does. The body is text, so
 * that it is given back to the byte. A line: caller, operation, key, fingerprint, status, headers, body, finished.
 */
export const storeAnswer = lines(
  'idempotency.storeAnswer',
  `insert into idempotency_records as r (caller, operation, key, fingerprint, status, headers, body, finished, created_at)
   select given.caller, given.operation, given.key, given.fingerprint, given.status, given.headers::jsonb, given.body,
          given.finished, now()
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::text[], $7::text[], $8::boolean[])
          as given (caller, operation, key, fingerprint, status, headers, body, finished)
   on conflict (caller, operation, key) do update
     set fingerprint = case when r.created_at <= now() - interval '24 hours' then excluded.fingerprint
                            else stored_meanwhile() end,
         status = excluded.status, headers = excluded.headers,
         body = excluded.body, finished = excluded.finished, created_at = excluded.created_at`,
);

/** Puts the answer in the place of what was begun: caller, operation, key, status, headers, body. Once; a later one changes nothing. */
export const finishAnswer = query(
  'idempotency.finishAnswer',
  `update idempotency_records set status = $4, headers = $5, body = $6, finished = true
    where caller = $1 and operation = $2 and key = $3 and not finished`,
);
