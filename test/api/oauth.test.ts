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
  newClient,
  newCode,
  newPkce,
  postForm,
  REDIRECT_URI,
  sqlOf,
  TOKEN,
  type CodeParts,
  type TestClient,
} from '../helpers/oauth.ts';
import { HERE } from '../helpers/here.ts';

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

const codeFor = ({ clientId }: TestClient, parts: Partial<CodeParts> = {}) =>
  newCode(services, { clientId, userId: user.userId, ...parts });
const token = (fields: Record<string, string> | [string, string][], headers?: Record<string, string>) =>
  postForm(api, TOKEN, fields, headers);
const byPost = ({ clientId, secret }: TestClient) => ({ client_id: clientId, client_secret: secret });
const codeGrant = (code: string) => ({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI });
const refreshGrant = (refreshToken: string) => ({ grant_type: 'refresh_token', refresh_token: refreshToken });

async function granted(of = client, parts: Partial<CodeParts> = {}) {
  const { status, body } = await token({ ...codeGrant(await codeFor(of, parts)), ...byPost(of) });
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
      const { status, headers, body } = await token({
        ...codeGrant(await codeFor(client, { scopes: ['read:profile', 'write:debt'] })),
        ...byPost(client),
      });
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

    test('JSON as the specification shows it, with the client by its secret in the body', async () => {
      const body = { ...codeGrant(await codeFor(client)), ...byPost(client) };
      expect(await api.post(TOKEN, { body })).toMatchObject({ status: 200, body: { token_type: 'bearer' } });
    });

    test('the client by HTTP Basic, form-encoded or plain, with or without its id in the body', async () => {
      const plain = `Basic ${Buffer.from(`${client.clientId}:${client.secret}`).toString('base64')}`;
      for (const authorization of [basic(client), plain, plain.replace('Basic', 'basic')]) {
        for (const extra of [{}, { client_id: client.clientId }] as Record<string, string>[]) {
          const answer = await token({ ...codeGrant(await codeFor(client)), ...extra }, { authorization });
          expect(answer).toMatchObject({ status: 200 });
        }
      }
      const everyByteEncoded = [client.clientId, client.secret].map((part) =>
        part.replace(/./g, (character) => `%${character.charCodeAt(0).toString(16)}`),
      );
      const authorization = `Basic ${Buffer.from(everyByteEncoded.join(':')).toString('base64')}`;
      expect(await token(codeGrant(await codeFor(client)), { authorization })).toMatchObject({ status: 200 });
    });

    test('a public client by its id and its code verifier', async () => {
      const { verifier, challenge } = newPkce();
      const code = await codeFor(publicClient, { challenge });
      const answer = await token({
        ...codeGrant(code),
        client_id: publicClient.clientId,
        code_verifier: verifier,
      });
      expect(answer).toMatchObject({ status: 200 });
    });

    test('the verifier and challenge of RFC 7636, appendix B', async () => {
      const code = await codeFor(publicClient, { challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' });
      const code_verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
      const answer = await token({ ...codeGrant(code), client_id: publicClient.clientId, code_verifier });
      expect(answer).toMatchObject({ status: 200 });
    });

    test('a confidential client may use PKCE as well', async () => {
      const { verifier, challenge } = newPkce();
      const code = await codeFor(client, { challenge });
      expect(await token({ ...codeGrant(code), ...byPost(client), code_verifier: verifier })).toMatchObject({
        status: 200,
      });
    });

    test('parameters that are unknown, or have no value, are ignored', async () => {
      const answer = await token({
        ...codeGrant(await codeFor(client)),
        ...byPost(client),
        code_verifier: '',
        refresh_token: '',
        scope: '',
        audience: 'https://api.example.org',
        resource: 'x',
        __proto__: 'x',
        constructor: 'x',
      });
      expect(answer).toMatchObject({ status: 200 });
      const json = { ...codeGrant(await codeFor(client)), ...byPost(client), extra: { nested: [1, null] } };
      expect(await api.post(TOKEN, { body: json })).toMatchObject({ status: 200 });
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

    test('the token family stays linked to the browser session of the consent', async () => {
      const sessionHash = `session-${Math.random()}`;
      const { access_token } = await granted(client, { sessionHash });
      const rows = await sql.many('select client_id, user_id from token_families where session_hash = $1', [
        sessionHash,
      ]);
      expect(rows).toEqual([{ client_id: client.clientId, user_id: user.userId }]);
      expect(await works(access_token)).toBe(true);
    });
  });

  describe('the refresh grant', () => {
    test('accepts the client id without the secret, and rotates the token', async () => {
      const first = await granted();
      const second = await token({ ...refreshGrant(first.refresh_token), client_id: client.clientId });
      expect(second).toMatchObject({
        status: 200,
        body: { scope: first.scope, expires_in: 3600, token_type: 'bearer' },
      });
      expect(second.body.refresh_token).not.toBe(first.refresh_token);
      expect(second.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
      expect(await works(second.body.access_token)).toBe(true);
    });

    test('retries and parallel tabs get the same successor, here and at POST /auth/refresh', async () => {
      const { refresh_token } = await granted();
      const answers = await Promise.all([
        token({ ...refreshGrant(refresh_token), client_id: client.clientId }),
        token(refreshGrant(refresh_token), { authorization: basic(client) }),
        api.post('/api/v1/auth/refresh', { body: { refresh_token, client_id: client.clientId } }),
      ]);
      for (const { status, body } of answers) expect({ status, body }).toEqual({ status: 200, body: answers[0].body });
    });

    test('used again later it ends the sign-in with its access tokens, audited', async () => {
      const first = await granted();
      const second = await token({ ...refreshGrant(first.refresh_token), client_id: client.clientId });
      await sql.run(
        `update refresh_tokens set rotated_at = now() - interval '31 seconds' where rotated_at is not null`,
      );
      expectRefusal(await token({ ...refreshGrant(first.refresh_token), client_id: client.clientId }), 'invalid_grant');
      expect(await works(second.body.access_token)).toBe(false);
      expectRefusal(
        await token({ ...refreshGrant(second.body.refresh_token), client_id: client.clientId }),
        'invalid_grant',
      );
      expect((await eventsOf('refresh-token.reused'))[0]).toMatchObject({ subject: user.userId });
    });

    test('by another client it ends the sign-in', async () => {
      const first = await granted();
      expectRefusal(
        await token({ ...refreshGrant(first.refresh_token), client_id: publicClient.clientId }),
        'invalid_grant',
      );
      expect(await works(first.access_token)).toBe(false);
    });

    test('a token of our own sign-in belongs to no OAuth client', async () => {
      const { email, password } = await api.registerUser();
      const own = await authActivities(services).login({ from: HERE, email, password });
      expectRefusal(await token({ ...refreshGrant(own.refresh_token), ...byPost(client) }), 'invalid_grant');
      expect(await works(own.access_token)).toBe(false);
    });

    test('a sent secret must be correct, and a public client must send none', async () => {
      const { refresh_token } = await granted();
      const before = await stored();
      const wrong = { client_id: client.clientId, client_secret: newClientSecret() };
      expectRefusal(await token({ ...refreshGrant(refresh_token), ...wrong }), 'invalid_client', 401);
      const asPublic = { client_id: publicClient.clientId, client_secret: newClientSecret() };
      expectRefusal(await token({ ...refreshGrant(refresh_token), ...asPublic }), 'invalid_client', 401);
      expectRefusal(await token({ ...refreshGrant(refresh_token), client_id: 'client_x' }), 'invalid_client', 401);
      expectRefusal(await token(refreshGrant(refresh_token)), 'invalid_client', 401);
      expect(await stored()).toEqual(before);
      expect(await token({ ...refreshGrant(refresh_token), ...byPost(client) })).toMatchObject({ status: 200 });
    });

    test('scope may narrow the access token, for this once', async () => {
      const first = await granted(client, { scopes: ['read:profile', 'write:debt'] });
      const narrowed = await token({
        ...refreshGrant(first.refresh_token),
        client_id: client.clientId,
        scope: 'read:profile read:debt',
      });
      expect(narrowed).toMatchObject({ status: 200, body: { scope: 'read:profile read:debt' } });
      const me = await api.get('/api/v1/auth/me', { token: narrowed.body.access_token });
      expect(me.body.scopes).toEqual(['read:profile', 'read:debt']);
      const again = await token({ ...refreshGrant(narrowed.body.refresh_token), client_id: client.clientId });
      expect(again).toMatchObject({ status: 200, body: { scope: 'read:profile write:debt' } });
    });

    test.each(['write:payments', 'read:profile write:payments', 'nothing', 'read:profile,write:debt', '*', '  '])(
      'scope may not widen: %j, and the refresh token stays valid',
      async (scope) => {
        const first = await granted(client, { scopes: ['read:profile', 'write:debt'] });
        const before = await stored();
        const request = { ...refreshGrant(first.refresh_token), client_id: client.clientId };
        expectRefusal(await token({ ...request, scope }), 'invalid_scope');
        expect(await stored()).toEqual(before);
        expect(await token(request)).toMatchObject({ status: 200 });
      },
    );

    test('an unknown, truncated or forged token, an access token, and a code are refused, and nothing changes', async () => {
      const { refresh_token, access_token } = await granted();
      const before = await stored();
      const code = await codeFor(client);
      for (const forged of [
        newRefreshToken(),
        refresh_token.slice(0, -1),
        `${refresh_token}A`,
        ` ${refresh_token}`,
        refresh_token.toUpperCase(),
        access_token,
        code,
      ]) {
        expectRefusal(await token({ ...refreshGrant(forged), client_id: client.clientId }), 'invalid_grant');
      }
      expect(await stored()).toEqual(before);
    });

    test('without a refresh token', async () => {
      expectRefusal(await token({ grant_type: 'refresh_token', client_id: client.clientId }), 'invalid_request');
    });
  });

  describe('401 invalid_client', () => {
    const authorized = (authorization: string) => ({ authorization });

    test('an unknown client and a wrong secret get the same words, and the code stays valid', async () => {
      const code = await codeFor(client);
      const before = await stored();
      const wrong = await token({ ...codeGrant(code), client_id: client.clientId, client_secret: newClientSecret() });
      const unknown = await token({ ...codeGrant(code), client_id: 'client_unknown', client_secret: client.secret });
      expectRefusal(wrong, 'invalid_client', 401);
      expect(unknown.body).toEqual(wrong.body);
      expect(Object.keys(unknown.headers).sort()).toEqual(Object.keys(wrong.headers).sort());
      expect(wrong.headers['www-authenticate']).toBeUndefined();
      expect(await stored()).toEqual(before);
      expect(await token({ ...codeGrant(code), ...byPost(client) })).toMatchObject({ status: 200 });
    });

    test('a confidential client without its secret, also where it sends a code_verifier', async () => {
      const { verifier, challenge } = newPkce();
      const code = await codeFor(client, { challenge });
      const request = { ...codeGrant(code), client_id: client.clientId };
      expectRefusal(await token(request), 'invalid_client', 401);
      expectRefusal(await token({ ...request, code_verifier: verifier }), 'invalid_client', 401);
      expectRefusal(await token({ ...request, client_secret: '' }), 'invalid_client', 401);
    });

    test('a public client that sends a secret', async () => {
      const { verifier, challenge } = newPkce();
      const code = await codeFor(publicClient, { challenge });
      for (const secret of [newClientSecret(), 'x', ' ']) {
        const answer = await token({
          ...codeGrant(code),
          client_id: publicClient.clientId,
          client_secret: secret,
          code_verifier: verifier,
        });
        expectRefusal(answer, 'invalid_client', 401);
      }
    });

    test('by header, with a challenge in return', async () => {
      const code = await codeFor(client);
      for (const header of [
        basic({ clientId: client.clientId, secret: newClientSecret() }),
        basic({ clientId: 'client_unknown', secret: client.secret }),
        basic({ clientId: client.clientId, secret: '' }),
        basic({ clientId: '', secret: client.secret }),
        `Basic ${Buffer.from(client.clientId).toString('base64')}`,
        `Basic ${Buffer.from(`${client.clientId}:%zz`).toString('base64')}`,
        `Basic ${Buffer.from(`${client.clientId}:%00`).toString('base64')}`,
        `Basic ${Buffer.from(`${client.clientId}:%0d%0aX-Injected: 1`).toString('base64')}`,
        `Basic ${Buffer.from([0xff, 0x3a, 0xfe]).toString('base64')}`,
        'Basic',
        'Basic !!!',
        `Bearer ${user.token}`,
        'Digest username="x"',
      ]) {
        const answer = await token(codeGrant(code), authorized(header));
        expectRefusal(answer, 'invalid_client', 401);
        expect(answer.headers['www-authenticate']).toBe('Basic realm="ringfence"');
        expect(answer.headers['x-injected']).toBeUndefined();
      }
      expect(await token(codeGrant(code), authorized(basic(client)))).toMatchObject({ status: 200 });
    });

    test('no client at all', async () => {
      expectRefusal(await token(codeGrant(await codeFor(client))), 'invalid_client', 401);
    });
  });

  describe('400 invalid_request', () => {
    test('the client in the header and in the body at once', async () => {
      const code = await codeFor(client);
      const headers = { authorization: basic(client) };
      expectRefusal(await token({ ...codeGrant(code), ...byPost(client) }, headers), 'invalid_request');
      expectRefusal(await token({ ...codeGrant(code), client_secret: 'x' }, headers), 'invalid_request');
      const other = { ...codeGrant(code), client_id: publicClient.clientId };
      expectRefusal(await token(other, headers), 'invalid_request');
      expect(await token(codeGrant(code), headers)).toMatchObject({ status: 200 });
    });

    test.each(['code', 'redirect_uri'])('without %s, and the code stays valid', async (name) => {
      const request = { ...codeGrant(await codeFor(client)), ...byPost(client) };
      const without = Object.fromEntries(Object.entries(request).filter(([key]) => key !== name));
      expectRefusal(await token(without), 'invalid_request');
      expectRefusal(await token({ ...request, [name]: '' }), 'invalid_request');
      expect(await token(request)).toMatchObject({ status: 200 });
    });

    test.each([
      'grant_type',
      'code',
      'client_id',
      'client_secret',
      'redirect_uri',
      'code_verifier',
      'refresh_token',
      'scope',
      'unknown',
    ])('%s twice', async (name) => {
      const request = { ...codeGrant(await codeFor(client)), ...byPost(client) } as Record<string, string>;
      const value = request[name] ?? 'x';
      const before = await stored();
      const pairs = [...Object.entries({ ...request, [name]: value }), [name, value]] as [string, string][];
      expectRefusal(await token(pairs), 'invalid_request');
      expect(await stored()).toEqual(before);
    });

    const PARAMETERS = ['grant_type', 'code', 'client_id', 'client_secret', 'redirect_uri', 'code_verifier'];
    test.each([...PARAMETERS, 'refresh_token', 'scope'])(
      'a header, a NUL, a lone surrogate or a non-text value in %s reaches neither the response nor the tables',
      async (name) => {
        const request = { ...codeGrant(await codeFor(client)), ...byPost(client) } as Record<string, string>;
        const before = await stored();
        for (const evil of ['x\r\nX-Injected: 1', 'x\nSet-Cookie: a=b', 'x\0', '\u007f', 'x'.repeat(3_000)]) {
          const answer = await token({ ...request, [name]: `${request[name] ?? ''}${evil}` });
          expectRefusal(answer, 'invalid_request');
          expect(answer.headers).not.toHaveProperty('x-injected');
          expect(answer.headers).not.toHaveProperty('set-cookie');
        }
        for (const value of [1, true, null, [], {}, ['x'], { $ne: null }]) {
          expectRefusal(await api.post(TOKEN, { body: { ...request, [name]: value } }), 'invalid_request');
        }
        expectRefusal(
          await api.post(TOKEN, { body: JSON.stringify({ ...request, [name]: '?' }).replace('"?"', '"\\ud800"') }),
          'invalid_request',
        );
        expect(await stored()).toEqual(before);
      },
    );

    test.each([
      ['a list', '[]'],
      ['text', '"grant_type=authorization_code"'],
      ['null', 'null'],
      ['half of it', '{"grant_type":'],
      ['nothing', ''],
    ])('a JSON body that is %s', async (_what, body) => {
      expectRefusal(
        await api.post(TOKEN, { body, headers: { 'content-type': 'application/json' } }),
        'invalid_request',
      );
    });

    test('a form that is not percent-encoded UTF-8', async () => {
      for (const body of ['grant_type=%', 'grant_type=%ff', 'code=%c3%28', '%=x']) {
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        expectRefusal(await api.post(TOKEN, { body, headers }), 'invalid_request');
      }
      expectRefusal(
        await api.post(TOKEN, {
          body: Buffer.from([0x61, 0x3d, 0xff]),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        }),
        'invalid_request',
      );
    });

    test('parameters in the query are ignored', async () => {
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
      'urn:ietf:params:oauth:grant-type:jwt-bearer',
      'Authorization_Code',
      'authorization_code ',
      '__proto__',
      'constructor',
    ])('%s', async (grant_type) => {
      const before = await stored();
      const credentials = { username: 'ada@example.org', password: 'seven green lanterns' };
      const request = { ...codeGrant(await codeFor(client)), ...byPost(client), ...credentials, grant_type };
      expectRefusal(await token(request), 'unsupported_grant_type');
      expectRefusal(await token({ grant_type, client_id: publicClient.clientId }), 'unsupported_grant_type');
      expect(await stored()).toEqual(before);
    });
  });

  describe('400 invalid_grant', () => {
    test('an unknown, truncated or forged code, and an access token', async () => {
      const code = await codeFor(client);
      const before = await stored();
      for (const forged of [
        newAuthorizationCode(),
        code.slice(0, -1),
        `${code}A`,
        `${code} `,
        code.toUpperCase(),
        user.token,
      ]) {
        expectRefusal(await token({ ...codeGrant(forged), ...byPost(client) }), 'invalid_grant');
      }
      expect(await stored()).toEqual(before);
    });

    test('a code that is older than 60 seconds', async () => {
      const code = await codeFor(client, { livesS: -1 });
      expectRefusal(await token({ ...codeGrant(code), ...byPost(client) }), 'invalid_grant');
    });

    test('the code of another client, which can still use it', async () => {
      const other = await newClient(services);
      const code = await codeFor(client);
      expectRefusal(await token({ ...codeGrant(code), ...byPost(other) }), 'invalid_grant');
      expect(await token({ ...codeGrant(code), ...byPost(client) })).toMatchObject({ status: 200 });
    });

    test.each([
      ['another one', 'https://app.example.org/other'],
      ['another port', REDIRECT_URI.replace('.org', '.org:444')],
      ['a slash more', `${REDIRECT_URI}/`],
      ['another case', REDIRECT_URI.toUpperCase()],
      ['less of its query', REDIRECT_URI.split('?')[0]!],
      ['a prefix', REDIRECT_URI.slice(0, -1)],
      ['a fragment more', `${REDIRECT_URI}#x`],
      ['one percent-encoded', REDIRECT_URI.replace('callback', 'c%61llback')],
    ])('a redirect_uri that is not exactly the same: %s, and the code is used up', async (_what, redirect_uri) => {
      const code = await codeFor(client);
      expectRefusal(await token({ ...codeGrant(code), ...byPost(client), redirect_uri }), 'invalid_grant');
      expectRefusal(await token({ ...codeGrant(code), ...byPost(client) }), 'invalid_grant');
    });

    test('a challenge without a verifier, and the code is used up', async () => {
      const { verifier, challenge } = newPkce();
      const code = await codeFor(client, { challenge });
      expectRefusal(await token({ ...codeGrant(code), ...byPost(client) }), 'invalid_grant');
      const late = { ...codeGrant(code), ...byPost(client), code_verifier: verifier };
      expectRefusal(await token(late), 'invalid_grant');
    });

    test('a verifier for a code without a challenge, as in a PKCE downgrade', async () => {
      const code = await codeFor(client);
      const request = { ...codeGrant(code), ...byPost(client), code_verifier: newPkce().verifier };
      expectRefusal(await token(request), 'invalid_grant');
    });

    test('another verifier, or the challenge itself', async () => {
      const { challenge } = newPkce();
      for (const code_verifier of [newPkce().verifier, challenge]) {
        const code = await codeFor(publicClient, { challenge });
        const request = { ...codeGrant(code), client_id: publicClient.clientId, code_verifier };
        expectRefusal(await token(request), 'invalid_grant');
      }
    });

    test('a verifier in a form outside RFC 7636 is an invalid_request', async () => {
      for (const code_verifier of ['short', 'a'.repeat(42), 'a'.repeat(129), `${'a'.repeat(43)}+`]) {
        const code = await codeFor(publicClient, { challenge: newPkce().challenge });
        const request = { ...codeGrant(code), client_id: publicClient.clientId, code_verifier };
        expectRefusal(await token(request), 'invalid_request');
      }
    });

    test('a public client whose code has no challenge', async () => {
      const code = await codeFor(publicClient);
      expectRefusal(await token({ ...codeGrant(code), client_id: publicClient.clientId }), 'invalid_grant');
    });

    test('a code of a browser that has signed out since', async () => {
      const sessionHash = `session-${Math.random()}`;
      await sql.run(
        `insert into sessions (session_hash, user_id, created_at, expires_at, ended_at, signed_in_with)
         values ($1, $2, now(), now() + interval '1 hour', now(), 'password')`,
        [sessionHash, user.userId],
      );
      const code = await codeFor(client, { sessionHash });
      expectRefusal(await token({ ...codeGrant(code), ...byPost(client) }), 'invalid_grant');
    });

    test('a second use of a code ends the tokens of the first, audited', async () => {
      const code = await codeFor(client);
      const first = await token({ ...codeGrant(code), ...byPost(client) });
      expect(await works(first.body.access_token)).toBe(true);
      expectRefusal(await token({ ...codeGrant(code), ...byPost(client) }), 'invalid_grant');
      expect(await works(first.body.access_token)).toBe(false);
      expectRefusal(
        await token({ ...refreshGrant(first.body.refresh_token), client_id: client.clientId }),
        'invalid_grant',
      );
      const [event] = await eventsOf('authorization-code.reused');
      expect(event).toMatchObject({ subject: user.userId, data: { client_id: client.clientId } });
      expectRefusal(await token({ ...codeGrant(code), ...byPost(client) }), 'invalid_grant');
    });

    test('a second use revokes them even after expiry, by another client, or with another redirect_uri', async () => {
      const other = await newClient(services);
      const misuse: ((code: string) => Promise<TestAnswer>)[] = [
        (code) => token({ ...codeGrant(code), ...byPost(other) }),
        (code) => token({ ...codeGrant(code), ...byPost(client), redirect_uri: 'https://evil.example/' }),
        async (code) => {
          await sql.run(
            `update authorization_codes set expires_at = now() - interval '1 hour' where used_at is not null`,
          );
          return token({ ...codeGrant(code), ...byPost(client) });
        },
      ];
      for (const use of misuse) {
        const code = await codeFor(client);
        const first = await token({ ...codeGrant(code), ...byPost(client) });
        expectRefusal(await use(code), 'invalid_grant');
        expect(await works(first.body.access_token)).toBe(false);
      }
    });
  });

  test('413 for a body that is too large', async () => {
    expectRefusal(await token({ grant_type: 'x'.repeat(1_100_000) }), 'invalid_request', 413);
    const body = JSON.stringify({ grant_type: 'x'.repeat(1_100_000) });
    expectRefusal(
      await api.post(TOKEN, { body, headers: { 'content-type': 'application/json' } }),
      'invalid_request',
      413,
    );
  });

  test('415 for a body that is neither a form nor JSON', async () => {
    for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/xml', '']) {
      const answer = await api.post(TOKEN, { body: 'grant_type=x', headers: { 'content-type': type } });
      expectRefusal(answer, 'invalid_request', 415);
    }
  });

  test('405 for GET: credentials do not belong in a URL', async () => {
    expect(await api.get(`${TOKEN}?grant_type=authorization_code`)).toMatchObject({ status: 405 });
  });
});

describe('revokeToken', () => {
  const REVOKE = '/api/v1/auth/revoke';
  const revoke = (fields: Record<string, string>, headers?: Record<string, string>) =>
    postForm(api, REVOKE, fields, headers);

  test('200 a refresh token ends with its access tokens, audited', async () => {
    const { access_token, refresh_token } = await granted();
    const answer = await revoke({ token: refresh_token, ...byPost(client) });
    expect(answer).toMatchObject({ status: 200, text: '', headers: { 'cache-control': 'no-store' } });
    expect(await works(access_token)).toBe(false);
    expectRefusal(await token({ ...refreshGrant(refresh_token), client_id: client.clientId }), 'invalid_grant');
    const [event] = await eventsOf('refresh-token.revoked');
    expect(event).toMatchObject({ subject: user.userId, actor: client.clientId });
  });

  test('200 a used refresh token revokes its successors', async () => {
    const first = await granted();
    const second = await token({ ...refreshGrant(first.refresh_token), client_id: client.clientId });
    expect(await revoke({ token: first.refresh_token, ...byPost(client) })).toMatchObject({ status: 200 });
    expect(await works(second.body.access_token)).toBe(false);
  });

  test('200 revokes an access token alone', async () => {
    const { access_token, refresh_token } = await granted();
    expect(await revoke({ token: access_token }, { authorization: basic(client) })).toMatchObject({ status: 200 });
    expect(await works(access_token)).toBe(false);
    const next = await token({ ...refreshGrant(refresh_token), client_id: client.clientId });
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
      expectRefusal(await token({ ...refreshGrant(refresh_token), client_id: client.clientId }), 'invalid_grant');
    }
  });

  test('200 a public client by its id', async () => {
    const { verifier, challenge } = newPkce();
    const code = await codeFor(publicClient, { challenge });
    const grant = { ...codeGrant(code), client_id: publicClient.clientId, code_verifier: verifier };
    const { access_token, refresh_token } = (await token(grant)).body;
    expect(await revoke({ token: refresh_token, client_id: publicClient.clientId })).toMatchObject({ status: 200 });
    expect(await works(access_token)).toBe(false);
  });

  test("200 without effect for a token that is unknown, of our own sign-in or another client's", async () => {
    const other = await newClient(services);
    const { access_token, refresh_token } = await granted();
    const { email, password } = await api.registerUser();
    const own = await authActivities(services).login({ from: HERE, email, password });
    const before = [await stored(), (await eventsOf('refresh-token.revoked')).length];
    for (const given of [
      newAccessToken(),
      newRefreshToken(),
      'x',
      access_token,
      refresh_token,
      own.access_token,
      own.refresh_token,
    ]) {
      expect(await revoke({ token: given, ...byPost(other) })).toMatchObject({ status: 200, text: '' });
    }
    expect([await stored(), (await eventsOf('refresh-token.revoked')).length]).toEqual(before);
    expect([await works(access_token), await works(own.access_token)]).toEqual([true, true]);
  });

  test('200 again changes nothing, and is not audited twice', async () => {
    const { refresh_token } = await granted();
    await revoke({ token: refresh_token, ...byPost(client) });
    const before = await sql.many(`select event_id from audit_events where kind = 'refresh-token.revoked'`);
    expect(await revoke({ token: refresh_token, ...byPost(client) })).toMatchObject({ status: 200 });
    expect(await sql.many(`select event_id from audit_events where kind = 'refresh-token.revoked'`)).toHaveLength(
      before.length,
    );
  });

  test('401 for a client with wrong authentication, and the token stays valid', async () => {
    const { access_token, refresh_token } = await granted();
    for (const fields of [
      {},
      { client_id: client.clientId },
      { client_id: client.clientId, client_secret: newClientSecret() },
      { client_id: 'client_unknown', client_secret: client.secret },
      { client_id: publicClient.clientId, client_secret: 'x' },
    ]) {
      expectRefusal(await revoke({ token: refresh_token, ...fields } as never), 'invalid_client', 401);
    }
    const answer = await revoke({ token: refresh_token }, { authorization: `Bearer ${access_token}` });
    expectRefusal(answer, 'invalid_client', 401);
    expect(answer.headers['www-authenticate']).toBe('Basic realm="ringfence"');
    expect(await works(access_token)).toBe(true);
  });

  test('400 without a token, with two, or with a non-text token', async () => {
    expectRefusal(await revoke(byPost(client)), 'invalid_request');
    expectRefusal(await revoke({ ...byPost(client), token: '' }), 'invalid_request');
    expectRefusal(await revoke({ ...byPost(client), token: 'x\r\nX-Injected: 1' }), 'invalid_request');
    expectRefusal(await api.post(REVOKE, { body: { ...byPost(client), token: ['x'] } }), 'invalid_request');
    const twice = `token=a&token=b&${new URLSearchParams(byPost(client)).toString()}`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expectRefusal(await api.post(REVOKE, { body: twice, headers }), 'invalid_request');
  });
});

