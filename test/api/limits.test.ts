import { randomUUID } from 'node:crypto';
import { authActivities } from '../../activities/auth.ts';
import { readContract, resolve } from '../../api/http/contract.ts';
import { emailIndexOf } from '../../activities/auth/register.ts';
import { startApi, type TestAnswer, type TestApi } from '../helpers/api.ts';
import { HERE } from '../helpers/here.ts';
import { newClient, postForm, sqlOf, TOKEN } from '../helpers/oauth.ts';
import { newVisitor, type Visitor } from '../helpers/visitor.ts';

const PASSWORD = 'a long enough passphrase';
const WRONG = 'another long passphrase';
const LOGIN = '/api/v1/auth/login';

const newEmail = () => `limited-${randomUUID().slice(0, 8)}@example.org`;
const statusesOf = (answers: readonly TestAnswer[]) => answers.map(({ status }) => status);
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
async function inTurn(count: number, ask: (index: number) => Promise<TestAnswer>): Promise<TestAnswer[]> {
  const answers: TestAnswer[] = [];
  for (let index = 0; index < count; index += 1) answers.push(await ask(index));
  return answers;
}

function expectLimited({ status, headers }: TestAnswer, quota: number, windowS: number) {
  expect(status).toBe(429);
  const seconds = Number(headers['retry-after']);
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(windowS);
  expect(headers.ratelimit).toBe(`"default";r=0;t=${seconds}`);
  expect(headers['ratelimit-policy']).toBe(`"default";q=${quota};w=${windowS}`);
}

const asIfFrom = (address: string) => ({ proxiedFrom: '127.0.0.1', headers: { 'x-forwarded-for': address } });

const { document, operations } = readContract('sandbox');

test('the contract declares 429 for every operation with a limit, with Retry-After and RateLimit', () => {
  const limited = operations.filter(({ scopes, rateLimit }) => scopes !== 'public' || rateLimit !== undefined);
  const lacking = limited.filter(({ responses }) => {
    const { headers = {} } = resolve(document, responses['429'] ?? {});
    return !['Retry-After', 'RateLimit', 'RateLimit-Policy'].every((name) => Object.hasOwn(headers as object, name));
  });
  expect(lacking.map(({ id }) => id)).toEqual([]);
});

