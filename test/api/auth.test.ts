import { newRefreshToken } from '../../infra/keys/credentials.ts';
import { startApi, type TestRequest } from '../helpers/api.ts';

const api = startApi();
const PASSWORD = 'seven green lanterns';
const AUTH = '/api/v1/auth';

let counter = 0;
const newEmail = () => `caller${(counter += 1)}@example.org`;

const request = (method: string, path: string, options?: TestRequest) => api.request(method, AUTH + path, options);
const get = (path: string, options?: TestRequest) => request('GET', path, options);
const post = (path: string, options?: TestRequest) => request('POST', path, options);
const register = (body: unknown, headers: Record<string, string> = {}) => post('/register', { body, headers });
const login = (body: unknown) => post('/login', { body });
const refresh = (body: unknown) => post('/refresh', { body });

async function signedIn() {
  const given = { email: newEmail(), password: PASSWORD };
  const { body: account } = await register(given);
  const { body: tokens } = await login(given);
  return { ...given, account, tokens, token: tokens.access_token };
}

const pointers = ({ errors }: { errors: { pointer: string }[] }) => errors.map(({ pointer }) => pointer);

describe('registerUser', () => {
  test('201 gives the account with the normalised address, never the password, which may have any characters', async () => {
    const given = { email: ' Ａda@Example.org\n', password: ' nul \u0000, bell \u0007, 😀 ' };
    const { status, body, headers, text } = await register(given);
    expect(status).toBe(201);
    expect(body).toEqual({
      user_id: expect.stringMatching(/^usr_/) as string,
      email: 'Ada@Example.org',
      created_at: expect.stringMatching(/Z$/) as string,
    });
    expect(headers['cache-control']).toBe('no-store');
    expect(text).not.toContain('bell');
    expect(await login(given)).toHaveProperty('status', 200);
  });

  test.each([
    [{ email: 'nobody', password: 'password1234' }, ['/email', '/password']],
    [{ email: 'nobody', password: PASSWORD, name: 'Ada' }, ['/email', '/name']],
    [{ email: 'ada@example.org\u0000', password: PASSWORD }, ['/email']],
    [{ email: newEmail(), password: 'x'.repeat(257) }, ['/password']],
    [{ email: newEmail(), password: '😀'.repeat(11) }, ['/password']],
    [{ email: 'long.enough@example.org', password: 'Long.Enough@example.org' }, ['/password']],
    [{ email: 1, password: null }, ['/email', '/password']],
  ])('400: %j is refused at %j', async (given, at) => {
    const { status, body, text } = await register(given);
    expect([status, body.code, pointers(body).toSorted()]).toEqual([400, 'invalid-request', at]);
    if (given.password !== null) expect(text).not.toContain(given.password);
  });
});

describe('login', () => {
  test('200 gives a token set that must not be cached', async () => {
    const { email } = await signedIn();
    const { status, body, headers } = await login({ email: ` ${email.toUpperCase()} `, password: PASSWORD });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      token_type: 'bearer',
      expires_in: 3600,
      scope: expect.stringContaining('write:payments') as string,
    });
    expect(headers['cache-control']).toBe('no-store');
  });

  test('401 for a wrong password and an unknown address, with the same response', async () => {
    const { email } = await signedIn();
    const wrong = await login({ email, password: `${PASSWORD}!` });
    const unknown = await login({ email: newEmail(), password: PASSWORD });
    expect(wrong).toMatchObject({ status: 401, body: { code: 'invalid-credentials' } });
    expect(wrong.headers['www-authenticate']).toBeDefined();
    expect({ ...unknown.body, instance: '' }).toEqual({ ...wrong.body, instance: '' });
    expect(Object.keys(unknown.headers).sort()).toEqual(Object.keys(wrong.headers).sort());
  });
});

describe('refreshTokens', () => {
  test('401 for an unknown token, and for another client, which ends the sign-in', async () => {
    const { tokens, token } = await signedIn();
    expect(await refresh({ refresh_token: newRefreshToken() })).toMatchObject({
      status: 401,
      body: { code: 'invalid-refresh-token' },
    });
    expect(await get('/me', { token })).toHaveProperty('status', 200);
    const stolen = await refresh({ refresh_token: tokens.refresh_token, client_id: 'client_x' });
    expect(stolen).toMatchObject({ status: 401, body: { code: 'invalid-refresh-token' } });
    expect(await get('/me', { token })).toMatchObject({ status: 401, body: { code: 'invalid-token' } });
  });

  test.each([{}, { refresh_token: 'a\u0000' }, { refresh_token: 'x'.repeat(257) }])('400 for %j', async (given) => {
    expect(await refresh(given)).toMatchObject({ status: 400, body: { code: 'invalid-request' } });
  });
});

describe('getProfile', () => {
  test('200 shows a user its account', async () => {
    const { account, tokens, token } = await signedIn();
    const { status, body } = await get('/me', { token });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...account,
      email_verified: false,
      scopes: tokens.scope.split(' '),
      buffer_rate: '0.10',
      authenticated_by: 'user',
    });
  });

  test('200 shows a key with read:profile its scopes', async () => {
    const { status, body } = await get('/me', { token: await api.apiKey(['read:profile', 'read:debt']) });
    expect(status).toBe(200);
    expect(body).toEqual({
      key_id: expect.stringMatching(/^key_/) as string,
      app_id: expect.stringMatching(/^app_/) as string,
      scopes: ['read:profile', 'read:debt'],
      environment: 'sandbox',
      authenticated_by: 'api_key',
    });
  });
});

describe('updateProfile', () => {
  test('200 changes the buffer rate', async () => {
    const { token } = await signedIn();
    const answer = await request('PATCH', '/me', { token, body: { buffer_rate: '0.1550' } });
    expect(answer).toMatchObject({ status: 200, body: { buffer_rate: '0.1550' } });
    expect(await get('/me', { token })).toHaveProperty('body.buffer_rate', '0.1550');
    for (const body of [{}, { buffer_rate: 0.1 }, { buffer_rate: '1.1' }, { email: 'x@example.org' }]) {
      const refused = await request('PATCH', '/me', { token, body });
      expect([body, refused.status, refused.body.code]).toEqual([body, 400, 'invalid-request']);
    }
  });

  test('403 for an API key, which has no account', async () => {
    const token = await api.apiKey(['write:profile']);
    expect(await request('PATCH', '/me', { token, body: { buffer_rate: '0.1' } })).toHaveProperty('status', 403);
  });
});

describe('logout', () => {
  test('204 ends the sign-in', async () => {
    const { token } = await signedIn();
    expect(await post('/logout', { token })).toMatchObject({ status: 204, text: '' });
    expect(await post('/logout', { token })).toHaveProperty('status', 401);
  });

  test('403 for an API key, which stays valid', async () => {
    const token = await api.apiKey(['read:profile']);
    expect(await post('/logout', { token })).toHaveProperty('status', 403);
    expect(await get('/me', { token })).toHaveProperty('status', 200);
  });
});
