import { sessionOf } from '../../activities/auth/sessions.ts';
import { retentionActivities } from '../../activities/retention.ts';
import { hashOf } from '../../infra/keys/credentials.ts';
import { accountsOf, signInOf } from '../helpers/activities.ts';
import { withDatabase } from '../helpers/database.ts';
import { HERE } from '../helpers/here.ts';
import { mailedToken } from '../helpers/mail.ts';
import { newClient, newCode, sqlOf } from '../helpers/oauth.ts';

const services = withDatabase();
const auth = accountsOf(services);
const signIn = signInOf(services);
const retention = retentionActivities(services);
const sql = sqlOf(services);
const PASSWORD = 'seven green lanterns';
const email = 'retained@example.org';

const count = async (table: string, userId: string) =>
  (await sql.many<{ n: number }>(`select count(*) as n from ${table} where user_id = $1`, [userId]))[0]!.n;

test('the purge of sign-ins deletes what is no longer valid, and nothing else', async () => {
  const { user_id: userId } = await auth.registerUser({ email, password: PASSWORD });
  await signIn.requestPasswordReset({ email });
  const token = await mailedToken(services, email);
  const tokens = await auth.login({ from: HERE, email, password: PASSWORD });
  const { cookie } = await signIn.beginSession({ from: HERE, userId, method: 'password', at: new Date() });
  const { clientId } = await newClient(services);
  const code = await newCode(services, { clientId, userId });
  await makeStale(userId, clientId);
  const { purged } = await retention.purgeExpiredAuth();
  expect(purged).toBeGreaterThanOrEqual(600 + 6);
  expect(await count('sessions', userId)).toBe(1);
  expect(await count('password_resets', userId)).toBe(1);
  expect(await count('token_families', userId)).toBe(2);
  expect(await sql.many('select 1 from sign_in_attempts')).toEqual([]);
  const codes = 'select code_hash from authorization_codes where user_id = $1';
  const left = (await sql.many<{ code_hash: string }>(codes, [userId])).map(({ code_hash }) => code_hash);
  expect(new Set(left)).toEqual(new Set([hashOf(services, code), 'redeemed']));
  for (const table of ['access_tokens', 'refresh_tokens'])
    expect(await sql.many(`select token_hash from ${table} where token_hash like 'stale%'`)).toEqual([]);
  await auth.authenticate({ token: tokens.access_token });
  await signIn.describeReset({ token });
  expect(await sessionOf(services, { cookie: cookie.split(';', 1)[0]! })).toBeDefined();
  expect(await retention.purgeExpiredAuth()).toEqual({ purged: 0 });
});

// More sessions than one batch deletes. The code must stay, because its token family has not expired.
async function makeStale(userId: string, clientId: string) {
  const past = `now() - interval '1 second'`;
  await sql.run(
    `with s as (insert into sessions (session_hash, user_id, signed_in_with, created_at, expires_at)
       select 'stale' || n, $1, 'password', now(), ${past} from generate_series(1, 600) n),
     p as (insert into password_resets (token_hash, user_id, created_at, expires_at) values ('stale', $1, now(), ${past})),
     f as (insert into token_families (family_id, user_id, scopes, created_at, expires_at, ended_at) values
       ('stale ended', $1, '{}', now(), now() + interval '80 days', now() - interval '8 days'),
       ('stale old', $1, '{}', now(), now() - interval '8 days', null),
       ('alive', $1, '{}', now(), now() + interval '80 days', null))
     insert into sign_in_attempts (state_hash, provider_id, browser_hash, sealed, created_at, expires_at)
       values ('stale', 'sip', 'b', 's', now(), ${past})`,
    [userId],
  );
  await sql.run(
    `with a as (insert into access_tokens (token_hash, family_id, created_at, expires_at)
       values ('stale a', 'stale ended', now(), now())),
     r as (insert into refresh_tokens (token_hash, family_id, created_at, expires_at)
       values ('stale r', 'stale old', now(), now()))
     insert into authorization_codes (code_hash, client_id, user_id, redirect_uri, scopes, family_id, created_at, expires_at)
       select hash, $1, $2, 'https://a.example', '{}', family, now(), now() - interval '2 hours'
         from (values ('stale', null), ('stale too', 'stale ended'), ('redeemed', 'alive')) as c (hash, family)`,
    [clientId, userId],
  );
}

const addAnswers = (count: number, age: string) =>
  sql.run(
    `insert into idempotency_records (caller, operation, key, fingerprint, status, headers, finished, created_at)
     select 'caller', 'operation', $2 || n, 'f', 200, '{}', true, now() - $2::interval from generate_series(1, $1) n`,
    [count, age],
  );

test('the purge of stored responses deletes those older than 24 hours, and no others', async () => {
  await addAnswers(1_001, '24 hours 1 second');
  await addAnswers(3, '23 hours 59 minutes');
  expect(await retention.purgeIdempotencyRecords()).toEqual({ purged: 1_001 });
  expect(await retention.purgeIdempotencyRecords()).toEqual({ purged: 0 });
  expect(await sql.many('select count(*) as left from idempotency_records')).toEqual([{ left: 3 }]);
});

test('counts of limits are deleted once they have expired', async () => {
  const expiries = [Date.now() - 60_000, Date.now() + 60_000];
  await sql.run(
    `insert into rate_limits (key, points, expire) select 'purge ' || e, 1, e from unnest($1::bigint[]) e`,
    [expiries],
  );
  await retention.purgeExpiredAuth();
  const left = await sql.many(`select expire from rate_limits where key like 'purge %'`);
  expect(left).toEqual([{ expire: expiries[1] }]);
});

test('a purge ends between two batches when its worker stops', async () => {
  await addAnswers(501, '2 days');
  const stopping = new AbortController();
  stopping.abort(new Error('the worker stops'));
  await expect(retention.purgeIdempotencyRecords(stopping.signal)).rejects.toThrow('the worker stops');
  expect(await retention.purgeIdempotencyRecords()).toEqual({ purged: 501 });
});
