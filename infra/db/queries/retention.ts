import { sql, type RawBuilder } from 'kysely';
import { query } from '../query.ts';

/* Each query deletes a limited number of rows and skips locked rows, so that its locks are short. */

export const purgeAnswers = query(
  'retention.answers',
  (most: number) => sql`
    delete from idempotency_records r
     using (select caller, operation, key from idempotency_records
             where created_at <= now() - interval '24 hours'
             order by created_at limit ${most} for update skip locked) as old
     where r.caller = old.caller and r.operation = old.operation and r.key = old.key`,
);

const EXPIRED = sql`expires_at < now()`;

export const purgeLimits = query('retention.limits', (most: number) =>
  deletion('rate_limits', 'key', sql`expire < (extract(epoch from now()) * 1000)::bigint`, most),
);

const purgeExpired = (name: string, table: string, key: string) =>
  query(name, (most: number) => deletion(table, key, EXPIRED, most));

export const purgeSessions = purgeExpired('retention.sessions', 'sessions', 'session_hash');
export const purgeResets = purgeExpired('retention.resets', 'password_resets', 'token_hash');
export const purgeVerifications = purgeExpired('retention.verifications', 'email_verifications', 'token_hash');
export const purgeInvitations = purgeExpired('retention.invitations', 'invitations', 'token_hash');
export const purgeLinkRequests = purgeExpired('retention.linkRequests', 'identity_link_requests', 'request_hash');
export const purgeAttempts = purgeExpired('retention.attempts', 'sign_in_attempts', 'state_hash');

export const purgeBankAnswers = purgeExpired('retention.bankAnswers', 'bank_answers', 'handle_hash');

export const purgeHouseLinks = purgeExpired('retention.houseLinks', 'bank_house_links', 'token_hash');

/** Nobody settles a journey of the house account that did not end. */
export const purgeHouseJourneys = query('retention.houseJourneys', (most: number) =>
  deletion(
    'bank_journeys',
    'journey_id',
    sql`settled_at is null and house_bank_id is not null and begun_at < now() - interval '1 day'`,
    most,
  ),
);

/** A settled journey only shows for a day why it failed. */
export const purgeJourneys = query('retention.journeys', (most: number) =>
  deletion('bank_journeys', 'journey_id', sql`settled_at < now() - interval '1 day'`, most),
);

/** By then, the credential has expired, so it has no PDF. */
export const purgePdfs = query('retention.pdfs', (most: number) =>
  deletion('credential_pdfs', 'credential_id', sql`kept_at < now() - interval '91 days'`, most),
);

/** The limits of a day count reads of 24 hours. */
export const purgeBankReads = query(
  'retention.bankReads',
  (most: number) => sql`
    delete from bank_reads where (sync_id, account_id) in (
      select sync_id, account_id from bank_reads
       where read_at < now() - interval '2 days' limit ${most} for update skip locked)`,
);

/** The limits of payments count those of one day. */
export const purgePaymentCounts = query(
  'retention.paymentCounts',
  (most: number) => sql`
    delete from owner_payment_counts where (day, owner_id) in (
      select day, owner_id from owner_payment_counts
       where day < business_today() - 7 limit ${most} for update skip locked)`,
);

export const purgeAppPaymentCounts = query(
  'retention.appPaymentCounts',
  (most: number) => sql`
    delete from app_payment_counts where (day, app_id, shard) in (
      select day, app_id, shard from app_payment_counts
       where day < business_today() - 7 limit ${most} for update skip locked)`,
);

export const purgeOldTransactions = query('retention.oldTransactions', (most: number) =>
  deletion('bank_transactions', 'transaction_id', sql`booked_on < business_today() - 400`, most),
);

/** The account `a`, once every connection that read it ended 30 days ago, in real time. */
const LEFT = sql`not exists (
  select from bank_account_links l join bank_connections c on c.connection_id = l.connection_id
   where l.account_id = a.account_id and (
     c.status in ('authorised', 'reauthorisation_needed') or exists (
       select from bank_consents k where k.consent_id = c.consent_id and k.end_requested_at > now() - interval '30 days')))`;

export const purgeLeftTransactions = query(
  'retention.leftTransactions',
  (most: number) => sql`
    delete from bank_transactions where transaction_id in (
      select t.transaction_id from bank_accounts a join bank_transactions t on t.account_id = a.account_id
       where ${LEFT} limit ${most} for update of t skip locked)`,
);

/** After their transactions. A connection that reads such an account again makes a new one. */
export const purgeLeftAccounts = query(
  'retention.leftAccounts',
  (most: number) => sql`
    with gone as (
      delete from bank_accounts where account_id in (
        select a.account_id from bank_accounts a
         where ${LEFT} and not exists (select from bank_transactions t where t.account_id = a.account_id)
         limit ${most} for update of a skip locked)
      returning account_id)
    , links as (delete from bank_account_links where account_id in (select account_id from gone))
    select account_id from gone`,
);

/** Keeps a redeemed code as long as its tokens exist, because a second use of the code must revoke them. */
export const purgeCodes = query('retention.codes', (most: number) =>
  deletion(
    'authorization_codes',
    'code_hash',
    sql`expires_at < now() - interval '1 hour'
      and not exists (select from token_families f where f.family_id = authorization_codes.family_id)`,
    most,
  ),
);

function deletion(table: string, key: string, which: RawBuilder<unknown>, most: number): RawBuilder<unknown> {
  const [from, id] = [sql.table(table), sql.ref(key)];
  return sql`
    delete from ${from} where ${id} in (select ${id} from ${from} where ${which} limit ${most} for update skip locked)`;
}

export const purgeOldFamilies = query('retention.oldFamilies', (most: number) =>
  withTokens(sql`expires_at < now() - interval '7 days'`, most),
);
export const purgeEndedFamilies = query('retention.endedFamilies', (most: number) =>
  withTokens(sql`ended_at < now() - interval '7 days'`, most),
);

function withTokens(which: RawBuilder<unknown>, most: number): RawBuilder<unknown> {
  return sql`
    with gone as (select family_id from token_families where ${which} limit ${most} for update skip locked),
    access as (delete from access_tokens where family_id in (select family_id from gone)),
    refresh as (delete from refresh_tokens where family_id in (select family_id from gone))
    delete from token_families where family_id in (select family_id from gone)`;
}

/** An origin is a network or browser from which a user signed in. */
export const purgeOrigins = query(
  'retention.origins',
  (most: number) => sql`
    delete from sign_in_origins where (user_id, origin) in (
      select user_id, origin from sign_in_origins
       where seen_at < now() - interval '1 year' limit ${most} for update skip locked)`,
);
