import { authActivities } from '../../activities/auth.ts';
import { LOGIN_SCOPES, type Scope } from '../../domain/auth.ts';
import {
  newAccessToken,
  newAuthorizationCode,
  newClientSecret,
  newRefreshToken,
} from '../../infra/keys/credentials.ts';
import { startApi, type TestAnswer } from '../helpers/api.ts';
import {
  basic,
  byPost,
  codeGrant,
  newClient,
  newCode,
  newPkce,
  postForm,
  redeem,
  REDIRECT_URI,
  sqlOf,
  TOKEN,
  type CodeParts,
  type TestClient,
} from '../helpers/oauth.ts';
import { HERE } from '../helpers/here.ts';
import { ownerSql } from '../helpers/owner.ts';

const api = startApi();
const { services } = api;
const sql = sqlOf(services);

let user: { userId: string; token: string };
let client: TestClient;
let publicClient: TestClient;

beforeAll(async () => {
  user = await api.registerUser();
  client = await newClient(services);
  publicClient = await newClient(services, { isPublic: true });
});

type Fields = Record<string, string>;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'content-type': 'application/json' };

const codeFor = ({ clientId }: TestClient, parts: Partial<CodeParts> = {}) =>
  newCode(services, { clientId, userId: user.userId, ...parts });
const token = (fields: Fields | [string, string][], headers?: Fields) => postForm(api, TOKEN, fields, headers);
const exchange = (code: string, more: Fields = {}, of = client) => redeem(api, of, code, more);
const refreshGrant = (refreshToken: string) => ({ grant_type: 'refresh_token', refresh_token: refreshToken });
const refresh = (refreshToken: string, more: Fields = {}) =>
  token({ ...refreshGrant(refreshToken), client_id: client.clientId, ...more });

async function granted(of = client, parts: Partial<CodeParts> = {}) {
  const { status, body } = await exchange(await codeFor(of, parts), {}, of);
  expect(status).toBe(200);
  return body as { access_token: string; refresh_token: string; scope: string };
}

const works = async (accessToken: string) => (await api.get('/api/v1/auth/me', { token: accessToken })).status === 200;
const eventsOf = (kind: string) =>
  sql.many<{ subject: string; actor: string; data: Record<string, unknown> }>(
    'select subject, actor, data from audit_events where kind = $1 order by seq desc limit 5',
    [kind],
  );

function expectRefusal({ status, headers, body }: TestAnswer, error: string, expected = 400) {
  expect({ status, error: body.error }).toEqual({ status: expected, error });
  expect(Object.keys(body)).toEqual(['error', 'error_description']);
  expect(body.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,1000}$/);
  expect(body.error_description).not.toMatch(/ {2}|\.\./);
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'cache-control': 'no-store',
    pragma: 'no-cache',
  });
  for (const name of ['x-injected', 'set-cookie']) expect(headers).not.toHaveProperty(name);
}

// A refusal must change none of these counts.
const stored = async () => {
  const [row] = await sql.many<{ families: number; tokens: number; used: number; ended: number }>(
    `select (select count(*) from token_families) as families, (select count(*) from access_tokens) as tokens,
            (select count(*) from authorization_codes where used_at is not null) as used,
            (select count(*) from token_families where ended_at is not null) as ended`,
  );
  return row;
};

