import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { disableUser } from '../../activities/auth/accounts.ts';
import { hashOf, newResetToken, newSessionId } from '../../infra/keys/credentials.ts';
import { startApi, type TestAnswer } from '../helpers/api.ts';
import { lettersTo, mailedToken, sendAllMail } from '../helpers/mail.ts';
import { newClient, newPkce, redeem, REDIRECT_URI as CALLBACK, sqlOf, type ClientParts } from '../helpers/oauth.ts';
import { hiddenFields, newVisitor, SESSION, setCookies, type Visitor } from '../helpers/visitor.ts';

const api = startApi();
const sql = sqlOf(api.services);
const AUTHORIZE = '/api/v1/auth/authorize';
const SIGN_IN = '/api/v1/auth/sign-in';
const CONSENT = '/api/v1/auth/consent';
const SIGN_OUT = '/api/v1/auth/sign-out';
const FORGOT = '/api/v1/auth/forgot-password';
const RESET = '/api/v1/auth/reset-password';
const CHANGE = '/api/v1/auth/change-password';
const ME = '/api/v1/auth/me';
const BROWSER = '__Host-rf_browser';
const NEW_PASSWORD = 'nine quiet harbours';

type Parameters = Record<string, string | undefined>;

async function newRequest(parts: Parameters = {}, client?: ClientParts) {
  const made = await newClient(api.services, client);
  return { client: made, clientId: made.clientId, path: authorizePath({ client_id: made.clientId, ...parts }) };
}

function authorizePath(parts: Parameters): string {
  const all = { redirect_uri: CALLBACK, response_type: 'code', scope: 'read:profile', state: 'af0ifjsldkj', ...parts };
  const given = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `${AUTHORIZE}?${new URLSearchParams(given).toString()}`;
}

// Stops at the consent page.
async function signedIn(path: string, user?: { email: string; password: string }, visitor = newVisitor(api)) {
  const { email, password } = user ?? (await api.registerUser());
  const answer = await visitor.submit(await visitor.get(path), SIGN_IN, { email, password });
  expect(answer.status).toBe(303);
  const page = await visitor.get(answer.headers.location as string);
  expect(page.status).toBe(200);
  return { visitor, page, email, password };
}

/** Expects a redirect (303). @returns its URL, the URL without the service's parameters, and the parameters by name. */
function leadsTo(answer: TestAnswer) {
  expect(answer.status).toBe(303);
  const location = answer.headers.location as string;
  const url = new URL(location, 'https://here.example');
  return { location, base: location.split(/[?&](?:code|error)=/, 1)[0], ...Object.fromEntries(url.searchParams) } as {
    location: string;
    base: string;
  } & Record<string, string>;
}

// Forms with a password have this one script.
const OWN_SCRIPT = `<script type="module">${readFileSync(new URL('../../api/pages/show-password.js', import.meta.url), 'utf8')}</script>`;

function besideOwnScript(page: string): string {
  expect(page.split(OWN_SCRIPT)).toHaveLength(2);
  return page.replace(OWN_SCRIPT, '');
}

const typed = ({ email, password }: { email: string; password: string }) => ({ email, password });
const isPage = (answer: TestAnswer) => String(answer.headers['content-type']).startsWith('text/html');
const eventsOf = (subject: string) =>
  sql.many<{ kind: string; data: Record<string, unknown> }>(
    'select kind, data from audit_events where subject = $1 order by subject_seq',
    [subject],
  );

