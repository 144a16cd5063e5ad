import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Scope } from '../../domain/auth.ts';
import { hashOf, newResetToken, newSessionId } from '../../infra/keys/credentials.ts';
import { startApi, type TestAnswer } from '../helpers/api.ts';
import { lettersTo, mailedToken, sendAllMail } from '../helpers/mail.ts';
import { newClient, newPkce, postForm, sqlOf, TOKEN } from '../helpers/oauth.ts';
import { hiddenFields, newVisitor, setCookies, type Visitor } from '../helpers/visitor.ts';

const api = startApi();
const sql = sqlOf(api.services);
const AUTHORIZE = '/api/v1/auth/authorize';
const SIGN_IN = '/api/v1/auth/sign-in';
const CONSENT = '/api/v1/auth/consent';
const SIGN_OUT = '/api/v1/auth/sign-out';
const FORGOT = '/api/v1/auth/forgot-password';
const RESET = '/api/v1/auth/reset-password';
const CHANGE = '/api/v1/auth/change-password';
const CALLBACK = 'https://app.example.org/callback?from=ringfence';
const SESSION = '__Host-rf_session';
const BROWSER = '__Host-rf_browser';
const NEW_PASSWORD = 'nine quiet harbours';

type Parameters = Record<string, string | undefined>;

async function newRequest(parts: Parameters = {}, client?: ClientParts) {
  const { clientId, secret } = await newClient(api.services, { redirectUris: [CALLBACK], ...client });
  return { clientId, secret, path: authorizePath({ client_id: clientId, ...parts }) };
}
interface ClientParts {
  isPublic?: boolean;
  redirectUris?: string[];
  scopes?: readonly Scope[];
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