describe('exchangeToken', () => {
  describe('200', () => {
    test('a code gives a token set that must not be cached, with the scopes of the consent', async () => {
      const code = await codeFor(client, { scopes: ['read:profile', 'write:debt'] });
      const { status, headers, body } = await exchange(code);
      expect(status).toBe(200);
      expect(body).toEqual({
        access_token: expect.stringMatching(/^rf_at_[\w-]{43}$/) as string,
        refresh_token: expect.stringMatching(/^rf_rt_[\w-]{43}$/) as string,
        token_type: 'bearer',
        expires_in: 3600,
        scope: 'read:profile write:debt',
      });
      expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
      const me = await api.get('/api/v1/auth/me', { token: body.access_token });
      expect(me).toMatchObject({
        status: 200,
        body: { user_id: user.userId, scopes: ['read:profile', 'write:debt'] },
      });
      expect(await api.get('/api/v1/payments', { token: body.access_token })).toMatchObject({ status: 403 });
      const [event] = await eventsOf('authorization-code.redeemed');
      expect(event).toMatchObject({ subject: user.userId, data: { client_id: client.clientId } });
    });

    test('the client by HTTP Basic, form-encoded or plain, with or without its id in the body', async () => {
      const plain = `Basic ${Buffer.from(`${client.clientId}:${client.secret}`).toString('base64')}`;
      const escaped = [client.clientId, client.secret].map((part) =>
        part.replace(/./g, (character) => `%${character.charCodeAt(0).toString(16)}`),
      );
      const everyByteEncoded = `Basic ${Buffer.from(escaped.join(':')).toString('base64')}`;
      for (const authorization of [basic(client), plain, plain.replace('Basic', 'basic'), everyByteEncoded])
        for (const extra of [{}, { client_id: client.clientId }] as Fields[]) {
          const answer = await token({ ...codeGrant(await codeFor(client)), ...extra }, { authorization });
          expect(answer).toMatchObject({ status: 200 });
        }
    });

    test('a public client by its id, with the verifier and challenge of RFC 7636, appendix B', async () => {
      const code = await codeFor(publicClient, { challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' });
      const code_verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
      const answer = await token({ ...codeGrant(code), client_id: publicClient.clientId, code_verifier });
      expect(answer).toMatchObject({ status: 200 });
    });

    test('JSON as well; parameters that are unknown, or have no value, are ignored', async () => {
      const empty = { code_verifier: '', refresh_token: '', scope: '' };
      const unknown = { audience: 'https://api.example.org', resource: 'x', __proto__: 'x', constructor: 'x' };
      expect(await exchange(await codeFor(client), { ...empty, ...unknown })).toMatchObject({ status: 200 });
      const json = { ...codeGrant(await codeFor(client)), ...byPost(client), extra: { nested: [1, null] } };
      expect(await api.post(TOKEN, { body: json })).toMatchObject({ status: 200, body: { token_type: 'bearer' } });
    });

    test('without the optional grant_type, the sent credential decides the grant', async () => {
      const { grant_type: _code, ...code } = codeGrant(await codeFor(client));
      const first = await token({ ...code, ...byPost(client) });
      expect(first).toMatchObject({ status: 200 });
      const second = await token({ refresh_token: first.body.refresh_token, client_id: client.clientId });
      expect(second).toMatchObject({ status: 200 });
      expectRefusal(await token(byPost(client)), 'invalid_request');
      expectRefusal(await token({ ...code, refresh_token: 'x', ...byPost(client) }), 'invalid_request');
    });
  });

  describe('the refresh grant', () => {
    test('accepts the client id without the secret, and rotates the token', async () => {
      const first = await granted();
      const second = await refresh(first.refresh_token);
      expect(second).toMatchObject({
        status: 200,
        headers: { 'cache-control': 'no-store', pragma: 'no-cache' },
        body: { scope: first.scope, expires_in: 3600, token_type: 'bearer' },
      });
      expect(second.body.refresh_token).not.toBe(first.refresh_token);
      expect(await works(second.body.access_token)).toBe(true);
    });

    test('retries and parallel tabs get the same successor, here and at POST /auth/refresh', async () => {
      const { refresh_token } = await granted();
      const answers = await Promise.all([
        refresh(refresh_token),
        token(refreshGrant(refresh_token), { authorization: basic(client) }),
        api.post('/api/v1/auth/refresh', { body: { refresh_token, client_id: client.clientId } }),
      ]);
      for (const { status, body } of answers) expect({ status, body }).toEqual({ status: 200, body: answers[0].body });
    });

    test('a sent secret must be correct, and a public client must send none', async () => {
      const { refresh_token } = await granted();
      const before = await stored();
      const asPublic = { client_id: publicClient.clientId, client_secret: newClientSecret() };
      for (const more of [{ client_secret: newClientSecret() }, asPublic, { client_id: 'client_x' }] as Fields[])
        expectRefusal(await refresh(refresh_token, more), 'invalid_client', 401);
      expectRefusal(await token(refreshGrant(refresh_token)), 'invalid_client', 401);
      expect(await stored()).toEqual(before);
      expect(await refresh(refresh_token, byPost(client))).toMatchObject({ status: 200 });
    });

    test('scope may narrow the access token, for this once', async () => {
      const first = await granted(client, { scopes: ['read:profile', 'write:debt'] });
      const narrowed = await refresh(first.refresh_token, { scope: 'read:profile read:debt' });
      expect(narrowed).toMatchObject({ status: 200, body: { scope: 'read:profile read:debt' } });
      const me = await api.get('/api/v1/auth/me', { token: narrowed.body.access_token });
      expect(me.body.scopes).toEqual(['read:profile', 'read:debt']);
      const shown = await postForm(api, INTROSPECT, { token: narrowed.body.access_token, ...byPost(client) });
      expect(shown.body.scope).toBe('read:profile read:debt');
      const again = await refresh(narrowed.body.refresh_token);
      expect(again).toMatchObject({ status: 200, body: { scope: 'read:profile write:debt' } });
    });

    test.each(['read:profile write:payments', '  '])(
      'scope may not widen: %j, and the refresh token stays valid',
      async (scope) => {
        const first = await granted(client, { scopes: ['read:profile', 'write:debt'] });
        const before = await stored();
        expectRefusal(await refresh(first.refresh_token, { scope }), 'invalid_scope');
        expect(await stored()).toEqual(before);
        expect(await refresh(first.refresh_token)).toMatchObject({ status: 200 });
      },
    );
  });

  describe('401 invalid_client', () => {
    test('an unknown client and a wrong secret get the same words, and the code stays valid', async () => {
      const code = await codeFor(client);
      const before = await stored();
      const wrong = await exchange(code, { client_secret: newClientSecret() });
      const unknown = await exchange(code, { client_id: 'client_unknown' });
      expectRefusal(wrong, 'invalid_client', 401);
      expect(unknown.body).toEqual(wrong.body);
      expect(Object.keys(unknown.headers).sort()).toEqual(Object.keys(wrong.headers).sort());
      expect(wrong.headers['www-authenticate']).toBeUndefined();
      expectRefusal(await token(codeGrant(code)), 'invalid_client', 401);
      expect(await stored()).toEqual(before);
      expect(await exchange(code)).toMatchObject({ status: 200 });
    });

    test('a confidential client without its secret, also where it sends a code_verifier', async () => {
      const { verifier, challenge } = newPkce();
      const code = await codeFor(client, { challenge });
      const request = { ...codeGrant(code), client_id: client.clientId };
      for (const more of [{}, { code_verifier: verifier }, { client_secret: '' }] as Fields[])
        expectRefusal(await token({ ...request, ...more }), 'invalid_client', 401);
    });

    test('a public client that sends a secret', async () => {
      const { verifier: code_verifier, challenge } = newPkce();
      const code = await codeFor(publicClient, { challenge });
      for (const client_secret of [newClientSecret(), 'x', ' '])
        expectRefusal(await exchange(code, { client_secret, code_verifier }, publicClient), 'invalid_client', 401);
    });

    test('by header, with a challenge in return', async () => {
      const code = await codeFor(client);
      const { clientId, secret } = client;
      const encoded = (text: string, encoding?: BufferEncoding) =>
        `Basic ${Buffer.from(text, encoding).toString('base64')}`;
      for (const authorization of [
        basic({ clientId, secret: newClientSecret() }),
        basic({ clientId: 'client_unknown', secret }),
        basic({ clientId, secret: '' }),
        basic({ clientId: '', secret }),
        encoded(clientId),
        encoded(`${clientId}:%zz`),
        encoded(`${clientId}:%0d%0aX-Injected: 1`),
        encoded('\xff:\xfe', 'latin1'),
        'Basic',
        'Basic !!!',
        `Bearer ${user.token}`,
        'Digest username="x"',
      ]) {
        const answer = await token(codeGrant(code), { authorization });
        expectRefusal(answer, 'invalid_client', 401);
        expect(answer.headers['www-authenticate']).toBe('Basic realm="ringfence"');
      }
      expect(await token(codeGrant(code), { authorization: basic(client) })).toMatchObject({ status: 200 });
    });
  });

  describe('400 invalid_request', () => {
    test('the client in the header and in the body at once', async () => {
      const code = codeGrant(await codeFor(client));
      const headers = { authorization: basic(client) };
      for (const twice of [byPost(client), { client_secret: 'x' }, { client_id: publicClient.clientId }] as Fields[])
        expectRefusal(await token({ ...code, ...twice }, headers), 'invalid_request');
      expect(await token(code, headers)).toMatchObject({ status: 200 });
    });

    test.each(['code', 'redirect_uri'])('without %s, and the code stays valid', async (name) => {
      const request = { ...codeGrant(await codeFor(client)), ...byPost(client) };
      const without = Object.fromEntries(Object.entries(request).filter(([key]) => key !== name));
      expectRefusal(await token(without), 'invalid_request');
      expectRefusal(await token({ ...request, [name]: '' }), 'invalid_request');
      expect(await token(request)).toMatchObject({ status: 200 });
    });

    const PARAMETERS = ['grant_type', 'code', 'client_id', 'client_secret', 'redirect_uri', 'code_verifier'];
    test.each([...PARAMETERS, 'refresh_token', 'scope'])(
      '%s twice; a header, a NUL, a lone surrogate or a non-text value in it reaches neither response nor tables',
      async (name) => {
        const request: Fields = { ...codeGrant(await codeFor(client)), ...byPost(client) };
        const value = request[name] ?? '';
        const before = await stored();
        const twice = [...Object.entries({ ...request, [name]: value || 'x' }), [name, value || 'x']];
        expectRefusal(await token(twice as [string, string][]), 'invalid_request');
        for (const evil of ['x\r\nX-Injected: 1', 'x\nSet-Cookie: a=b', 'x\0', '\u007f', 'x'.repeat(3_000)])
          expectRefusal(await token({ ...request, [name]: `${value}${evil}` }), 'invalid_request');
        for (const odd of [1, true, null, [], {}, ['x'], { $ne: null }])
          expectRefusal(await api.post(TOKEN, { body: { ...request, [name]: odd } }), 'invalid_request');
        const surrogate = JSON.stringify({ ...request, [name]: '?' }).replace('"?"', '"\\ud800"');
        expectRefusal(await api.post(TOKEN, { body: surrogate }), 'invalid_request');
        expect(await stored()).toEqual(before);
      },
    );

    test('a body that is no object of JSON, or no form in percent-encoded UTF-8; parameters in the query do not count', async () => {
      for (const body of ['[]', '"grant_type=authorization_code"', 'null', '{"grant_type":', ''])
        expectRefusal(await api.post(TOKEN, { body, headers: JSON_TYPE }), 'invalid_request');
      for (const body of ['grant_type=%', 'grant_type=%ff', 'code=%c3%28', '%=x', Buffer.from([0x61, 0x3d, 0xff])])
        expectRefusal(await api.post(TOKEN, { body, headers: FORM }), 'invalid_request');
      const query = new URLSearchParams({ ...codeGrant(await codeFor(client)), ...byPost(client) });
      expectRefusal(await postForm(api, `${TOKEN}?${query.toString()}`, {}), 'invalid_request');
    });
  });

  describe('400 unsupported_grant_type', () => {
    test.each([
      'password',
      'client_credentials',
      'implicit',
      'urn:ietf:params:oauth:grant-type:device_code',
      'Authorization_Code',
      'authorization_code ',
      '__proto__',
    ])('%s', async (grant_type) => {
      const before = await stored();
      const credentials = { username: 'ada@example.org', password: 'seven green lanterns' };
      expectRefusal(await exchange(await codeFor(client), { ...credentials, grant_type }), 'unsupported_grant_type');
      expectRefusal(await token({ grant_type, client_id: publicClient.clientId }), 'unsupported_grant_type');
      expect(await stored()).toEqual(before);
    });
  });

  describe('400 invalid_grant', () => {
    test('an unknown, truncated or forged code, and an access token', async () => {
      const code = await codeFor(client);
      const before = await stored();
      const spoilt = [code.slice(0, -1), `${code}A`, `${code} `, code.toUpperCase()];
      for (const forged of [newAuthorizationCode(), ...spoilt, user.token])
        expectRefusal(await exchange(forged), 'invalid_grant');
      expect(await stored()).toEqual(before);
    });

    test('a code that is older than 60 seconds, and one of a browser that has signed out since', async () => {
      expectRefusal(await exchange(await codeFor(client, { livesS: -1 })), 'invalid_grant');
      const sessionHash = await newSession('now()');
      expectRefusal(await exchange(await codeFor(client, { sessionHash })), 'invalid_grant');
    });

    test('the code of another client, which can still use it', async () => {
      const code = await codeFor(client);
      expectRefusal(await exchange(code, {}, await newClient(services)), 'invalid_grant');
      expect(await exchange(code)).toMatchObject({ status: 200 });
    });

    test.each([
      ['another one', 'https://app.example.org/other'],
      ['a slash more', `${REDIRECT_URI}/`],
      ['less of its query', REDIRECT_URI.split('?')[0]!],
      ['one percent-encoded', REDIRECT_URI.replace('callback', 'c%61llback')],
    ])('a redirect_uri that is not exactly the same: %s, and the code is used up', async (_what, redirect_uri) => {
      const code = await codeFor(client);
      expectRefusal(await exchange(code, { redirect_uri }), 'invalid_grant');
      expectRefusal(await exchange(code), 'invalid_grant');
    });

    test('a challenge without a verifier, and the code is used up', async () => {
      const { verifier, challenge } = newPkce();
      const code = await codeFor(client, { challenge });
      expectRefusal(await exchange(code), 'invalid_grant');
      expectRefusal(await exchange(code, { code_verifier: verifier }), 'invalid_grant');
    });

    test('a verifier for a code without a challenge, as in a PKCE downgrade', async () => {
      const code = await codeFor(client);
      expectRefusal(await exchange(code, { code_verifier: newPkce().verifier }), 'invalid_grant');
    });

    test.each([
      ['another verifier', 'a'.repeat(43), 'invalid_grant'],
      ['the challenge itself', 'challenge', 'invalid_grant'],
      ['none, for a code without a challenge', '', 'invalid_grant'],
      ['one that is too short', 'a'.repeat(42), 'invalid_request'],
      ['one that is too long', 'a'.repeat(129), 'invalid_request'],
      ['one of other characters', `${'a'.repeat(43)}+`, 'invalid_request'],
    ])('the verifier of a public client is %s', async (_what, given, error) => {
      const { challenge } = newPkce();
      const code = await codeFor(publicClient, given === '' ? {} : { challenge });
      const code_verifier = given === 'challenge' ? challenge : given;
      expectRefusal(await exchange(code, { code_verifier }, publicClient), error);
    });

    test('a second use of a code ends the tokens of the first, audited', async () => {
      const code = await codeFor(client);
      const first = await exchange(code);
      expect(await works(first.body.access_token)).toBe(true);
      expectRefusal(await exchange(code), 'invalid_grant');
      expect(await works(first.body.access_token)).toBe(false);
      expectRefusal(await refresh(first.body.refresh_token), 'invalid_grant');
      const [event] = await eventsOf('authorization-code.reused');
      expect(event).toMatchObject({ subject: user.userId, data: { client_id: client.clientId } });
      expectRefusal(await exchange(code), 'invalid_grant');
    });

    test.each<[string, (code: string) => Promise<TestAnswer>]>([
      ['by another client', async (code) => exchange(code, {}, await newClient(services))],
      ['with another redirect_uri', (code) => exchange(code, { redirect_uri: 'https://evil.example/' })],
      [
        'after expiry',
        async (code) => {
          await sql.run(
            `update authorization_codes set expires_at = now() - interval '1 hour' where used_at is not null`,
          );
          return exchange(code);
        },
      ],
    ])('a second use %s ends them too', async (_how, use) => {
      const code = await codeFor(client);
      const first = await exchange(code);
      expectRefusal(await use(code), 'invalid_grant');
      expect(await works(first.body.access_token)).toBe(false);
    });
  });

  test('413 for a body that is too large, and 415 for one that is neither a form nor JSON', async () => {
    const huge = { grant_type: 'x'.repeat(1_100_000) };
    expectRefusal(await token(huge), 'invalid_request', 413);
    expectRefusal(await api.post(TOKEN, { body: huge }), 'invalid_request', 413);
    for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/xml', '']) {
      const answer = await api.post(TOKEN, { body: 'grant_type=x', headers: { 'content-type': type } });
      expectRefusal(answer, 'invalid_request', 415);
    }
  });

  test('405 for GET: credentials do not belong in a URL', async () => {
    expect(await api.get(`${TOKEN}?grant_type=authorization_code`)).toMatchObject({ status: 405 });
  });
});

/** `endedAt` is SQL. @returns the session's hash */
async function newSession(endedAt: 'now()' | 'null'): Promise<string> {
  const hash = `session-${Math.random()}`;
  await sql.run(
    `insert into sessions (session_hash, user_id, created_at, expires_at, ended_at, signed_in_with)
     values ($1, $2, now(), now() + interval '1 hour', ${endedAt}, 'password')`,
    [hash, user.userId],
  );
  return hash;
}

const INTROSPECT = '/api/v1/auth/introspect';

describe('revokeToken', () => {
  const REVOKE = '/api/v1/auth/revoke';
  const revoke = (fields: Fields, headers?: Fields) => postForm(api, REVOKE, fields, headers);

  test('200 a refresh token ends with its access tokens, audited', async () => {
    const { access_token, refresh_token } = await granted();
    const answer = await revoke({ token: refresh_token, ...byPost(client) });
    expect(answer).toMatchObject({ status: 200, text: '', headers: { 'cache-control': 'no-store' } });
    expect(await works(access_token)).toBe(false);
    expectRefusal(await refresh(refresh_token), 'invalid_grant');
    const [event, ...earlier] = await eventsOf('refresh-token.revoked');
    expect(event).toMatchObject({ subject: user.userId, actor: client.clientId });
    // A repetition is not audited twice.
    expect(await revoke({ token: refresh_token, ...byPost(client) })).toMatchObject({ status: 200 });
    expect(await eventsOf('refresh-token.revoked')).toEqual([event, ...earlier]);
  });

  test('200 a used refresh token revokes its successors', async () => {
    const first = await granted();
    const second = await refresh(first.refresh_token);
    expect(await revoke({ token: first.refresh_token, ...byPost(client) })).toMatchObject({ status: 200 });
    expect(await works(second.body.access_token)).toBe(false);
  });

  test('200 revokes an access token alone', async () => {
    const { access_token, refresh_token } = await granted();
    expect(await revoke({ token: access_token }, { authorization: basic(client) })).toMatchObject({ status: 200 });
    expect(await works(access_token)).toBe(false);
    const next = await refresh(refresh_token);
    expect(await works(next.body.access_token)).toBe(true);
    expect((await eventsOf('access-token.revoked'))[0]).toMatchObject({ subject: user.userId, actor: client.clientId });
  });

  test('200 for any hint, and as JSON', async () => {
    for (const token_type_hint of ['access_token', 'refresh_token', 'nonsense', '']) {
      const { access_token, refresh_token } = await granted();
      expect(await revoke({ token: access_token, token_type_hint, ...byPost(client) })).toMatchObject({ status: 200 });
      expect(await works(access_token)).toBe(false);
      const body = { token: refresh_token, token_type_hint, ...byPost(client) };
      expect(await api.post(REVOKE, { body })).toMatchObject({ status: 200 });
      expectRefusal(await refresh(refresh_token), 'invalid_grant');
    }
  });

  test('200 a public client by its id', async () => {
    const { verifier, challenge } = newPkce();
    const code = await codeFor(publicClient, { challenge });
    const { access_token, refresh_token } = (await exchange(code, { code_verifier: verifier }, publicClient)).body;
    expect(await revoke({ token: refresh_token, client_id: publicClient.clientId })).toMatchObject({ status: 200 });
    expect(await works(access_token)).toBe(false);
  });

  test("200 without effect for a token that is unknown, of our own sign-in or another client's", async () => {
    const other = await newClient(services);
    const theirs = await granted();
    const { email, password } = await api.registerUser();
    const own = await authActivities(services).login({ from: HERE, email, password });
    const before = [await stored(), (await eventsOf('refresh-token.revoked')).length];
    const known = [theirs, own].flatMap((set) => [set.access_token, set.refresh_token]);
    for (const given of [newAccessToken(), newRefreshToken(), 'x', ...known])
      expect(await revoke({ token: given, ...byPost(other) })).toMatchObject({ status: 200, text: '' });
    expect([await stored(), (await eventsOf('refresh-token.revoked')).length]).toEqual(before);
    expect([await works(theirs.access_token), await works(own.access_token)]).toEqual([true, true]);
  });

  test('401 for a client with wrong authentication, and the token stays valid', async () => {
    const { access_token, refresh_token } = await granted();
    for (const fields of [
      {},
      { client_id: client.clientId },
      { client_id: client.clientId, client_secret: newClientSecret() },
      { client_id: 'client_unknown', client_secret: client.secret },
      { client_id: publicClient.clientId, client_secret: 'x' },
    ] as Fields[])
      expectRefusal(await revoke({ token: refresh_token, ...fields }), 'invalid_client', 401);
    const answer = await revoke({ token: refresh_token }, { authorization: `Bearer ${access_token}` });
    expectRefusal(answer, 'invalid_client', 401);
    expect(answer.headers['www-authenticate']).toBe('Basic realm="ringfence"');
    expect(await works(access_token)).toBe(true);
  });

  test('400 without a token, with two, or with a non-text token', async () => {
    for (const more of [{}, { token: '' }, { token: 'x\r\nX-Injected: 1' }] as Fields[])
      expectRefusal(await revoke({ ...byPost(client), ...more }), 'invalid_request');
    expectRefusal(await api.post(REVOKE, { body: { ...byPost(client), token: ['x'] } }), 'invalid_request');
    const body = `token=a&token=b&${new URLSearchParams(byPost(client)).toString()}`;
    expectRefusal(await api.post(REVOKE, { body, headers: FORM }), 'invalid_request');
  });
});

describe('introspectToken', () => {
  const introspect = (fields: Fields, headers?: Fields) => postForm(api, INTROSPECT, fields, headers);

  test('200 shows the scopes and lifetimes of the client’s tokens, without personal data', async () => {
    const { access_token, refresh_token } = await granted(client, { scopes: ['read:profile'] });
    const now = Math.floor(Date.now() / 1_000);
    const access = await introspect({ token: access_token, ...byPost(client) });
    expect(access).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(access.body).toEqual({
      active: true,
      scope: 'read:profile',
      client_id: client.clientId,
      token_type: 'bearer',
      exp: expect.any(Number) as number,
      iat: expect.any(Number) as number,
      sub: user.userId,
      iss: services.config.api.publicUrl,
    });
    expect(access.body.exp - access.body.iat).toBe(3600);
    expect(Math.abs(access.body.iat - now)).toBeLessThan(10);
    const refresh = await introspect({ token: refresh_token }, { authorization: basic(client) });
    expect(refresh.body).toMatchObject({ active: true, token_type: 'refresh_token', sub: user.userId });
    expect(refresh.body.exp - refresh.body.iat).toBe(30 * 86_400);
  });

  test('200 for any hint, and as JSON', async () => {
    const { access_token } = await granted();
    for (const token_type_hint of ['access_token', 'refresh_token', 'nonsense', '']) {
      const fields = { token: access_token, token_type_hint, ...byPost(client) };
      expect(await introspect(fields)).toMatchObject({ status: 200, body: { active: true } });
      expect(await api.post(INTROSPECT, { body: fields })).toMatchObject({ status: 200, body: { active: true } });
    }
  });

  test("200 inactive, and nothing else, for a token that is unknown, revoked, used, expired or another client's", async () => {
    const other = await newClient(services);
    const foreign = await granted(other);
    const ended = await granted();
    await postForm(api, '/api/v1/auth/revoke', { token: ended.refresh_token, ...byPost(client) });
    const spent = await granted();
    await refresh(spent.refresh_token);
    const expired = await granted();
    await ownerSql(
      services,
      `update access_tokens set expires_at = now() - interval '1 second'
        where family_id in (select family_id from token_families order by created_at desc limit 1)`,
    );
    const unknown = [newAccessToken(), newRefreshToken(), 'x', user.token, client.secret];
    const known = [foreign, ended].flatMap((set) => [set.access_token, set.refresh_token]);
    for (const given of [...unknown, ...known, spent.refresh_token, expired.access_token]) {
      const { status, text } = await introspect({ token: given, ...byPost(client) });
      expect({ status, text }).toEqual({ status: 200, text: '{"active":false}' });
    }
  });

  test('401 for an unauthenticated client, and for every public client', async () => {
    const { access_token } = await granted();
    for (const fields of [
      {},
      { client_id: client.clientId },
      { client_id: client.clientId, client_secret: newClientSecret() },
      { client_id: publicClient.clientId },
      { client_id: publicClient.clientId, client_secret: 'x' },
    ] as Fields[])
      expectRefusal(await introspect({ token: access_token, ...fields }), 'invalid_client', 401);
    const bearer = await introspect({ token: access_token }, { authorization: `Bearer ${access_token}` });
    expectRefusal(bearer, 'invalid_client', 401);
  });

  test('400 without a token', async () => {
    expectRefusal(await introspect(byPost(client)), 'invalid_request');
  });
});

describe('readAuthorizationServer', () => {
  test('200 gives the metadata of RFC 8414', async () => {
    const issuer = services.config.api.publicUrl;
    const { status, body } = await api.get('/.well-known/oauth-authorization-server');
    expect(status).toBe(200);
    expect(body).toEqual({
      issuer,
      authorization_endpoint: `${issuer}/api/v1/auth/authorize`,
      token_endpoint: `${issuer}/api/v1/auth/token`,
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
      revocation_endpoint: `${issuer}/api/v1/auth/revoke`,
      revocation_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
      introspection_endpoint: `${issuer}/api/v1/auth/introspect`,
      introspection_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      scopes_supported: LOGIN_SCOPES as Scope[],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      service_documentation: `${issuer}/docs`,
    });
  });
});

describe('logout', () => {
  test('204 revokes the tokens, but not the browser session of their consent', async () => {
    const sessionHash = await newSession('null');
    const { access_token } = await granted(client, { sessionHash });
    expect(await api.post('/api/v1/auth/logout', { token: access_token })).toMatchObject({ status: 204 });
    expect(await works(access_token)).toBe(false);
    const rows = await sql.many('select ended_at from sessions where session_hash = $1', [sessionHash]);
    expect(rows).toEqual([{ ended_at: null }]);
  });
});
