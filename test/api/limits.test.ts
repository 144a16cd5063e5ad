import { randomUUID } from 'node:crypto';
import { authActivities } from '../../activities/auth.ts';
import { startApi, type TestAnswer } from '../helpers/api.ts';
import { newClient, postForm, sqlOf, TOKEN } from '../helpers/oauth.ts';
import { emailIndexOf } from '../../activities/auth/register.ts';
import { newVisitor, type Visitor } from '../helpers/visitor.ts';
import { HERE } from '../helpers/here.ts';

const PASSWORD = 'a long enough passphrase';
const WRONG = 'another long passphrase';
const LOGIN = '/api/v1/auth/login';

let counter = 0;
const newEmail = () => `limited-${(counter += 1)}-${randomUUID().slice(0, 8)}@example.org`;
const statusesOf = (answers: readonly TestAnswer[]) => answers.map(({ status }) => status);
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

function expectLimited({ status, headers }: TestAnswer, quota: number, windowS: number) {
  expect(status).toBe(429);
  const seconds = Number(headers['retry-after']);
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(windowS);
  expect(headers.ratelimit).toBe(`"default";r=0;t=${seconds}`);
  expect(headers['ratelimit-policy']).toBe(`"default";q=${quota};w=${windowS}`);
}

describe('per address and operation', () => {
  const api = startApi({ env: { LIMIT_CREDENTIALS_PER_MINUTE: '5', LIMIT_TOKENS_PER_MINUTE: '7' } });
  const sql = sqlOf(api.services);
  let other: Pick<typeof api, 'post'>;
  beforeAll(async () => {
    other = await api.another();
  });
  beforeEach(async () => {
    await sql.run('delete from rate_limits');
  });
  const login = (at: Pick<typeof api, 'post'> = api, more: object = {}) =>
    at.post(LOGIN, { body: { email: newEmail(), password: WRONG }, ...more });

  test('the limit holds for two processes together', async () => {
    const answers: TestAnswer[] = [];
    for (const at of [api, other, api, other, api, other, api]) answers.push(await login(at));
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
    expect((await login()).status).toBe(429);
    const register = await api.post('/api/v1/auth/register', { body: { email: newEmail(), password: PASSWORD } });
    expect(register.status).toBe(201);
    expect((await api.get('/livez')).status).toBe(200);
    expect((await api.get('/.well-known/oauth-authorization-server')).status).toBe(200);
  });

  test('each address has its own count, as a trusted proxy reports it', async () => {
    const from = (address: string) => login(api, { proxiedFrom: '127.0.0.1', headers: { 'x-forwarded-for': address } });
    for (let i = 0; i < 5; i += 1) expect((await from('203.0.113.7')).status).toBe(401);
    expect((await from('203.0.113.7')).status).toBe(429);
    expect((await from('203.0.113.8')).status).toBe(401);
    for (let i = 0; i < 5; i += 1) expect((await from(`2001:db8:1:2::${i}`)).status).toBe(401);
    expect((await from('2001:db8:1:2:ffff::1')).status).toBe(429);
    expect((await from('2001:db8:1:3::1')).status).toBe(401);
  });

  test('the /64 networks of one IPv6 /48 together have eight times the limit', async () => {
    const from = (address: string) => login(api, { proxiedFrom: '127.0.0.1', headers: { 'x-forwarded-for': address } });
    const answers: TestAnswer[] = [];
    for (let i = 0; i < 41; i += 1) answers.push(await from(`2001:db8:48:${i}::1`));
    expect(statusesOf(answers.slice(0, 40))).toEqual(Array.from({ length: 40 }, () => 401));
    expectLimited(answers[40]!, 40, 60);
    expect((await from('2001:db8:49::1')).status).toBe(401);
    for (let i = 0; i < 41; i += 1) expect((await from(`198.51.100.${i}`)).status).toBe(401);
  });

  test('an untrusted address cannot claim another address', async () => {
    const answers: TestAnswer[] = [];
    for (let i = 0; i < 6; i += 1) answers.push(await login(api, { headers: { 'x-forwarded-for': `203.0.113.${i}` } }));
    expect(statusesOf(answers)).toEqual([401, 401, 401, 401, 401, 429]);
  });

  test('malformed requests count too', async () => {
    for (let i = 0; i < 5; i += 1) expect((await api.post(LOGIN, { body: '{' })).status).toBe(400);
    expect((await api.post(LOGIN, { body: '{' })).status).toBe(429);
  });

  test('after the minute requests are accepted again', async () => {
    await Promise.all(times(6, () => login()));
    expect((await login()).status).toBe(429);
    await sql.run('update rate_limits set expire = $1', [Date.now() - 1]);
    expect((await login()).status).toBe(401);
  });

  test('callers are stored only as fingerprints', async () => {
    await login();
    const rows = JSON.stringify(await sql.many('select t::text from rate_limits t'));
    expect(rows).not.toMatch(/127\.0\.0\.1|::1|limited-/);
  });

  test('the token endpoint refuses in the form of RFC 6749', async () => {
    const { clientId } = await newClient(api.services);
    const fields = { grant_type: 'refresh_token', refresh_token: 'x', client_id: clientId };
    for (let i = 0; i < 7; i += 1) expect((await postForm(api, TOKEN, fields)).status).toBe(400);
    const answer = await postForm(api, TOKEN, fields);
    expectLimited(answer, 7, 60);
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
    expect(answer.body).toEqual({
      error: 'temporarily_unavailable',
      error_description: expect.stringContaining('Too many requests') as string,
    });
    for (const path of ['revoke', 'introspect']) {
      for (let i = 0; i < 7; i += 1) await postForm(api, `/api/v1/auth/${path}`, { token: 'x' });
      expectLimited(await postForm(api, `/api/v1/auth/${path}`, { token: 'x' }), 7, 60);
    }
  });

  test('introspection with the right secret does not count, because servers ask about every request', async () => {
    const { clientId: client_id, secret: client_secret } = await newClient(api.services);
    for (let i = 0; i < 9; i += 1) {
      const asked = await postForm(api, '/api/v1/auth/introspect', { token: 'x', client_id, client_secret });
      expect(asked).toMatchObject({ status: 200, body: { active: false } });
    }
  });

  test('pages show the refusal in HTML', async () => {
    const path = '/api/v1/auth/sign-in/sip_x';
    for (let i = 0; i < 7; i += 1) expect((await api.get(path, { headers: { accept: 'text/html' } })).status).toBe(404);
    const answer = await api.get(path, { headers: { accept: 'text/html' } });
    expectLimited(answer, 7, 60);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
  });
});