describe('authorize', () => {
  describe('200', () => {
    test('without a session shows the sign-in page, with only its own script, and no frames or content of other sites', async () => {
      const { path } = await newRequest();
      const answer = await newVisitor(api).get(path);
      expect(answer.status).toBe(200);
      expect(isPage(answer)).toBe(true);
      expect(answer.text).toContain('<h1>Sign in</h1>');
      expect(besideOwnScript(answer.text)).not.toMatch(
        /<script|\son[a-z]+=|javascript:|style="|https?:\/\/(?!www\.w3)/i,
      );
      const hashOfThe = (tag: RegExp) => createHash('sha256').update(tag.exec(answer.text)![1]!).digest('base64');
      const style = hashOfThe(/<style>([\s\S]*)<\/style>/);
      const script = hashOfThe(/<script type="module">([\s\S]*)<\/script>/);
      expect(answer.headers).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'content-security-policy': `default-src 'none'; script-src 'sha256-${script}'; style-src 'sha256-${style}'; base-uri 'none'; form-action 'self' https://app.example.org; frame-ancestors 'none'`,
      });
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    });

    test('knows the browser by a cookie that only this host gets, by TLS, and no script reads', async () => {
      const { path } = await newRequest();
      const visitor = newVisitor(api);
      const cookies = setCookies(await visitor.get(path));
      expect(cookies).toEqual([
        {
          maxAge: 31_536_000,
          name: BROWSER,
          value: expect.stringMatching(/^rf_br_[\w-]{43}$/),
          path: '/',
          secure: true,
          httpOnly: true,
          sameSite: 'lax',
        },
      ]);
      expect(setCookies(await visitor.get(path))).toEqual([]);
    });

    test('with a session asks for consent every time, even if it was given before', async () => {
      const { path } = await newRequest({ scope: 'write:payments read:payments read:profile' });
      const { visitor, page, email } = await signedIn(path);
      expect(page.text).toContain('<h1>Allow A client?</h1>');
      expect(page.text).toContain('Pay bills with your money');
      expect(page.text).toContain('See your email address');
      expect(page.text).toContain('app.example.org');
      expect(page.text).toContain('u***@e***.test');
      expect(page.text).not.toContain(email);
      expect((await visitor.submit(page, CONSENT, { decision: 'allow' })).status).toBe(303);
      const again = await visitor.get(path);
      expect(again).toMatchObject({ status: 200 });
      expect(again.text).toContain('<h1>Allow A client?</h1>');
    });

    test('unknown parameters are ignored; the only registered redirect URI, and PKCE with a secret, may be omitted', async () => {
      const { path } = await newRequest({ redirect_uri: undefined, state: undefined, scope: undefined });
      const answer = await newVisitor(api).get(`${path}&prompt=consent&prompt=login&nonce=n&resource=x`);
      expect(answer.status).toBe(200);
    });

    test('a name that looks like HTML is shown as text', async () => {
      const auth = await newClient(api.services);
      await sql.run('update oauth_clients set name = $2 where client_id = $1', [
        auth.clientId,
        `<img src=x onerror=alert(1)>"'&`,
      ]);
      const { text } = await newVisitor(api).get(
        authorizePath({ client_id: auth.clientId, state: `"><script>alert(1)</script>` }),
      );
      expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;');
      expect(besideOwnScript(text)).not.toMatch(/<img|<script/);
    });
  });

  describe('400, on our own page without a redirect', () => {
    const refused = async (path: string) => {
      const answer = await newVisitor(api).get(path);
      expect({ status: answer.status, page: isPage(answer), location: answer.headers.location }).toEqual({
        status: 400,
        page: true,
        location: undefined,
      });
      expect(answer.headers).toMatchObject({ 'x-frame-options': 'DENY', 'cache-control': 'no-store' });
      return answer;
    };

    test.each([
      ['missing', undefined],
      ['unknown', 'client_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11'],
      ['of other characters', 'client_\u0000é'],
      ['too long', 'c'.repeat(300)],
    ])('a client_id that is %s', async (_why, clientId) => {
      const answer = await refused(authorizePath({ client_id: clientId }));
      expect(answer.text).toContain('not registered');
    });

    test.each([
      'https://app.example.org/callback?from=ringfence&more=1',
      'https://app.example.org/%63allback?from=ringfence',
      'https://app.example.org@evil.example/callback?from=ringfence',
      'https://app.example.org/callback?from=ringfence\r\nSet-Cookie: a=b',
      'javascript:alert(1)',
    ])('the redirect URI %j, which is not exactly the registered one', async (redirectUri) => {
      const { path } = await newRequest({ redirect_uri: redirectUri });
      await refused(path);
    });

    test('no redirect URI if two are registered; a duplicate redirect URI or client; invalid encoding', async () => {
      const two = await newRequest({ redirect_uri: undefined }, { redirectUris: [CALLBACK, 'https://b.example/'] });
      await refused(two.path);
      const { path, clientId } = await newRequest();
      await refused(`${path}&redirect_uri=${encodeURIComponent(CALLBACK)}`);
      await refused(`${path}&client_id=${clientId}`);
      await refused(`${path}&state=%ZZ`);
    });

    test('a program that asks for JSON gets a problem document that points at the fault', async () => {
      const answer = await api.get(authorizePath({ client_id: 'client_x' }), {
        headers: { accept: 'application/json' },
      });
      expect(answer).toMatchObject({
        status: 400,
        body: { code: 'invalid-request', errors: [{ pointer: '/query/client_id' }] },
      });
    });
  });

  describe('303, with an error to the client', () => {
    const { challenge } = newPkce();
    const s256 = { code_challenge: challenge, code_challenge_method: 'S256' };
    test.each<[string, Parameters, string]>([
      ['no response_type', { response_type: undefined }, 'invalid_request'],
      ['an empty response_type', { response_type: '' }, 'invalid_request'],
      ['the implicit grant', { response_type: 'token' }, 'unsupported_response_type'],
      ['a hybrid flow', { response_type: 'code id_token' }, 'unsupported_response_type'],
      ['response_type in capitals', { response_type: 'CODE' }, 'unsupported_response_type'],
      ['plain PKCE', { ...s256, code_challenge_method: 'plain' }, 'invalid_request'],
      ['a challenge without a method', { code_challenge: challenge }, 'invalid_request'],
      ['a method without a challenge', { code_challenge_method: 'S256' }, 'invalid_request'],
      ['a challenge that is too short', { ...s256, code_challenge: challenge.slice(1) }, 'invalid_request'],
      ['a challenge with padding', { ...s256, code_challenge: `${challenge}=` }, 'invalid_request'],
      ['a challenge of other characters', { ...s256, code_challenge: `${challenge.slice(1)}+` }, 'invalid_request'],
      ['an unknown scope', { scope: 'read:profile read:everything' }, 'invalid_scope'],
      ['a scope that no user has', { scope: 'admin:audit' }, 'invalid_scope'],
      ['more than was registered', { scope: 'read:profile write:profile' }, 'invalid_scope'],
      ['a scope of spaces', { scope: ' ' }, 'invalid_scope'],
    ])('%s: error, description, state and issuer are added to the redirect URI', async (_why, parts, error) => {
      const { path } = await newRequest(parts);
      const { location, ...told } = leadsTo(await newVisitor(api).get(path));
      expect(told).toEqual({
        base: CALLBACK,
        from: 'ringfence',
        error,
        error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/),
        state: 'af0ifjsldkj',
        iss: api.services.config.api.publicUrl,
      });
      expect(location.startsWith(`${CALLBACK}&error=`)).toBe(true);
    });

    test('a public client without PKCE', async () => {
      const { path } = await newRequest({}, { isPublic: true });
      expect(leadsTo(await newVisitor(api).get(path))).toMatchObject({ error: 'invalid_request' });
    });

    test('a duplicate parameter; a duplicate state is not returned', async () => {
      const { path } = await newRequest();
      for (const twice of [
        'scope=read%3Aprofile',
        'response_type=code',
        'state=other',
        'code_challenge=a&code_challenge=b',
      ]) {
        const told = leadsTo(await newVisitor(api).get(`${path}&${twice}`));
        expect(told).toMatchObject({ error: 'invalid_request' });
        expect('state' in told).toBe(!twice.startsWith('state'));
      }
    });
  });
});