describe('introspectToken', () => {
  const INTROSPECT = '/api/v1/auth/introspect';
  const introspect = (fields: Record<string, string>, headers?: Record<string, string>) =>
    postForm(api, INTROSPECT, fields, headers);

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

  test('200 a narrowed access token shows its own scopes', async () => {
    const first = await granted(client, { scopes: ['read:profile', 'write:debt'] });
    const { body } = await token({
      ...refreshGrant(first.refresh_token),
      client_id: client.clientId,
      scope: 'read:debt',
    });
    expect((await introspect({ token: body.access_token, ...byPost(client) })).body.scope).toBe('read:debt');
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
    await token({ ...refreshGrant(spent.refresh_token), client_id: client.clientId });
    const expired = await granted();
    await sql.run(
      `update access_tokens set expires_at = now() - interval '1 second'
        where family_id in (select family_id from token_families order by created_at desc limit 1)`,
    );
    for (const given of [
      newAccessToken(),
      newRefreshToken(),
      'x',
      user.token,
      foreign.access_token,
      foreign.refresh_token,
      ended.access_token,
      ended.refresh_token,
      spent.refresh_token,
      expired.access_token,
      client.secret,
    ]) {
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
    ]) {
      expectRefusal(await introspect({ token: access_token, ...fields } as never), 'invalid_client', 401);
    }
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
    const sessions = [`session-${Math.random()}`, `session-${Math.random()}`];
    for (const session of sessions) {
      await sql.run(
        `insert into sessions (session_hash, user_id, created_at, expires_at, signed_in_with)
         values ($1, $2, now(), now() + interval '1 hour', 'password')`,
        [session, user.userId],
      );
    }
    const { access_token } = await granted(client, { sessionHash: sessions[0]! });
    expect(await api.post('/api/v1/auth/logout', { token: access_token })).toMatchObject({ status: 204 });
    expect(await works(access_token)).toBe(false);
    const rows = await sql.many<{ session_hash: string; ended: boolean }>(
      'select session_hash, ended_at is not null as ended from sessions where session_hash = any($1)',
      [sessions],
    );
    expect(new Map(rows.map(({ session_hash, ended }) => [session_hash, ended]))).toEqual(
      new Map([
        [sessions[0], false],
        [sessions[1], false],
      ]),
    );
  });
});