describe('with low limits', () => {
  const quotas = { CREDENTIALS: '5', TOKENS: '7', KEY: '5', PERSON: '3' };
  const env = Object.fromEntries(Object.entries(quotas).map(([of, quota]) => [`LIMIT_${of}_PER_MINUTE`, quota]));
  const api = startApi({ env });
  const sql = sqlOf(api.services);
  let other: Pick<TestApi, 'post'>;
  beforeAll(async () => {
    other = await api.another();
  });
  beforeEach(() => sql.run('delete from rate_limits'));

  describe('per address and operation', () => {
    const login = (at: Pick<TestApi, 'post'> = api, more: object = {}) =>
      at.post(LOGIN, { body: { email: newEmail(), password: WRONG }, ...more });
    const from = (address: string) => login(api, asIfFrom(address));

    test('the limit holds for two processes together', async () => {
      const answers = await inTurn(7, (n) => login(n % 2 ? other : api));
      expect(statusesOf(answers)).toEqual([401, 401, 401, 401, 401, 429, 429]);
      expectLimited(answers[5]!, 5, 60);
      expect(answers[5]!.body).toMatchObject({ code: 'rate-limited', status: 429 });
      expect(answers[5]!.body.retry_after).toBe(Number(answers[5]!.headers['retry-after']));
    });

    test('of many simultaneous requests to both processes, as many are accepted as one by one', async () => {
      const answers = await Promise.all(times(24, (i) => login(i % 2 ? api : other)));
      expect(statusesOf(answers).filter((status) => status === 401)).toHaveLength(5);
      expect(statusesOf(answers).filter((status) => status === 429)).toHaveLength(19);
    });

    test('each operation has its own count, and operations without a limit still work', async () => {
      await Promise.all(times(6, () => login()));
      const register = await api.post('/api/v1/auth/register', { body: { email: newEmail(), password: PASSWORD } });
      expect(register.status).toBe(201);
      expect((await api.get('/livez')).status).toBe(200);
      expect((await api.get('/.well-known/oauth-authorization-server')).status).toBe(200);
    });

    test('each address has its own count, as a trusted proxy reports it', async () => {
      expect(statusesOf(await inTurn(6, () => from('203.0.113.7')))).toEqual([401, 401, 401, 401, 401, 429]);
      expect((await from('203.0.113.8')).status).toBe(401);
      expect((await from('203.0.113.9, 203.0.113.7')).status).toBe(429);
      expect((await inTurn(5, (i) => from(`2001:db8:1:2::${i}`)))[4]!.status).toBe(401);
      expect((await from('2001:db8:1:2:ffff::1')).status).toBe(429);
      expect((await from('2001:db8:1:3::1')).status).toBe(401);
    });

    test('the /64 networks of one IPv6 /48 together have eight times the limit', async () => {
      const answers = await inTurn(41, (i) => from(`2001:db8:48:${i}::1`));
      expect(statusesOf(answers.slice(0, 40))).toEqual(times(40, () => 401));
      expectLimited(answers[40]!, 40, 60);
      expect((await from('2001:db8:49::1')).status).toBe(401);
      expect(statusesOf(await inTurn(41, (i) => from(`198.51.100.${i}`)))).toEqual(times(41, () => 401));
    });

    test('an untrusted address cannot claim another address', async () => {
      const claiming = (i: number) => login(api, { headers: { 'x-forwarded-for': `203.0.113.${i}` } });
      expect(statusesOf(await inTurn(6, claiming))).toEqual([401, 401, 401, 401, 401, 429]);
    });

    test('malformed requests count too, and after the minute requests are accepted again', async () => {
      const malformed = await inTurn(6, () => api.post(LOGIN, { body: '{' }));
      expect(statusesOf(malformed)).toEqual([400, 400, 400, 400, 400, 429]);
      await sql.run('update rate_limits set expire = $1', [Date.now() - 1]);
      expect((await login()).status).toBe(401);
      // Callers are stored only as fingerprints.
      const rows = JSON.stringify(await sql.many('select t::text from rate_limits t'));
      expect(rows).not.toMatch(/127\.0\.0\.1|::1|limited-/);
    });

    test('the token endpoint refuses in the form of RFC 6749', async () => {
      const { clientId } = await newClient(api.services);
      const fields = { grant_type: 'refresh_token', refresh_token: 'x', client_id: clientId };
      const answers = await inTurn(8, () => postForm(api, TOKEN, fields));
      expect(answers[6]!.status).toBe(400);
      expectLimited(answers[7]!, 7, 60);
      expect(answers[7]!.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
      expect(answers[7]!.body).toEqual({
        error: 'temporarily_unavailable',
        error_description: expect.stringContaining('Too many requests') as string,
      });
      for (const path of ['revoke', 'introspect'])
        expectLimited((await inTurn(8, () => postForm(api, `/api/v1/auth/${path}`, { token: 'x' })))[7]!, 7, 60);
    });

    test('introspection with the right secret does not count, because servers ask about every request', async () => {
      const { clientId: client_id, secret: client_secret } = await newClient(api.services);
      const ask = () => postForm(api, '/api/v1/auth/introspect', { token: 'x', client_id, client_secret });
      expect((await inTurn(9, ask))[8]).toMatchObject({ status: 200, body: { active: false } });
    });

    test('pages show the refusal in HTML', async () => {
      const ask = () => api.get('/api/v1/auth/sign-in/sip_x', { headers: { accept: 'text/html' } });
      const answers = await inTurn(8, ask);
      expect(answers[6]!.status).toBe(404);
      expectLimited(answers[7]!, 7, 60);
      expect(answers[7]!.headers['content-type']).toBe('text/html; charset=utf-8');
    });

    test('strangers who flood the vault do not fill the audit log, and authorised callers are still served', async () => {
      const vaultKey = await api.apiKey(['reveal:vault']);
      const path = '/api/v1/vault/vault:user_email:018f0000-0000-7000-8000-000000000000';
      const answers = await inTurn(20, () => api.get(path, { vaultKey, certificate: 'none' }));
      expect(statusesOf(answers)).toEqual([...times(7, () => 401), ...times(13, () => 429)]);
      const answer = await api.get(path, { certificate: 'vault' });
      expectLimited(answer, 7, 60);
      expect(answer.body).toMatchObject({ code: 'rate-limited' });
      expect(await sql.many(`select seq from audit_events where kind = 'vault.refused'`)).toHaveLength(7);
      expect((await api.get(path, { vaultKey })).status).toBe(404);
    });
  });

  describe('per authenticated caller', () => {
    const me = (token: string) => api.get('/api/v1/auth/me', { token });
    const auth = () => authActivities(api.services);
    const keyWith = async (given: { per_minute?: number } = {}) =>
      auth().issueApiKey({ app_id: await api.application(), scopes: ['read:profile'], ...given });

    test('each response to a key states the remaining requests, even refusals', async () => {
      const { key } = await keyWith();
      const answers = [await api.get('/api/v1/allocations/vaults/emp-1', { token: key })];
      answers.push(...(await inTurn(5, () => me(key))));
      expect(statusesOf(answers)).toEqual([403, 200, 200, 200, 200, 429]);
      const left = answers.slice(0, 5).map(({ headers }) => [headers.ratelimit, headers['ratelimit-policy']]);
      const remaining = (r: number) => expect.stringMatching(new RegExp(`^"default";r=${r};t=\\d+$`)) as string;
      expect(left).toEqual([4, 3, 2, 1, 0].map((r) => [remaining(r), '"default";q=5;w=60']));
      expectLimited(answers[5]!, 5, 60);
      expect((await me((await keyWith()).key)).status).toBe(200);
    });

    test('a person has their own limit, which a new sign-in does not reset', async () => {
      const { token, email, password } = await api.registerUser();
      expect(statusesOf([await me(token), await me(token)])).toEqual([200, 200]);
      const { access_token } = await auth().login({ from: HERE, email, password });
      expect(statusesOf([await me(access_token), await me(access_token)])).toEqual([200, 429]);
    });

    test('a key can have a different limit, which its successor shares', async () => {
      const { key, key_id } = await keyWith({ per_minute: 7 });
      const answers = await inTurn(6, () => me(key));
      const next = await auth().rotateApiKey({ key_id, overlap_days: 1 });
      expect(statusesOf([...answers, await me(next.key), await me(next.key)])).toEqual([...times(7, () => 200), 429]);
    });

    test('every operation for authenticated callers gives 429 beyond the limit', async () => {
      const { key } = await keyWith({ per_minute: 1 });
      await me(key);
      for (const { id, method, path, credential } of operations.filter(({ scopes }) => scopes !== 'public')) {
        const sent = credential === 'vault' ? { vaultKey: key } : { token: key };
        const answer = await api.request(method, path.replace(/\{[^}]+\}/g, 'x'), sent);
        expect([id, answer.status]).toEqual([id, 429]);
        expectLimited(answer, 1, 60);
      }
    });

    test('unauthenticated requests are not counted', async () => {
      expect((await me('sk_test_unknown')).headers).not.toHaveProperty('ratelimit');
      expect((await api.get('/livez')).headers).not.toHaveProperty('ratelimit');
    });
  });
});