describe('signIn', () => {
  test('403 for a disabled account shows a page that says so, without a session', async () => {
    const { path } = await newRequest();
    const user = await api.registerUser();
    await disableUser(api.services, { user_id: user.userId });
    const visitor = newVisitor(api);
    const answer = await visitor.submit(await visitor.get(path), SIGN_IN, typed(user));
    expect([answer.status, isPage(answer), visitor.cookies.has(SESSION)]).toEqual([403, true, false]);
    expect(answer.text).toContain('The account is disabled');
  });

  test('303 gives a session of 12 hours under a new identifier, and leads to the request that it came from', async () => {
    const { path, clientId } = await newRequest({ state: 'a b&c' });
    const user = await api.registerUser();
    const visitor = newVisitor(api);
    const answer = await visitor.submit(await visitor.get(path), SIGN_IN, typed(user));
    expect(answer.status).toBe(303);
    const location = new URL(answer.headers.location as string, api.url);
    expect(location.origin).toBe(new URL(api.url).origin);
    expect(location.pathname).toBe(AUTHORIZE);
    expect(Object.fromEntries(location.searchParams)).toMatchObject({ client_id: clientId, state: 'a b&c' });
    const [cookie] = setCookies(answer);
    expect(cookie).toEqual({
      name: SESSION,
      value: expect.stringMatching(/^rf_se_[\w-]{43}$/),
      path: '/',
      secure: true,
      httpOnly: true,
      sameSite: 'lax',
    });
    const [row] = await sql.many('select * from sessions where user_id = $1', [user.userId]);
    expect(row).toMatchObject({ session_hash: hashOf(api.services, cookie!.value!), ended_at: null });
    expect(Date.parse(row!.expires_at as string) - Date.parse(row!.created_at as string)).toBe(12 * 3_600_000);
    expect(JSON.stringify(row)).not.toContain(cookie!.value);
    expect((await eventsOf(user.userId)).at(-1)).toMatchObject({
      kind: 'sign-in.succeeded',
      data: { method: 'password', through: 'browser' },
    });
  });

  test('a session id that somebody planted is not used, and the previous session ends', async () => {
    const { path } = await newRequest();
    const user = await api.registerUser();
    const visitor = newVisitor(api);
    const planted = newSessionId();
    visitor.cookies.set(SESSION, planted);
    const { page } = await signedIn(path, user, visitor);
    const first = visitor.cookies.get(SESSION)!;
    expect(first).not.toBe(planted);
    expect(page.text).toContain('Allow');
    const form = await newVisitorWith(visitor, BROWSER).get(path);
    await visitor.submit(form, SIGN_IN, typed(user));
    expect(visitor.cookies.get(SESSION)).not.toBe(first);
    const thief = newVisitor(api);
    for (const stale of [planted, first]) {
      thief.cookies.set(SESSION, stale);
      expect((await thief.get(path)).text).toContain('<h1>Sign in</h1>');
    }
  });

  test('a session ends after 12 hours, whatever the cookie says', async () => {
    const { path } = await newRequest();
    const { visitor } = await signedIn(path);
    await sql.run(`update sessions set expires_at = now() - interval '1 second' where session_hash = $1`, [
      hashOf(api.services, visitor.cookies.get(SESSION)!),
    ]);
    expect((await visitor.get(path)).text).toContain('<h1>Sign in</h1>');
  });

  test('401 shows the page again, the same for a wrong password and an unknown address, and keeps the typed address', async () => {
    const { path } = await newRequest();
    const { email } = await api.registerUser();
    const pages = await Promise.all(
      [email, 'nobody@example.org'].map(async (typed) => {
        const visitor = newVisitor(api);
        const answer = await visitor.submit(await visitor.get(path), SIGN_IN, {
          email: typed,
          password: 'wrong, wrong, wrong',
        });
        expect(answer).toMatchObject({ status: 401 });
        expect(answer.headers).not.toHaveProperty('www-authenticate');
        expect(visitor.cookies.has(SESSION)).toBe(false);
        expect(answer.text).not.toContain('wrong, wrong, wrong');
        expect(answer.text).toContain(`value="${typed}"`);
        expect(answer.text).toContain('role="alert"');
        expect(answer.text).toContain('<title>Error: Sign in');
        expect(hiddenFields(answer, SIGN_IN).csrf).toBe(hiddenFields(await visitor.get(path), SIGN_IN).csrf);
        return answer.text.replace(typed, '').replaceAll(/name="csrf" value="[^"]*"/g, '');
      }),
    );
    expect(pages[0]).toBe(pages[1]);
  });

  test('401 for an empty password; typed text is never markup', async () => {
    const { path } = await newRequest();
    const visitor = newVisitor(api);
    const answer = await visitor.submit(await visitor.get(path), SIGN_IN, { email: '"><script>alert(1)</script>' });
    expect(answer.status).toBe(401);
    expect(besideOwnScript(answer.text)).not.toContain('<script');
  });

  describe('403, without any effect', () => {
    const tried = async (
      change: (form: Record<string, string>, visitor: Visitor) => unknown = () => undefined,
      headers: Record<string, string> = {},
    ) => {
      const { path } = await newRequest();
      const user = await api.registerUser();
      const visitor = newVisitor(api);
      const form = { ...hiddenFields(await visitor.get(path), SIGN_IN), ...typed(user) };
      change(form, visitor);
      const answer = await visitor.post(SIGN_IN, form, headers);
      const sessions = await sql.many('select 1 from sessions where user_id = $1', [user.userId]);
      expect(sessions).toHaveLength(answer.status === 303 ? 1 : 0);
      if (answer.status === 403) expect(answer.text).toContain('<h1>This form has expired</h1>');
      return answer.status;
    };

    test('without the token, with another, with one of another form or of another browser, or without the cookie', async () => {
      expect(await tried()).toBe(303);
      expect(await tried((form) => delete form.csrf)).toBe(403);
      expect(await tried((form) => (form.csrf = ''))).toBe(403);
      expect(await tried((form) => (form.csrf = form.csrf!.slice(0, -1)))).toBe(403);
      expect(await tried((_form, { cookies }) => cookies.delete(BROWSER))).toBe(403);
      expect(await tried((_form, { cookies }) => cookies.set(BROWSER, `rf_br_${'a'.repeat(43)}`))).toBe(403);
      expect(await tried((_form, { cookies }) => cookies.set(BROWSER, ''))).toBe(403);
      const other = newVisitor(api);
      const { csrf } = hiddenFields(await other.get(FORGOT), FORGOT);
      expect(
        await tried((form, { cookies }) => {
          cookies.set(BROWSER, other.cookies.get(BROWSER)!);
          form.csrf = csrf!;
        }),
      ).toBe(403);
    });

    test.each<[number, Record<string, string>]>([
      [403, { origin: 'https://evil.example' }],
      [403, { origin: 'https://localhost:1' }],
      [403, { origin: 'not an origin' }],
      [403, { 'sec-fetch-site': 'cross-site' }],
      [403, { 'sec-fetch-site': 'same-site' }],
      [403, { origin: 'null', 'sec-fetch-site': 'cross-site' }],
      [303, { origin: 'null', 'sec-fetch-site': 'same-origin' }],
    ])('if the browser reports another site as the sender: %i for %j', async (status, headers) => {
      expect(await tried(undefined, headers)).toBe(status);
    });

    test('the address that the browser used and the public address both count as the same site', async () => {
      expect(await tried(undefined, { origin: api.url, 'sec-fetch-site': 'same-origin' })).toBe(303);
      expect(await tried(undefined, { origin: api.services.config.api.publicUrl })).toBe(303);
    });
  });

  test('400 for duplicate, unknown and too long fields, as a page, 413 for a huge one, and 415 for JSON', async () => {
    const { path } = await newRequest();
    const visitor = newVisitor(api);
    const form = hiddenFields(await visitor.get(path), SIGN_IN);
    const good: Record<string, string> = { ...form, email: 'a@example.org', password: 'x' };
    const refusal = async (fields: [string, string][]) => {
      const answer = await visitor.post(SIGN_IN, fields);
      expect(isPage(answer)).toBe(true);
      return answer.status;
    };
    const twice = (['email', 'csrf'] as const).map((name): [string, string][] => [
      ...Object.entries(good),
      [name, good[name]!],
    ]);
    const changed = [
      { redirect: 'https://evil.example' },
      { email: 'a'.repeat(1_025) },
      { password: 'x'.repeat(1_025) },
      { email: 'a\u0000@example.org' },
    ].map((change) => Object.entries({ ...good, ...change }));
    for (const fields of [...twice, ...changed]) expect([fields, await refusal(fields)]).toEqual([fields, 400]);
    expect(await refusal(Object.entries({ ...good, password: 'x'.repeat(1_100_000) }))).toBe(413);
    const json = await api.post(SIGN_IN, { body: { email: 'a@example.org' } });
    expect(json).toMatchObject({ status: 415, body: { code: 'unsupported-media-type' } });
  });

  test('the authorization request that follows is checked again, and cannot redirect elsewhere', async () => {
    const user = await api.registerUser();
    const { clientId } = await newRequest();
    const { path } = await newRequest();
    const tried = async (query: string) => {
      const visitor = newVisitor(api);
      const page = await visitor.get(path);
      const answer = await visitor.submit(page, SIGN_IN, { ...typed(user), continue: query });
      const { location } = answer.headers as { location?: string };
      expect(visitor.cookies.has(SESSION)).toBe(location !== undefined && !location.includes('error='));
      return { query, status: answer.status, location };
    };
    for (const query of [
      '',
      'https://evil.example/',
      '//evil.example',
      'client_id=x',
      `client_id=${clientId}&redirect_uri=https%3A%2F%2Fevil.example`,
      '%ZZ',
    ])
      expect(await tried(query)).toEqual({ query, status: 400, location: undefined });
    const refused = await tried(`client_id=${clientId}&response_type=token&state=s`);
    expect(refused.location).toMatch(/^https:\/\/app\.example\.org\/callback\?from=ringfence&error=unsupported_resp/);
    const added = await tried(`client_id=${clientId}&response_type=code&next=https%3A%2F%2Fevil.example`);
    expect(added.location).toBe(`${AUTHORIZE}?client_id=${clientId}&response_type=code`);
  });
});