    test.each([
      ['https://app.example.org:8443/callback', 'https://app.example.org:8443'],
      ['http://127.0.0.1:49152/callback', 'http://127.0.0.1:49152'],
      ['http://[::1]:49152/callback', 'http:'],
      ['com.example.app:/callback', 'com.example.app:'],
    ])('the policy allows forms to redirect to %s by %s only', async (uri, source) => {
      const { path } = await newRequest({ redirect_uri: uri }, { redirectUris: [uri] });
      const { headers } = await newVisitor(api).get(path);
      expect(headers['content-security-policy']).toContain(`; form-action 'self' ${source};`);
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

    test('unknown parameters are ignored', async () => {
      const { path } = await newRequest();
      expect(await newVisitor(api).get(`${path}&prompt=consent&prompt=login&nonce=n&resource=x`)).toHaveProperty(
        'status',
        200,
      );
    });

    test('the only registered redirect URI may be omitted, and a client with a secret may omit PKCE', async () => {
      const { path } = await newRequest({ redirect_uri: undefined, state: undefined, scope: undefined });
      expect(await newVisitor(api).get(path)).toHaveProperty('status', 200);
    });

    test('a name that looks like HTML is shown as text', async () => {
      const auth = await newClient(api.services, { redirectUris: [CALLBACK] });
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
      ['empty', ''],
      ['unknown', 'client_01934f3e-7c1a-7b7e-9d7e-0a4b5a0f2c11'],
      ['of other characters', 'client_\u0000é'],
      ['too long', 'c'.repeat(300)],
    ])('a client_id that is %s', async (_why, clientId) => {
      const answer = await refused(authorizePath({ client_id: clientId }));
      expect(answer.text).toContain('not registered');
    });

    test.each([
      'https://app.example.org/callback',
      'https://app.example.org/callback?from=ringfence&more=1',
      'https://app.example.org/callback?from=ringfence#',
      'https://app.example.org/callback/?from=ringfence',
      'https://APP.example.org/callback?from=ringfence',
      'https://app.example.org:443/callback?from=ringfence',
      'https://app.example.org/%63allback?from=ringfence',
      'https://app.example.org@evil.example/callback?from=ringfence',
      'https://app.example.org.evil.example/callback?from=ringfence',
      'http://app.example.org/callback?from=ringfence',
      'https://app.example.org/callback?from=ringfence\r\nSet-Cookie: a=b',
      '//app.example.org/callback?from=ringfence',
      'javascript:alert(1)',
      'data:text/html,x',
    ])('the redirect URI %j, which is not exactly the registered one', async (redirectUri) => {
      const { path } = await newRequest({ redirect_uri: redirectUri });
      await refused(path);
    });

    test('a native app may not vary the port of its loopback address', async () => {
      const registered = { redirectUris: ['http://127.0.0.1:49152/cb'], isPublic: true };
      const { path } = await newRequest({ redirect_uri: 'http://127.0.0.1:49153/cb' }, registered);
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
    test.each<[string, Parameters, string]>([
      ['no response_type', { response_type: undefined }, 'invalid_request'],
      ['an empty response_type', { response_type: '' }, 'invalid_request'],
      ['the implicit grant', { response_type: 'token' }, 'unsupported_response_type'],
      ['a hybrid flow', { response_type: 'code id_token' }, 'unsupported_response_type'],
      ['response_type in capitals', { response_type: 'CODE' }, 'unsupported_response_type'],
      ['plain PKCE', { code_challenge: challenge, code_challenge_method: 'plain' }, 'invalid_request'],
      ['a challenge without a method', { code_challenge: challenge }, 'invalid_request'],
      ['a method without a challenge', { code_challenge_method: 'S256' }, 'invalid_request'],
      [
        'a challenge that is too short',
        { code_challenge: challenge.slice(1), code_challenge_method: 'S256' },
        'invalid_request',
      ],
      [
        'a challenge with padding',
        { code_challenge: `${challenge}=`, code_challenge_method: 'S256' },
        'invalid_request',
      ],
      [
        'a challenge of other characters',
        { code_challenge: `${challenge.slice(1)}+`, code_challenge_method: 'S256' },
        'invalid_request',
      ],
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

    test.each([
      ['a line of a header', 'x\r\nSet-Cookie: a=b'],
      ['further parameters', 'a&code=forged&iss=x'],
      ['all kinds of characters', 'ü 😀 + % # " <'],
      ['4,000 characters', 'x'.repeat(4_000)],
    ])('a state of %s is returned unchanged, and adds nothing', async (_of, state) => {
      const { path } = await newRequest({ state, scope: 'nothing' });
      const answer = await newVisitor(api).get(path);
      const { location, ...told } = leadsTo(answer);
      expect(told.state).toBe(state);
      expect(location).toMatch(/^[\x21-\x7e]+$/);
      expect(new URL(location).searchParams.getAll('code')).toEqual([]);
      expect(new URL(location).searchParams.getAll('iss')).toHaveLength(1);
      expect(answer.headers).not.toHaveProperty('set-cookie');
    });

    test.each([
      'https://a.example/cb',
      'https://a.example/cb?',
      'https://a.example/cb?a=%2B+b&',
      'com.example.app:/cb',
    ])('the registered redirect URI %s does not change', async (uri) => {
      const { path } = await newRequest({ redirect_uri: uri, scope: 'nothing' }, { redirectUris: [uri] });
      const { location } = leadsTo(await newVisitor(api).get(path));
      expect(location.startsWith(uri)).toBe(true);
      expect(location.slice(uri.length)).toMatch(/^[?&]?error=invalid_scope&/);
    });
  });
});

describe('signIn', () => {
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
    expect(row).toMatchObject({ session_hash: hashOf(cookie!.value!), ended_at: null });
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
      hashOf(visitor.cookies.get(SESSION)!),
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

  test('401 for an empty form; typed text is never markup', async () => {
    const { path } = await newRequest();
    const visitor = newVisitor(api);
    const page = await visitor.get(path);
    expect((await visitor.submit(page, SIGN_IN)).status).toBe(401);
    const answer = await visitor.submit(page, SIGN_IN, { email: '"><script>alert(1)</script>', password: 'x' });
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
      expect(await tried((form) => (form.csrf = randomBytes(32).toString('base64url')))).toBe(403);
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

  test('400 for duplicate, unknown and too long fields', async () => {
    const { path } = await newRequest();
    const visitor = newVisitor(api);
    const form = hiddenFields(await visitor.get(path), SIGN_IN);
    const posted = async (fields: [string, string][]) => {
      const answer = await visitor.post(SIGN_IN, [...Object.entries(form), ...fields]);
      expect({ status: answer.status, page: isPage(answer) }).toEqual({ status: 400, page: true });
    };
    await posted([
      ['email', 'a@example.org'],
      ['email', 'b@example.org'],
      ['password', 'x'],
    ]);
    await posted([['csrf', form.csrf!]]);
    await posted([
      ['email', 'a@example.org'],
      ['password', 'x'],
      ['redirect', 'https://evil.example'],
    ]);
    await posted([
      ['email', 'a'.repeat(1_025)],
      ['password', 'x'],
    ]);
    await posted([
      ['email', 'a@example.org'],
      ['password', 'x'.repeat(1_025)],
    ]);
    await posted([
      ['email', 'a\u0000@example.org'],
      ['password', 'x'],
    ]);
    const huge = await visitor.post(SIGN_IN, { ...form, password: 'x'.repeat(1_100_000) });
    expect({ status: huge.status, page: isPage(huge) }).toEqual({ status: 413, page: true });
    const json = await api.post(SIGN_IN, { body: { email: 'a@example.org' } });
    expect(json).toMatchObject({ status: 415, body: { code: 'unsupported-media-type' } });
  });

  test('the authorization request that follows is checked again, and cannot redirect elsewhere', async () => {
    const user = await api.registerUser();
    const { clientId } = await newRequest();
    const tried = async (query: string) => {
      const { path } = await newRequest();
      const visitor = newVisitor(api);
      const form = hiddenFields(await visitor.get(path), SIGN_IN);
      const answer = await visitor.post(SIGN_IN, {
        ...form,
        email: user.email,
        password: user.password,
        continue: query,
      });
      expect(visitor.cookies.has(SESSION)).toBe(answer.status === 303 && !answer.headers.location!.includes('error='));
      return answer;
    };
    for (const query of [
      '',
      'https://evil.example/',
      '//evil.example',
      'client_id=x',
      `client_id=${clientId}&redirect_uri=https%3A%2F%2Fevil.example`,
      '%ZZ',
    ]) {
      const answer = await tried(query);
      expect({ query, status: answer.status, location: answer.headers.location }).toEqual({
        query,
        status: 400,
        location: undefined,
      });
    }
    const refused = await tried(`client_id=${clientId}&response_type=token&state=s`);
    expect(leadsTo(refused)).toMatchObject({ base: CALLBACK, error: 'unsupported_response_type', state: 's' });
    const added = await tried(`client_id=${clientId}&response_type=code&next=https%3A%2F%2Fevil.example`);
    expect(added.headers.location).toBe(`${AUTHORIZE}?client_id=${clientId}&response_type=code`);
  });

  test('offers the registered sign-in providers, but no removed ones', async () => {
    const { path } = await newRequest();
    const insert = (id: string, name: string, removed: Date | null) =>
      sql.run(
        `insert into identity_providers (provider_id, name, issuer, client_id, client_secret_sealed, created_at, removed_at)
         values ($1, $2, $3, 'c', 's', now(), $4)`,
        [id, name, `https://${id}.example`, removed],
      );
    await insert('sip_a', 'Work & Play', null);
    await insert('sip_b', 'Gone', new Date());
    const { text } = await newVisitor(api).get(path);
    const [href] = /\/api\/v1\/auth\/sign-in\/sip_a\?continue=[^"]*/.exec(text)!;
    const query = new URL(href, api.url).searchParams.get('continue')!;
    expect(new URLSearchParams(query).get('redirect_uri')).toBe(CALLBACK);
    expect(text).toContain('Sign in with Work &amp; Play');
    expect(text).not.toContain('Gone');
    await sql.run(`delete from identity_providers where provider_id like 'sip__'`);
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
    const { path, clientId, secret } = await newRequest({ scope: 'read:payments read:profile', ...pkce });
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

    const [row] = await sql.many('select * from authorization_codes where code_hash = $1', [hashOf(code!)]);
    expect(row).toMatchObject({
      client_id: clientId,
      user_id: user.userId,
      redirect_uri: CALLBACK,
      scopes: ['read:profile', 'read:payments'],
      code_challenge: challenge,
      session_hash: hashOf(visitor.cookies.get(SESSION)!),
      used_at: null,
    });
    expect(Date.parse(row!.expires_at as string) - Date.parse(row!.created_at as string)).toBe(60_000);

    const grant = { grant_type: 'authorization_code', code: code!, redirect_uri: CALLBACK, code_verifier: verifier };
    const tokens = await postForm(api, TOKEN, { ...grant, client_id: clientId, client_secret: secret });
    expect(tokens).toMatchObject({ status: 200, body: { scope: 'read:profile read:payments' } });
    const me = await api.get('/api/v1/auth/me', { token: tokens.body.access_token });
    expect(me.body).toMatchObject({ user_id: user.userId, scopes: ['read:profile', 'read:payments'] });
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
    expect((await visitor.submit(page, CONSENT, { decision: 'allow', csrf: '' })).status).toBe(403);
    expect(
      (await visitor.submit(page, CONSENT, { decision: 'allow' }, { origin: 'https://evil.example' })).status,
    ).toBe(403);
    expect(
      (await visitor.submit(page, CONSENT, { decision: 'allow' }, { 'sec-fetch-site': 'cross-site' })).status,
    ).toBe(403);
    const somebodyElse = await api.registerUser();
    const form = await newVisitorWith(visitor, BROWSER).get(path);
    await visitor.submit(form, SIGN_IN, typed(somebodyElse));
    const answer = await visitor.submit(page, CONSENT, { decision: 'allow' });
    expect({ status: answer.status, location: answer.headers.location }).toEqual({ status: 403, location: undefined });
  });

  test('403 if the form differs from the shown page in scope, redirect URI or client', async () => {
    const other = `${CALLBACK}/other`;
    const { path, clientId } = await newRequest({}, { redirectUris: [CALLBACK, other] });
    const { clientId: stranger } = await newClient(api.services, { redirectUris: [CALLBACK] });
    const { visitor, page } = await signedIn(path);
    const shown = hiddenFields(page, CONSENT).continue!;
    for (const [name, value] of [
      ['scope', 'read:profile write:payments'],
      ['redirect_uri', other],
      ['client_id', stranger],
    ] as const) {
      const changed = new URLSearchParams(shown);
      changed.set(name, value);
      const answer = await visitor.submit(page, CONSENT, { decision: 'allow', continue: changed.toString() });
      expect([name, answer.status, answer.headers.location]).toEqual([name, 403, undefined]);
    }
    expect(await sql.many('select 1 from consents where client_id = any($1)', [[clientId, stranger]])).toEqual([]);
    expect(leadsTo(await visitor.submit(page, CONSENT, { decision: 'allow' })).base).toBe(CALLBACK);
  });

  test('after the session has expired it redirects to the sign-in page, and nothing is allowed', async () => {
    const { path, clientId } = await newRequest();
    const { visitor, page } = await signedIn(path);
    await sql.run('update sessions set ended_at = now() where session_hash = $1', [
      hashOf(visitor.cookies.get(SESSION)!),
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
    const { path, clientId, secret } = await newRequest();
    const user = await api.registerUser();
    const { visitor, page } = await signedIn(path, user);
    const { code } = leadsTo(await visitor.submit(page, CONSENT, { decision: 'allow' }));
    const grant = { grant_type: 'authorization_code', code: code!, redirect_uri: CALLBACK };
    const { body: tokens } = await postForm(api, TOKEN, { ...grant, client_id: clientId, client_secret: secret });
    const session = visitor.cookies.get(SESSION)!;
    const answer = await visitor.submit(page, SIGN_OUT);
    expect(visitor.cookies.has(SESSION)).toBe(false);
    expect(leadsTo(answer).location.startsWith(`${AUTHORIZE}?client_id=`)).toBe(true);
    visitor.cookies.set(SESSION, session);
    expect((await visitor.get(answer.headers.location as string)).text).toContain('<h1>Sign in</h1>');
    expect(await api.get('/api/v1/auth/me', { token: tokens.access_token })).toHaveProperty('status', 401);
    expect(await api.get('/api/v1/auth/me', { token: user.token })).toHaveProperty('status', 200);
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
    const pages = await Promise.all(
      [email, 'nobody-at-all@example.org'].map(async (address) => {
        const visitor = newVisitor(api);
        const answer = await visitor.submit(await visitor.get(FORGOT), FORGOT, { email: address });
        expect({ status: answer.status, page: isPage(answer) }).toEqual({ status: 202, page: true });
        return answer.text;
      }),
    );
    expect(pages[0]).toBe(pages[1]);
    expect(pages[0]).toContain('If that email address has an account');
  });

  test('400 for an invalid address, in JSON and on the page', async () => {
    for (const email of ['nobody', 'a@b', 'a b@example.org', '']) {
      const answer = await api.post(FORGOT, { body: { email } });
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid-request', errors: [{ pointer: '/email' }] } });
      const visitor = newVisitor(api);
      const page = await visitor.submit(await visitor.get(FORGOT), FORGOT, { email });
      expect(page.status).toBe(400);
      expect(page.text).toContain('This is not an email address.');
    }
    expect(await api.post(FORGOT, { body: {} })).toHaveProperty('status', 400);
    expect(await api.post(FORGOT, { body: { email: 'a@example.org', extra: 1 } })).toHaveProperty('status', 400);
    expect(await api.post(FORGOT, { body: { email: ['a@example.org'] } })).toHaveProperty('status', 400);
  });

  test('403 for a form from another page', async () => {
    const answer = await newVisitor(api).post(FORGOT, { email: 'a@example.org' });
    expect({ status: answer.status, page: isPage(answer) }).toEqual({ status: 403, page: true });
  });

  test('a retry with the same Idempotency-Key makes one mail', async () => {
    const { email } = await api.registerUser();
    const headers = { 'Idempotency-Key': randomBytes(8).toString('hex') };
    const first = await api.post(FORGOT, { body: { email }, headers });
    const again = await api.post(FORGOT, { body: { email }, headers });
    expect(again).toMatchObject({ status: 202, text: first.text, headers: { 'idempotent-replayed': 'true' } });
    await mailedToken(api.services, email);
    const letters = await lettersTo(api.services, email);
    expect(letters.filter(({ subject }) => subject === 'Set a new Ringfence password')).toHaveLength(1);
  });
});

async function withLink() {
  const user = await api.registerUser();
  await api.post(FORGOT, { body: { email: user.email } });
  return { ...user, link: await mailedToken(api.services, user.email) };
}
const login = (email: string, password: string) => api.post('/api/v1/auth/login', { body: { email, password } });

describe('resetPassword', () => {
  test('204 sets the password once, ends every sign-in, signs nobody in, and sends a mail about it', async () => {
    const { email, userId, token, password, link } = await withLink();
    const { path } = await newRequest();
    const { visitor } = await signedIn(path, { email, password });
    const answer = await api.post(RESET, { body: { token: link, password: NEW_PASSWORD } });
    expect(answer).toMatchObject({ status: 204, text: '' });
    expect(answer.headers).not.toHaveProperty('set-cookie');
    expect(await api.get('/api/v1/auth/me', { token })).toHaveProperty('status', 401);
    expect((await visitor.get(path)).text).toContain('<h1>Sign in</h1>');
    expect(await login(email, password)).toHaveProperty('status', 401);
    expect(await login(email, NEW_PASSWORD)).toHaveProperty('status', 200);
    expect(await api.post(RESET, { body: { token: link, password: 'another new password' } })).toMatchObject({
      status: 401,
      body: { code: 'invalid-reset-token' },
    });
    expect((await eventsOf(userId)).map(({ kind }) => kind)).toContain('password.reset');
    const [row] = await sql.many('select email_verified_at from users where user_id = $1', [userId]);
    expect(row!.email_verified_at).not.toBeNull();
    await sendAllMail(api.services);
    const subjects = (await lettersTo(api.services, email)).map(({ subject }) => subject);
    expect(subjects).toContain('Your Ringfence password was changed');
  });

  test('401 with the same answer for a link that is forged, cut short, padded, expired or used', async () => {
    const { link } = await withLink();
    const expired = await withLink();
    const used = await withLink();
    await sql.run(`update password_resets set expires_at = now() - interval '1 second' where token_hash = $1`, [
      hashOf(expired.link),
    ]);
    await api.post(RESET, { body: { token: used.link, password: NEW_PASSWORD } });
    const bad = [
      newResetToken(),
      link.slice(0, -1),
      `${link}A`,
      link.replace('rf_pr_', 'rf_at_'),
      link.toUpperCase(),
      ` ${link}`,
      hashOf(link),
      expired.link,
      used.link,
      'x',
    ];
    const texts = new Set<string>();
    for (const token of bad) {
      const answer = await api.post(RESET, { body: { token, password: NEW_PASSWORD } });
      expect({ token, status: answer.status }).toEqual({ token, status: 401 });
      texts.add(JSON.stringify({ ...answer.body, instance: '' }));
      const page = await newVisitor(api).get(`${RESET}?token=${encodeURIComponent(token)}`);
      expect({ status: page.status, page: isPage(page) }).toEqual({ status: 401, page: true });
      expect(page.text).toContain('Ask for a new link');
    }
    expect(texts.size).toBe(1);
    expect(await api.post(RESET, { body: { token: link, password: NEW_PASSWORD } })).toHaveProperty('status', 204);
  });

  test('400 names every fault of the password, even the address as password, and the link stays valid', async () => {
    const { link, email } = await withLink();
    for (const [password, faults] of [
      ['short', 1],
      ['password1234', 1],
      [email, 1],
      ['x'.repeat(257), 1],
    ] as const) {
      const answer = await api.post(RESET, { body: { token: link, password } });
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid-request' } });
      expect(answer.body.errors).toHaveLength(faults);
      expect(answer.body.errors[0].pointer).toBe('/password');
      expect(answer.text).not.toContain(password);
    }
    for (const body of [
      {},
      { token: link },
      { password: NEW_PASSWORD },
      { token: 1, password: NEW_PASSWORD },
      { token: 'x'.repeat(257), password: NEW_PASSWORD },
    ]) {
      expect(await api.post(RESET, { body })).toHaveProperty('status', 400);
    }
    expect(await api.post(RESET, { body: { token: link, password: NEW_PASSWORD } })).toHaveProperty('status', 204);
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
    test('opening it does not use up the link, and sends the token nowhere', async () => {
      const { link } = await withLink();
      const visitor = newVisitor(api);
      for (let i = 0; i < 3; i += 1) {
        const page = await visitor.get(`${RESET}?token=${link}`);
        expect(page.status).toBe(200);
        expect(page.headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
        expect(page.text.match(new RegExp(link, 'g'))).toHaveLength(1);
        expect(page.text).toContain(`<input type="hidden" name="token" value="${link}">`);
      }
    });

    test('200 confirms the change', async () => {
      const { link, email } = await withLink();
      const visitor = newVisitor(api);
      const page = await visitor.get(`${RESET}?token=${link}`);
      const answer = await visitor.submit(page, RESET, { password: NEW_PASSWORD, password_again: NEW_PASSWORD });
      expect(answer.status).toBe(200);
      expect(answer.text).toContain('<h1>Your password is set</h1>');
      expect(answer.headers).not.toHaveProperty('set-cookie');
      expect(await login(email, NEW_PASSWORD)).toHaveProperty('status', 200);
    });

    test('400 shows the form again for two different passwords and for a refused one', async () => {
      const { link, password } = await withLink();
      const visitor = newVisitor(api);
      const page = await visitor.get(`${RESET}?token=${link}`);
      const differ = await visitor.submit(page, RESET, { password: NEW_PASSWORD, password_again: password });
      expect(differ.status).toBe(400);
      expect(differ.text).toContain('are different');
      const short = await visitor.submit(differ, RESET, { password: 'short', password_again: 'short' });
      expect(short.status).toBe(400);
      expect(short.text).toContain('The password is 5 characters long; it must have at least 12.');
      const done = await visitor.submit(short, RESET, { password: NEW_PASSWORD, password_again: NEW_PASSWORD });
      expect(done.status).toBe(200);
    });

    test("403 without the form's token, and 401 for a link that was used meanwhile", async () => {
      const { link } = await withLink();
      const visitor = newVisitor(api);
      const page = await visitor.get(`${RESET}?token=${link}`);
      const filled = { password: NEW_PASSWORD, password_again: NEW_PASSWORD };
      expect((await visitor.submit(page, RESET, { ...filled, csrf: '' })).status).toBe(403);
      expect((await visitor.submit(page, RESET, filled, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
      expect((await visitor.submit(page, RESET, filled)).status).toBe(200);
      const again = await visitor.submit(page, RESET, filled);
      expect({ status: again.status, page: isPage(again) }).toEqual({ status: 401, page: true });
    });

    test('400 without a token in the address', async () => {
      expect(await newVisitor(api).get(RESET)).toHaveProperty('status', 400);
      expect(await newVisitor(api).get(`${RESET}?token=a&token=b`)).toHaveProperty('status', 400);
    });
  });
});

describe('changePassword', () => {
  const change = (token: string | undefined, body: unknown) =>
    api.post(CHANGE, { ...(token === undefined ? {} : { token }), body });

  test('204 changes the password and ends every other sign-in', async () => {
    const { email, password, token, userId } = await api.registerUser({ proved: true });
    const { body: other } = await login(email, password);
    const { path } = await newRequest();
    const { visitor } = await signedIn(path, { email, password });
    expect(await change(token, { current_password: password, password: NEW_PASSWORD })).toMatchObject({
      status: 204,
      text: '',
    });
    expect(await api.get('/api/v1/auth/me', { token })).toHaveProperty('status', 200);
    expect(await api.get('/api/v1/auth/me', { token: other.access_token })).toHaveProperty('status', 401);
    expect((await visitor.get(path)).text).toContain('<h1>Sign in</h1>');
    expect(await login(email, password)).toHaveProperty('status', 401);
    expect(await login(email, NEW_PASSWORD)).toHaveProperty('status', 200);
    expect((await eventsOf(userId)).map(({ kind }) => kind)).toContain('password.changed');
    await sendAllMail(api.services);
    const subjects = (await lettersTo(api.services, email)).map(({ subject }) => subject);
    expect(subjects).toContain('Your Ringfence password was changed');
  });

  test('sends an unproved address no mail, and a proved one at most five mails an hour', async () => {
    const users = [await api.registerUser(), await api.registerUser({ proved: true })];
    const told: number[] = [];
    for (const { email, password, token } of users) {
      for (let i = 0; i < 7; i += 1) {
        const body = {
          current_password: i === 0 ? password : `${NEW_PASSWORD} ${i - 1}`,
          password: `${NEW_PASSWORD} ${i}`,
        };
        expect(await change(token, body)).toHaveProperty('status', 204);
      }
      await sendAllMail(api.services);
      const letters = await lettersTo(api.services, email);
      told.push(letters.filter(({ subject }) => subject === 'Your Ringfence password was changed').length);
    }
    expect(told).toEqual([0, 5]);
  });

  test('an application with the scope keeps its own sign-in, and the session of its consent', async () => {
    const { path, clientId, secret } = await newRequest({ scope: 'write:profile' }, { scopes: ['write:profile'] });
    const user = await api.registerUser();
    const { visitor, page } = await signedIn(path, user);
    const { code } = leadsTo(await visitor.submit(page, CONSENT, { decision: 'allow' }));
    const grant = { grant_type: 'authorization_code', code: code!, redirect_uri: CALLBACK };
    const { body: tokens } = await postForm(api, TOKEN, { ...grant, client_id: clientId, client_secret: secret });
    const answer = await change(tokens.access_token, { current_password: user.password, password: NEW_PASSWORD });
    expect(answer.status).toBe(204);
    expect(await api.get('/api/v1/auth/me', { token: user.token })).toHaveProperty('status', 401);
    expect(await api.get('/api/v1/auth/me', { token: tokens.access_token })).toHaveProperty('status', 200);
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
    const { clientId } = await newClient(limited.services, { redirectUris: [CALLBACK] });
    const user = await limited.registerUser();
    const visitor = newVisitor(limited);
    const page = await visitor.get(authorizePath({ client_id: clientId }));
    const statuses: number[] = [];
    for (let i = 0; i < 3; i += 1) {
      statuses.push((await visitor.submit(page, SIGN_IN, { email: user.email, password: 'wrong' })).status);
    }
    expect(statuses).toEqual([401, 401, 401]);
    const locked = await visitor.submit(page, SIGN_IN, { email: user.email, password: user.password });
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