describe('for failed sign-ins', () => {
  const api = startApi({ env: { RINGFENCE_TRUSTED_PROXIES: '127.0.0.1/32', LIMIT_FAILED_LOGINS_EVERYWHERE: '25' } });
  const sql = sqlOf(api.services);
  let other: Pick<TestApi, 'post'>;
  beforeAll(async () => {
    other = await api.another();
  });
  const login = (email: string, password = WRONG, at: Pick<TestApi, 'post'> = api) =>
    at.post(LOGIN, { body: { email, password } });
  const registered = async () => {
    const email = newEmail();
    const answer = await api.post('/api/v1/auth/register', { body: { email, password: PASSWORD } });
    expect(answer.status).toBe(201);
    return email;
  };
  const refusals = (count: number) => times(count, () => 401);

  describe('per account and place', () => {
    const from = (address: string, email: string, password = WRONG) =>
      api.post(LOGIN, { ...asIfFrom(address), body: { email, password } });
    // After wrong passwords from three networks, nobody can sign in to the account from a fourth.
    const lockedEverywhere = async (email: string) => {
      await inTurn(30, (attempt) => from(`203.0.113.${1 + (attempt % 3)}`, email));
      expectLimited(await from('203.0.113.4', email, PASSWORD), 25, 900);
    };

    test('a stranger who guesses is refused, and the owner on another network is not', async () => {
      const email = await registered();
      expect(statusesOf(await inTurn(10, () => from('203.0.113.1', email)))).toEqual(refusals(10));
      expectLimited(await from('203.0.113.1', email, PASSWORD), 10, 900);
      expect((await from('198.51.100.7', email, PASSWORD)).status).toBe(200);
    });

    test('attackers from many networks lock out new networks, but not a network that signed in before', async () => {
      const email = await registered();
      expect((await from('198.51.100.7', email, PASSWORD)).status).toBe(200);
      await lockedEverywhere(email);
      expect((await from('198.51.100.7', email, PASSWORD)).status).toBe(200);
      expect(statusesOf(await inTurn(10, () => from('198.51.100.7', email)))).toEqual(refusals(10));
      expectLimited(await from('198.51.100.7', email, PASSWORD), 10, 900);
      // An unknown account is refused in the same way.
      await lockedEverywhere(newEmail());
    });

    test('attackers from many networks do not lock out a browser that signed in before, on any network', async () => {
      const email = await registered();
      const { clientId } = await newClient(api.services, { redirectUris: ['https://app.example.org/callback'] });
      const asked = { client_id: clientId, redirect_uri: 'https://app.example.org/callback', response_type: 'code' };
      const path = `/api/v1/auth/authorize?${new URLSearchParams({ ...asked, scope: 'read:profile' }).toString()}`;
      const signIn = async (by: Visitor) =>
        (await by.submit(await by.get(path), '/api/v1/auth/sign-in', { email, password: PASSWORD })).status;
      const visitor = newVisitor(api);
      expect(await signIn(visitor)).toBe(303);
      await lockedEverywhere(email);
      await forgetNetworks(visitor, email);
      expect(await signIn(newVisitor(api))).toBe(429);
      visitor.cookies.delete('__Host-rf_session');
      expect(await signIn(visitor)).toBe(303);
    });

    // Afterwards only the browser is known.
    const forgetNetworks = async (visitor: Visitor, email: string) => {
      const found = 'select user_id from users where email_index = $1';
      const [user] = await sql.many<{ user_id: string }>(found, [emailIndexOf(api.services, email)]);
      const place = `${user!.user_id} browser ${visitor.cookies.get('__Host-rf_browser')!}`;
      const origin = api.services.keys.blindIndex('sign-in place', place);
      await sql.run('delete from sign_in_origins where origin <> $1', [origin]);
    };
  });

  describe('per account', () => {
    test('after 10 failed sign-ins it refuses, the right password too, at every process, whatever spelling is used', async () => {
      const email = await registered();
      const before = await sql.many(`select seq from audit_events where kind = 'sign-in.failed'`);
      const spelt = (i: number) => (i % 2 ? email.toUpperCase() : ` ${email}`);
      const failed = await inTurn(10, (i) => login(spelt(i), WRONG, i % 3 ? api : other));
      expect(statusesOf(failed)).toEqual(refusals(10));
      for (const at of [api, other]) {
        expectLimited(await login(email, WRONG, at), 10, 900);
        expectLimited(await login(email, PASSWORD, at), 10, 900);
      }
      expect((await login(await registered(), PASSWORD)).status).toBe(200);
      // Each checked failure is audited, and refused tries are not.
      const after = await sql.many(`select seq from audit_events where kind = 'sign-in.failed'`);
      expect(after.length - before.length).toBe(10);
      await sql.run('update rate_limits set expire = $1', [Date.now() - 1]);
      expect((await login(email, PASSWORD)).status).toBe(200);
    });

    test('an unknown address is refused in the same way, so that nobody learns which accounts exist', async () => {
      const told = ({ status, body }: TestAnswer) => {
        return { status, body: { ...body, instance: '', detail: '', retry_after: 0 } };
      };
      const account = await registered();
      const known = await inTurn(12, () => login(account));
      expect(statusesOf(known)).toEqual([...refusals(10), 429, 429]);
      const stranger = newEmail();
      expect((await inTurn(12, () => login(stranger))).map(told)).toEqual(known.map(told));
      // So is an account without a password.
      const without = await registered();
      await sql.run('update users set password_hash = null where email_index = $1', [
        emailIndexOf(api.services, without),
      ]);
      expect(told(await login(without, PASSWORD))).toEqual(told(known[0]!));
    });

    test('parallel guesses reveal no more than sequential ones: of 40 only 10 are answered, and the right one after them is not', async () => {
      const email = await registered();
      const answers = await Promise.all(times(40, (i) => login(email, `${WRONG} ${i}`)));
      expect(statusesOf(answers).filter((status) => status !== 429)).toEqual(refusals(10));
      expect((await login(email, PASSWORD)).status).toBe(429);
    });

    test('a successful sign-in neither counts nor resets the count, and existing sign-ins stay valid', async () => {
      const email = await registered();
      await inTurn(9, () => login(email));
      const [signedIn, ...more] = await inTurn(3, () => login(email, PASSWORD));
      expect(statusesOf([signedIn!, ...more])).toEqual([200, 200, 200]);
      expect(statusesOf([await login(email), await login(email, PASSWORD)])).toEqual([401, 429]);
      const { access_token: token, refresh_token } = signedIn!.body as Record<string, string>;
      expect((await api.get('/api/v1/auth/me', { token: token! })).status).toBe(200);
      expect((await api.post('/api/v1/auth/refresh', { body: { refresh_token } })).status).toBe(200);
    });
  });
});