function newVisitorWith(visitor: Visitor, name: string): Visitor {
  const other = newVisitor(api);
  other.cookies.set(name, visitor.cookies.get(name)!);
  return other;
}

describe('answerConsent', () => {
  test('allowed: a code, the state and the issuer go to the registered address, and the code gets tokens', async () => {
    const { verifier, challenge } = newPkce();
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
    const { path, client, clientId } = await newRequest({ scope: 'read:payments read:profile', ...pkce });
    const user = await api.registerUser();
    const { visitor, page } = await signedIn(path, user);
    const answer = await visitor.submit(page, CONSENT, { decision: 'allow' });
    const { location, code, ...told } = leadsTo(answer);
    expect(told).toEqual({
      base: CALLBACK,
      from: 'ringfence',
      state: 'af0ifjsldkj',
      iss: api.services.config.api.publicUrl,
    });
    expect(code).toMatch(/^rf_ac_[\w-]{43}$/);
    expect(location.startsWith(`${CALLBACK}&code=`)).toBe(true);

    const [row] = await sql.many('select * from authorization_codes where code_hash = $1', [
      hashOf(api.services, code!),
    ]);
    expect(row).toMatchObject({
      client_id: clientId,
      user_id: user.userId,
      redirect_uri: CALLBACK,
      scopes: ['read:profile', 'read:payments'],
      code_challenge: challenge,
      session_hash: hashOf(api.services, visitor.cookies.get(SESSION)!),
      used_at: null,
    });
    expect(Date.parse(row!.expires_at as string) - Date.parse(row!.created_at as string)).toBe(60_000);

    const tokens = await redeem(api, client, code!, { code_verifier: verifier });
    expect(tokens).toMatchObject({ status: 200, body: { scope: 'read:profile read:payments' } });
    const me = await api.get(ME, { token: tokens.body.access_token });
    expect(me.body).toMatchObject({ user_id: user.userId, scopes: ['read:profile', 'read:payments'] });
  });

  test('a native app gets the code on the port where it listens, and exchanges the code', async () => {
    const { verifier, challenge } = newPkce();
    const redirect_uri = 'http://127.0.0.1:51004/cb';
    const { path, client } = await newRequest(
      { redirect_uri, code_challenge: challenge, code_challenge_method: 'S256' },
      { redirectUris: ['http://127.0.0.1:49152/cb'], isPublic: true },
    );
    const { visitor, page } = await signedIn(path);
    const { location, code } = leadsTo(await visitor.submit(page, CONSENT, { decision: 'allow' }));
    expect(location.startsWith(`${redirect_uri}?code=`)).toBe(true);
    expect((await redeem(api, client, code!, { redirect_uri, code_verifier: verifier })).status).toBe(200);
  });

  test('is stored with the allowed scopes, and the newest answer counts', async () => {
    const { path, clientId } = await newRequest({ scope: 'read:profile write:debt' });
    const user = await api.registerUser();
    const { visitor, page } = await signedIn(path, user);
    await visitor.submit(page, CONSENT, { decision: 'allow' });
    const fewer = await visitor.get(authorizePath({ client_id: clientId, scope: 'read:profile' }));
    await visitor.submit(fewer, CONSENT, { decision: 'allow' });
    expect(
      await sql.many('select scopes from consents where user_id = $1 and client_id = $2', [user.userId, clientId]),
    ).toEqual([{ scopes: ['read:profile'] }]);
    expect((await eventsOf(user.userId)).filter(({ kind }) => kind.startsWith('consent'))).toEqual([
      { kind: 'consent.granted', data: { client_id: clientId, scopes: ['read:profile', 'write:debt'] } },
      { kind: 'consent.granted', data: { client_id: clientId, scopes: ['read:profile'] } },
    ]);
  });

  test('denied: the client gets access_denied, and no code is made', async () => {
    const { path, clientId } = await newRequest();
    const user = await api.registerUser();
    const { visitor, page } = await signedIn(path, user);
    const told = leadsTo(await visitor.submit(page, CONSENT, { decision: 'deny' }));
    expect(told).toMatchObject({
      base: CALLBACK,
      error: 'access_denied',
      state: 'af0ifjsldkj',
      iss: api.services.config.api.publicUrl,
    });
    expect(await sql.many('select 1 from authorization_codes where client_id = $1', [clientId])).toEqual([]);
    expect(await sql.many('select 1 from consents where client_id = $1', [clientId])).toEqual([]);
    expect((await eventsOf(user.userId)).at(-1)).toMatchObject({
      kind: 'consent.denied',
      data: { client_id: clientId },
    });
  });

  test('403 without the token, with the token of another session, or from another site', async () => {
    const { path } = await newRequest();
    const { visitor, page } = await signedIn(path);
    const status = async (fields: Record<string, string> = {}, headers: Record<string, string> = {}) => {
      const answer = await visitor.submit(page, CONSENT, { decision: 'allow', ...fields }, headers);
      expect(answer.headers).not.toHaveProperty('location');
      return answer.status;
    };
    expect(await status({ csrf: '' })).toBe(403);
    expect(await status({}, { origin: 'https://evil.example' })).toBe(403);
    expect(await status({}, { 'sec-fetch-site': 'cross-site' })).toBe(403);
    const form = await newVisitorWith(visitor, BROWSER).get(path);
    await visitor.submit(form, SIGN_IN, typed(await api.registerUser()));
    expect(await status()).toBe(403);
  });

  test('403 if the form differs from the shown page in scope, redirect URI or client', async () => {
    const other = `${CALLBACK}/other`;
    const { path, clientId } = await newRequest({}, { redirectUris: [CALLBACK, other] });
    const { clientId: stranger } = await newClient(api.services);
    const { visitor, page } = await signedIn(path);
    const shown = hiddenFields(page, CONSENT).continue!;
    for (const change of [
      { scope: 'read:profile write:payments' },
      { redirect_uri: other },
      { client_id: stranger },
    ] as Record<string, string>[]) {
      const query = { ...Object.fromEntries(new URLSearchParams(shown)), ...change };
      const changed = new URLSearchParams(query).toString();
      const answer = await visitor.submit(page, CONSENT, { decision: 'allow', continue: changed });
      expect([change, answer.status, answer.headers.location]).toEqual([change, 403, undefined]);
    }
    expect(await sql.many('select 1 from consents where client_id = any($1)', [[clientId, stranger]])).toEqual([]);
    expect(leadsTo(await visitor.submit(page, CONSENT, { decision: 'allow' })).base).toBe(CALLBACK);
  });

  test('after the session has expired it redirects to the sign-in page, and nothing is allowed', async () => {
    const { path, clientId } = await newRequest();
    const { visitor, page } = await signedIn(path);
    await sql.run('update sessions set ended_at = now() where session_hash = $1', [
      hashOf(api.services, visitor.cookies.get(SESSION)!),
    ]);
    const answer = await visitor.submit(page, CONSENT, { decision: 'allow' });
    expect(leadsTo(answer).location.startsWith(`${AUTHORIZE}?client_id=`)).toBe(true);
    expect((await visitor.get(answer.headers.location as string)).text).toContain('<h1>Sign in</h1>');
    expect(await sql.many('select 1 from authorization_codes where client_id = $1', [clientId])).toEqual([]);
  });

  test('400 for an unknown decision, and for a request that was changed to redirect elsewhere', async () => {
    const { path, clientId } = await newRequest();
    const { visitor, page } = await signedIn(path);
    expect((await visitor.submit(page, CONSENT, { decision: 'yes' })).status).toBe(400);
    expect((await visitor.submit(page, CONSENT)).status).toBe(400);
    const elsewhere = `client_id=${clientId}&response_type=code&redirect_uri=https%3A%2F%2Fevil.example`;
    const answer = await visitor.submit(page, CONSENT, { decision: 'allow', continue: elsewhere });
    expect({ status: answer.status, location: answer.headers.location }).toEqual({ status: 400, location: undefined });
  });
});