describe('per authenticated caller', () => {
  const api = startApi({ env: { LIMIT_KEY_PER_MINUTE: '5', LIMIT_PERSON_PER_MINUTE: '3' } });
  const me = (token: string) => api.get('/api/v1/auth/me', { token });
  const keyWith = async (given: { per_minute?: number } = {}) =>
    authActivities(api.services).issueApiKey({ app_id: await api.application(), scopes: ['read:profile'], ...given });

  test('each response to a key states the remaining requests, even refusals', async () => {
    const { key } = await keyWith();
    const forbidden = await api.get('/api/v1/allocations/vaults/emp-1', { token: key });
    expect(forbidden).toMatchObject({
      status: 403,
      headers: {
        ratelimit: expect.stringMatching(/^"default";r=4;t=\d+$/) as string,
        'ratelimit-policy': '"default";q=5;w=60',
      },
    });
    const answers: TestAnswer[] = [];
    for (let call = 0; call < 5; call += 1) answers.push(await me(key));
    expect(statusesOf(answers)).toEqual([200, 200, 200, 200, 429]);
    expect(answers.slice(0, 4).map(({ headers }) => String(headers.ratelimit).split(';')[1])).toEqual([
      'r=3',
      'r=2',
      'r=1',
      'r=0',
    ]);
    expectLimited(answers[4]!, 5, 60);
  });

  test('of many simultaneous requests the limit is accepted, and other callers are not affected', async () => {
    const { key } = await keyWith();
    const answers = await Promise.all(times(20, () => me(key)));
    expect(statusesOf(answers).filter((status) => status === 200)).toHaveLength(5);
    expect((await me((await keyWith()).key)).status).toBe(200);
  });

  test('a person has their own limit, which a new sign-in does not reset', async () => {
    const { token, email, password } = await api.registerUser();
    expect(statusesOf([await me(token), await me(token)])).toEqual([200, 200]);
    const { access_token } = await authActivities(api.services).login({ from: HERE, email, password });
    expect(statusesOf([await me(access_token), await me(access_token)])).toEqual([200, 429]);
  });

  test('a key can have a different limit, which its successor shares', async () => {
    const { key, key_id } = await keyWith({ per_minute: 7 });
    const answers = [];
    for (let call = 0; call < 6; call += 1) answers.push(await me(key));
    const next = await authActivities(api.services).rotateApiKey({ key_id, overlap_days: 1 });
    expect(statusesOf([...answers, await me(next.key), await me(next.key)])).toEqual([...times(7, () => 200), 429]);
  });

  test('unauthenticated requests are not counted', async () => {
    expect((await me('sk_test_unknown')).headers).not.toHaveProperty('ratelimit');
    expect((await api.get('/livez')).headers).not.toHaveProperty('ratelimit');
  });
});

