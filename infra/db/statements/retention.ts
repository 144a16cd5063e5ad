import { query } from '../sql.ts';

/*
 * Each deletes at most $1 rows, so that no statement holds the database for long. Rows that somebody else has locked wait for the
 * next time.
 */

/** Answers that no longer count, oldest first. */
export const purgeAnswers = query(
  'retention.answers',
  `delete from idempotency_records r
    using (select caller, operation, key from idempotency_records
            where created_at <= now() - interval '24 hours'
            order by created_at limit $1 for update skip locked) as old
    where r.caller = old.caller and r.operation = old.operation and r.key = old.key`,
);

export const purgeLimits = query(
  'retention.limits',
  `delete from rate_limits where key in (
     select key from rate_limits where expire < (extract(epoch from now()) * 1000)::bigint limit $1 for update skip locked)`,
);

export const purgeSessions = query(
  'retention.sessions',
  `delete from sessions where session_hash in (
     select session_hash from sessions where expires_at < now() limit $1 for update skip locked)`,
);

export const purgeResets = query(
  'retention.resets',
  `delete from password_resets where token_hash in (
     select token_hash from password_resets where expires_at < now() limit $1 for update skip locked)`,
);

export const purgeVerifications = query(
  'retention.verifications',
  `delete from email_verifications where token_hash in (
     select token_hash from email_verifications where expires_at < now() limit $1 for update skip locked)`,
);

export const purgeLinkRequests = query(
  'retention.linkRequests',
  `delete from provider_link_requests where request_hash in (
     select request_hash from provider_link_requests where expires_at < now() limit $1 for update skip locked)`,
);

export const purgeAttempts = query(
  'retention.attempts',
  `delete from sign_in_attempts where state_hash in (
     select state_hash from sign_in_attempts where expires_at < now() limit $1 for update skip locked)`,
);

/** A code that was redeemed stays as long as its tokens: a second use of it is to end them. */
export const purgeCodes = query(
  'retention.codes',
  `delete from authorization_codes where code_hash in (
     select c.code_hash from authorization_codes c
      where c.expires_at < now() - interval '1 hour'
        and not exists (select from token_families f where f.family_id = c.family_id)
      limit $1 for update skip locked)`,
);

/** Families that nobody can use any more, with all their tokens: those too old for any token, and those that were ended. */
export const purgeOldFamilies = query('retention.oldFamilies', withTokens(`expires_at < now() - interval '7 days'`));
export const purgeEndedFamilies = query('retention.endedFamilies', withTokens(`ended_at < now() - interval '7 days'`));

function withTokens(which: string): string {
  return `
    with gone as (select family_id from token_families where ${which} limit $1 for update skip locked),
    access as (delete from access_tokens where family_id in (select family_id from gone)),
    refresh as (delete from refresh_tokens where family_id in (select family_id from gone))
    delete from token_families where family_id in (select family_id from gone)`;
}

/** Places from which nobody signed in for a year. */
export const purgePlaces = query(
  'retention.places',
  `delete from sign_in_places where (user_id, place) in (
     select user_id, place from sign_in_places where seen_at < now() - interval '1 year' limit $1 for update skip locked)`,
);