describe('signOut', () => {
  test('303 ends the session with the tokens that were granted in it, and leads to the sign-in page', async () => {
    const { path, client } = await newRequest();
    const user = await api.registerUser();
    const { visitor, page } = await signedIn(path, user);
    const { code } = leadsTo(await visitor.submit(page, CONSENT, { decision: 'allow' }));
    const { body: tokens } = await redeem(api, client, code!);
    const session = visitor.cookies.get(SESSION)!;
    const answer = await visitor.submit(page, SIGN_OUT);
    expect(visitor.cookies.has(SESSION)).toBe(false);
    expect(leadsTo(answer).location.startsWith(`${AUTHORIZE}?client_id=`)).toBe(true);
    visitor.cookies.set(SESSION, session);
    expect((await visitor.get(answer.headers.location as string)).text).toContain('<h1>Sign in</h1>');
    expect(await works(tokens.access_token)).toBe(false);
    expect(await works(user.token)).toBe(true);
    expect((await eventsOf(user.userId)).at(-1)).toMatchObject({ kind: 'sign-out' });
  });

  test('403 from another site, and the session continues', async () => {
    const { path } = await newRequest();
    const { visitor, page } = await signedIn(path);
    expect((await visitor.submit(page, SIGN_OUT, {}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await visitor.submit(page, SIGN_OUT, { csrf: '' })).status).toBe(403);
    expect((await visitor.get(path)).text).toContain('Allow A client?');
  });
});

describe('forgotPassword', () => {
  test('202 with the same response for a known and an unknown address, and a mail only to the known one', async () => {
    const { email } = await api.registerUser();
    const unknown = 'nobody-at-all@example.org';
    const [known, other] = await Promise.all(
      [email.toUpperCase(), unknown].map((address) => api.post(FORGOT, { body: { email: address } })),
    );
    expect(known).toMatchObject({ status: 202, body: { status: 'accepted' } });
    expect(other).toMatchObject({ status: 202, text: known!.text });
    expect(Object.keys(other!.headers).sort()).toEqual(Object.keys(known!.headers).sort());
    expect(await mailedToken(api.services, email)).toMatch(/^rf_pr_/);
    expect(await lettersTo(api.services, unknown)).toEqual([]);
  });

  test('as a form it shows the same page for both', async () => {
    const { email } = await api.registerUser();
    const shown = async (address: string) => {
      const visitor = newVisitor(api);
      const answer = await visitor.submit(await visitor.get(FORGOT), FORGOT, { email: address });
      expect([answer.status, isPage(answer)]).toEqual([202, true]);
      return answer.text;
    };
    const page = await shown(email);
    expect(page).toContain('If that email address has an account');
    expect(await shown('nobody-at-all@example.org')).toBe(page);
  });

  test('400 for an invalid address, in JSON and on the page', async () => {
    for (const email of ['nobody', '']) {
      const answer = await api.post(FORGOT, { body: { email } });
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid-request', errors: [{ pointer: '/email' }] } });
      const visitor = newVisitor(api);
      const page = await visitor.submit(await visitor.get(FORGOT), FORGOT, { email });
      expect(page.status).toBe(400);
      expect(page.text).toContain('This is not an email address.');
    }
  });

  test('403 for a form from another page', async () => {
    const answer = await newVisitor(api).post(FORGOT, { email: 'a@example.org' });
    expect({ status: answer.status, page: isPage(answer) }).toEqual({ status: 403, page: true });
  });
});

async function withLink() {
  const user = await api.registerUser();
  await api.post(FORGOT, { body: { email: user.email } });
  return { ...user, link: await mailedToken(api.services, user.email) };
}
const login = (email: string, password: string) => api.post('/api/v1/auth/login', { body: { email, password } });
const reset = (token: string, password = NEW_PASSWORD) => api.post(RESET, { body: { token, password } });
const works = async (token: string) => (await api.get(ME, { token })).status === 200;
async function subjectsFor(email: string) {
  await sendAllMail(api.services);
  return (await lettersTo(api.services, email)).map(({ subject }) => subject);
}

describe('resetPassword', () => {
  test('204 sets the password once, ends every sign-in, signs nobody in, and sends a mail about it', async () => {
    const { email, userId, token, password, link } = await withLink();
    const { path } = await newRequest();
    const { visitor } = await signedIn(path, { email, password });
    const answer = await reset(link);
    expect(answer).toMatchObject({ status: 204, text: '' });
    expect(answer.headers).not.toHaveProperty('set-cookie');
    expect(await works(token)).toBe(false);
    expect((await visitor.get(path)).text).toContain('<h1>Sign in</h1>');
    expect(await login(email, password)).toHaveProperty('status', 401);
    expect(await login(email, NEW_PASSWORD)).toHaveProperty('status', 200);
    expect(await reset(link)).toMatchObject({ status: 401, body: { code: 'invalid-reset-token' } });
    expect((await eventsOf(userId)).map(({ kind }) => kind)).toContain('password.reset');
    const [row] = await sql.many('select email_verified_at from users where user_id = $1', [userId]);
    expect(row!.email_verified_at).not.toBeNull();
    expect(await subjectsFor(email)).toContain('Your Ringfence password was changed');
  });

  test('401 with the same answer for a link that is forged, cut short, padded, expired or used', async () => {
    const [{ link }, expired, used] = [await withLink(), await withLink(), await withLink()];
    await sql.run(`update password_resets set expires_at = now() - interval '1 second' where token_hash = $1`, [
      hashOf(api.services, expired.link),
    ]);
    await reset(used.link);
    const spoilt = [link.slice(0, -1), `${link}A`, link.replace('rf_pr_', 'rf_at_'), link.toUpperCase(), ` ${link}`];
    const texts = new Set<string>();
    for (const token of [newResetToken(), ...spoilt, hashOf(api.services, link), expired.link, used.link, 'x']) {
      const answer = await reset(token);
      expect({ token, status: answer.status }).toEqual({ token, status: 401 });
      texts.add(JSON.stringify({ ...answer.body, instance: '' }));
      const page = await newVisitor(api).get(`${RESET}?token=${encodeURIComponent(token)}`);
      expect([page.status, isPage(page)]).toEqual([401, true]);
      expect(page.text).toContain('Ask for a new link');
    }
    expect(texts.size).toBe(1);
    expect(await reset(link)).toHaveProperty('status', 204);
  });

  test('400 names every fault of the password, even the address as password, and the link stays valid', async () => {
    const { link, email } = await withLink();
    for (const password of ['short', email, 'x'.repeat(257)]) {
      const answer = await reset(link, password);
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid-request' } });
      expect(answer.body.errors).toMatchObject([{ pointer: '/password' }]);
      expect(answer.text).not.toContain(password);
    }
    for (const body of [{ token: link }, { password: NEW_PASSWORD }, { token: 1, password: NEW_PASSWORD }])
      expect(await api.post(RESET, { body })).toHaveProperty('status', 400);
    expect(await reset(link)).toHaveProperty('status', 204);
  });

  test('a retry with the same Idempotency-Key gets the same response', async () => {
    const { link, email } = await withLink();
    const sent = { body: { token: link, password: NEW_PASSWORD }, headers: { 'Idempotency-Key': 'once more' } };
    expect(await api.post(RESET, sent)).toHaveProperty('status', 204);
    expect(await api.post(RESET, sent)).toMatchObject({ status: 204, headers: { 'idempotent-replayed': 'true' } });
    expect(await login(email, NEW_PASSWORD)).toHaveProperty('status', 200);
    const stored = await sql.many<{ row: string }>('select t::text as row from idempotency_records t');
    expect(JSON.stringify(stored)).not.toContain(link);
  });

  describe('the page', () => {
    const filled = { password: NEW_PASSWORD, password_again: NEW_PASSWORD };
    const opened = async () => {
      const user = await withLink();
      const visitor = newVisitor(api);
      return { ...user, visitor, page: await visitor.get(`${RESET}?token=${user.link}`) };
    };

    test('opening it does not use up the link, and sends the token nowhere', async () => {
      const { link, visitor, ...first } = await opened();
      for (const page of [first.page, await visitor.get(`${RESET}?token=${link}`)]) {
        expect(page.status).toBe(200);
        expect(page.headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
        expect(page.text.match(new RegExp(link, 'g'))).toHaveLength(1);
        expect(page.text).toContain(`<input type="hidden" name="token" value="${link}">`);
      }
    });

    test('400 shows the form again for two different passwords and for a refused one, and 200 confirms the change', async () => {
      const { password, email, visitor, page } = await opened();
      const differ = await visitor.submit(page, RESET, { ...filled, password_again: password });
      expect(differ.status).toBe(400);
      expect(differ.text).toContain('are different');
      const short = await visitor.submit(differ, RESET, { password: 'short', password_again: 'short' });
      expect(short.status).toBe(400);
      expect(short.text).toContain('The password is 5 characters long; it must have at least 12.');
      const done = await visitor.submit(short, RESET, filled);
      expect(done.status).toBe(200);
      expect(done.text).toContain('<h1>Your password is set</h1>');
      expect(done.headers).not.toHaveProperty('set-cookie');
      expect(await login(email, NEW_PASSWORD)).toHaveProperty('status', 200);
    });

    test("403 without the form's token, and 401 for a link that was used meanwhile", async () => {
      const { visitor, page } = await opened();
      expect((await visitor.submit(page, RESET, { ...filled, csrf: '' })).status).toBe(403);
      expect((await visitor.submit(page, RESET, filled, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
      expect((await visitor.submit(page, RESET, filled)).status).toBe(200);
      const again = await visitor.submit(page, RESET, filled);
      expect([again.status, isPage(again)]).toEqual([401, true]);
    });

    test.each(['', '?token=a&token=b'])('400 for the address that ends in %j', async (query) => {
      expect(await newVisitor(api).get(`${RESET}${query}`)).toHaveProperty('status', 400);
    });
  });
});

describe('changePassword', () => {
  const change = (token: string, body: unknown) => api.post(CHANGE, { token, body });

  test('204 changes the password and ends every other sign-in', async () => {
    const { email, password, token, userId } = await api.registerUser({ proved: true });
    const { body: other } = await login(email, password);
    const { path } = await newRequest();
    const { visitor } = await signedIn(path, { email, password });
    const changed = await change(token, { current_password: password, password: NEW_PASSWORD });
    expect(changed).toMatchObject({ status: 204, text: '' });
    expect([await works(token), await works(other.access_token)]).toEqual([true, false]);
    expect((await visitor.get(path)).text).toContain('<h1>Sign in</h1>');
    expect(await login(email, password)).toHaveProperty('status', 401);
    expect(await login(email, NEW_PASSWORD)).toHaveProperty('status', 200);
    expect((await eventsOf(userId)).map(({ kind }) => kind)).toContain('password.changed');
    expect(await subjectsFor(email)).toContain('Your Ringfence password was changed');
  });

  test('sends an unproved address no mail, and a proved one at most five mails an hour', async () => {
    const users = [await api.registerUser(), await api.registerUser({ proved: true })];
    const told: number[] = [];
    for (const { email, password, token } of users) {
      const passwords = [password, ...Array.from({ length: 6 }, (_, i) => `${NEW_PASSWORD} ${i}`)];
      for (const [i, next] of passwords.slice(1).entries())
        expect(await change(token, { current_password: passwords[i], password: next })).toHaveProperty('status', 204);
      const subjects = await subjectsFor(email);
      told.push(subjects.filter((subject) => subject === 'Your Ringfence password was changed').length);
    }
    expect(told).toEqual([0, 5]);
  });

  test('an application with the scope keeps its own sign-in, and the session of its consent', async () => {
    const { path, client } = await newRequest({ scope: 'write:profile' }, { scopes: ['write:profile'] });
    const user = await api.registerUser();
    const { visitor, page } = await signedIn(path, user);
    const { code } = leadsTo(await visitor.submit(page, CONSENT, { decision: 'allow' }));
    const { access_token } = (await redeem(api, client, code!)).body;
    const answer = await change(access_token, { current_password: user.password, password: NEW_PASSWORD });
    expect(answer.status).toBe(204);
    expect([await works(user.token), await works(access_token)]).toEqual([false, true]);
    expect((await visitor.get(path)).text).toContain('Allow A client?');
  });

  test('401 for a wrong current password, 400 for a refused new password, and nothing changes', async () => {
    const { email, password, token } = await api.registerUser();
    expect(await change(token, { current_password: `${password}!`, password: NEW_PASSWORD })).toMatchObject({
      status: 401,
      body: { code: 'invalid-credentials', detail: 'The current password is wrong.' },
    });
    for (const bad of ['short', 'password1234', email, undefined]) {
      const answer = await change(token, { current_password: password, password: bad });
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer: '/password' }] } });
    }
    expect(await login(email, password)).toHaveProperty('status', 200);
  });

  test('403 for an API key, which has no password', async () => {
    const body = { current_password: 'x', password: NEW_PASSWORD };
    expect(await change(await api.apiKey(['write:profile']), body)).toMatchObject({
      status: 403,
      body: { code: 'users-only' },
    });
  });
});