describe('per account and place', () => {
  const api = startApi({ env: { RINGFENCE_TRUSTED_PROXIES: '127.0.0.1/32', LIMIT_FAILED_LOGINS_EVERYWHERE: '25' } });
  const from = (address: string, email: string, password = WRONG) =>
    api.post(LOGIN, {
      proxiedFrom: '127.0.0.1',
      headers: { 'x-forwarded-for': address },
      body: { email, password },
    });
  const registered = async () => {
    const email = newEmail();
    await api.post('/api/v1/auth/register', { body: { email, password: PASSWORD } });
    return email;
  };
  // After wrong passwords from three networks, nobody can sign in to the account from a fourth.
  const lockedEverywhere = async (email: string) => {
    for (const network of ['203.0.113.1', '203.0.113.2', '203.0.113.3']) {
      for (let attempt = 0; attempt < 10; attempt += 1) await from(network, email);
    }
    expectLimited(await from('203.0.113.4', email, PASSWORD), 25, 900);
  };

  test('a stranger who guesses is refused, and the owner on another network is not', async () => {
    const email = await registered();
    for (let attempt = 0; attempt < 10; attempt += 1) expect((await from('203.0.113.1', email)).status).toBe(401);
    expectLimited(await from('203.0.113.1', email, PASSWORD), 10, 900);
    expect((await from('198.51.100.7', email, PASSWORD)).status).toBe(200);
  });

  test('attackers from many networks lock out new networks, but not a network that signed in before', async () => {
    const email = await registered();
    expect((await from('198.51.100.7', email, PASSWORD)).status).toBe(200);
    await lockedEverywhere(email);
    expect((await from('198.51.100.7', email, PASSWORD)).status).toBe(200);
    for (let attempt = 0; attempt < 10; attempt += 1) expect((await from('198.51.100.7', email)).status).toBe(401);
    expectLimited(await from('198.51.100.7', email, PASSWORD), 10, 900);
  });

  test('attackers from many networks do not lock out a browser that signed in before, on any network', async () => {
    const email = await registered();
    const { clientId } = await newClient(api.services, { redirectUris: ['https://app.example.org/callback'] });
    const asked = { client_id: clientId, redirect_uri: 'https://app.example.org/callback', response_type: 'code' };
    const path = `/api/v1/auth/authorize?${new URLSearchParams({ ...asked, scope: 'read:profile' }).toString()}`;
    const SIGN_IN = '/api/v1/auth/sign-in';
    const visitor = newVisitor(api);
    expect((await visitor.submit(await visitor.get(path), SIGN_IN, { email, password: PASSWORD })).status).toBe(303);
    await lockedEverywhere(email);
    // Now only the browser is known.
    await sqlOf(api.services).run('delete from sign_in_origins where origin <> all($1)', [
      await originsOfBrowser(visitor, email),
    ]);
    const stranger = newVisitor(api);
    const refused = await stranger.submit(await stranger.get(path), SIGN_IN, { email, password: PASSWORD });
    expect(refused.status).toBe(429);
    visitor.cookies.delete('__Host-rf_session');
    const again = await visitor.submit(await visitor.get(path), SIGN_IN, { email, password: PASSWORD });
    expect(again.status).toBe(303);
  });

  // An array in PostgreSQL's text form.
  const originsOfBrowser = async (visitor: Visitor, email: string) => {
    const [user] = await sqlOf(api.services).many<{ user_id: string }>(
      'select user_id from users where email_index = $1',
      [emailIndexOf(api.services, email)],
    );
    const browser = visitor.cookies.get('__Host-rf_browser')!;
    return [api.services.keys.blindIndex('sign-in place', `${user!.user_id} browser ${browser}`)];
  };

  test('an unknown account is refused in the same way', async () => {
    await lockedEverywhere(newEmail());
  });
});