describe('limits', () => {
  const limited = startApi({
    env: { LIMIT_CREDENTIALS_PER_MINUTE: '6', LIMIT_TOKENS_PER_MINUTE: '30', LIMIT_FAILED_LOGINS: '3' },
  });

  test('429 as a page with the form after too many wrong passwords, and as a page after too many tries from one address', async () => {
    const { clientId } = await newClient(limited.services);
    const user = await limited.registerUser();
    const visitor = newVisitor(limited);
    const page = await visitor.get(authorizePath({ client_id: clientId }));
    for (let i = 0; i < 3; i += 1)
      expect(await visitor.submit(page, SIGN_IN, { email: user.email, password: 'wrong' })).toHaveProperty(
        'status',
        401,
      );
    const locked = await visitor.submit(page, SIGN_IN, typed(user));
    expect(locked.status).toBe(429);
    expect(locked.headers['retry-after']).toMatch(/^\d+$/);
    expect(locked.text).toContain('Too many sign-ins to this account from this network have failed');
    expect(locked.text).toContain(`value="${user.email}"`);
    for (let i = 0; i < 2; i += 1) await visitor.submit(page, SIGN_IN, { email: 'b@example.org', password: 'wrong' });
    const refused = await visitor.submit(page, SIGN_IN, { email: 'b@example.org', password: 'wrong' });
    expect(refused.status).toBe(429);
    expect(refused.text).toContain('<h1>Too many attempts</h1>');
    expect(refused.text).not.toContain('<form');
  });

  test('wrong current passwords count too: three more, and the account is refused', async () => {
    const { email, password, token } = await limited.registerUser();
    const change = (current: string) =>
      limited.post(CHANGE, { token, body: { current_password: current, password: NEW_PASSWORD } });
    for (let i = 0; i < 3; i += 1) expect((await change('wrong')).status).toBe(401);
    expect(await change(password)).toMatchObject({ status: 429, body: { code: 'rate-limited' } });
    expect(await limited.post('/api/v1/auth/login', { body: { email, password } })).toHaveProperty('status', 429);
  });

  test('forgotten passwords and resets are counted per address', async () => {
    for (const [path, body] of [
      [FORGOT, { email: 'a@example.org' }],
      [RESET, { token: newResetToken(), password: NEW_PASSWORD }],
    ] as const) {
      for (let i = 0; i < 6; i += 1) expect((await limited.post(path, { body })).status).not.toBe(429);
      expect(await limited.post(path, { body })).toMatchObject({ status: 429, body: { code: 'rate-limited' } });
    }
  });
});