describe('per account', () => {
  const api = startApi();
  const sql = sqlOf(api.services);
  let other: Pick<typeof api, 'post'>;
  beforeAll(async () => {
    other = await api.another();
  });
  const login = (email: string, password = WRONG, at: Pick<typeof api, 'post'> = api) =>
    at.post(LOGIN, { body: { email, password } });
  const registered = async () => {
    const email = newEmail();
    expect(await api.post('/api/v1/auth/register', { body: { email, password: PASSWORD } })).toHaveProperty(
      'status',
      201,
    );
    return email;
  };

  test('after 10 failed sign-ins it refuses, the right password too, at every process, whatever spelling is used', async () => {
    const email = await registered();
    for (let i = 0; i < 10; i += 1) {
      const spelling = i % 2 ? email.toUpperCase() : ` ${email}`;
      expect(await login(spelling, WRONG, i % 3 ? api : other)).toHaveProperty('status', 401);
    }
    for (const at of [api, other]) {
      expectLimited(await login(email, WRONG, at), 10, 900);
      expectLimited(await login(email, PASSWORD, at), 10, 900);
    }
    expect(await login(await registered(), PASSWORD)).toHaveProperty('status', 200);
  });

  test('an unknown address is refused in the same way, so that nobody learns which accounts exist', async () => {
    const answersFor = async (email: string) => {
      const answers: TestAnswer[] = [];
      for (let i = 0; i < 12; i += 1) answers.push(await login(email));
      return answers;
    };
    const known = await answersFor(await registered());
    const unknown = await answersFor(newEmail());
    expect(statusesOf(known)).toEqual([...times(10, () => 401), 429, 429]);
    const told = ({ status, body }: TestAnswer) => ({
      status,
      body: { ...body, instance: '', detail: '', retry_after: 0 },
    });
    expect(unknown.map(told)).toEqual(known.map(told));
  });

  test('parallel guesses reveal no more than sequential ones: of 40 only 10 are answered, and the right one after them is not', async () => {
    for (let round = 0; round < 2; round += 1) {
      const email = await registered();
      const answers = await Promise.all(times(40, (i) => login(email, `${WRONG} ${i}`)));
      expect(statusesOf(answers).filter((status) => status !== 429)).toEqual(times(10, () => 401));
      expect(await login(email, PASSWORD)).toHaveProperty('status', 429);
    }
  });

  test('a successful sign-in neither counts nor resets the count', async () => {
    const email = await registered();
    for (let i = 0; i < 9; i += 1) await login(email);
    for (let i = 0; i < 3; i += 1) expect(await login(email, PASSWORD)).toHaveProperty('status', 200);
    expect(await login(email)).toHaveProperty('status', 401);
    expect(await login(email, PASSWORD)).toHaveProperty('status', 429);
  });

  test('existing sign-ins stay valid', async () => {
    const email = await registered();
    const { body } = await login(email, PASSWORD);
    for (let i = 0; i < 11; i += 1) await login(email);
    expect(await api.get('/api/v1/auth/me', { token: body.access_token })).toHaveProperty('status', 200);
    const refresh = await api.post('/api/v1/auth/refresh', { body: { refresh_token: body.refresh_token } });
    expect(refresh.status).toBe(200);
  });

  test('after 15 minutes sign-ins are possible again', async () => {
    const email = await registered();
    for (let i = 0; i < 11; i += 1) await login(email);
    expect(await login(email, PASSWORD)).toHaveProperty('status', 429);
    await sql.run('update rate_limits set expire = $1', [Date.now() - 1]);
    expect(await login(email, PASSWORD)).toHaveProperty('status', 200);
  });

  test('each checked failure is audited, but refused tries are not', async () => {
    const email = await registered();
    const before = await sql.many(`select event_id from audit_events where kind = 'sign-in.failed'`);
    for (let i = 0; i < 15; i += 1) await login(email);
    const after = await sql.many(`select event_id from audit_events where kind = 'sign-in.failed'`);
    expect(after.length - before.length).toBe(10);
  });

  test('an account without a password looks like an unknown account', async () => {
    const email = await registered();
    await sql.run('update users set password_hash = null');
    const [without, none] = [await login(email, PASSWORD), await login(newEmail(), PASSWORD)];
    expect(without.status).toBe(401);
    expect({ ...without.body, instance: '' }).toEqual({ ...none.body, instance: '' });
  });
});
