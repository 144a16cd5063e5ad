import { randomUUID } from 'node:crypto';
import { decodeJwt, importJWK, SignJWT, type JWK } from 'jose';
import {
  createIdentityProvider,
  listIdentityProviders,
  removeIdentityProvider,
} from '../../activities/auth/identity-providers.ts';
import { hashOf } from '../../infra/keys/credentials.ts';
import { newSignInChecks, openOidc } from '../../infra/oidc/index.ts';
import { freePort } from '../helpers/ports.ts';
import { accountsOf } from '../helpers/activities.ts';
import { startApi, type TestAnswer } from '../helpers/api.ts';
import { newClient, postForm, REDIRECT_URI, sqlOf, TOKEN } from '../helpers/oauth.ts';
import { newSigningKey, type TestProvider } from '../helpers/oidc-provider.ts';
import {
  newPerson,
  identityProviderWays,
  SIGN_IN_CA,
  type IdentityProviderWays,
  type Way,
} from '../helpers/identity-provider-way.ts';
import { newVisitor, setCookies, type Visitor } from '../helpers/visitor.ts';
import { HERE } from '../helpers/here.ts';

const api = startApi({ env: { SIGN_IN_CA } });
const ways = identityProviderWays(api);
const { services } = api;
const sql = sqlOf(services);
const PASSWORD = 'seven green lanterns';

let provider: TestProvider;
let providerId: string;

beforeAll(async () => {
  ({ provider, providerId } = await registered());
});
beforeEach(() => {
  Object.assign(provider, { person: undefined, tamper: undefined, outage: undefined });
});

const registered: IdentityProviderWays['register'] = (...given) => ways.register(...given);
const throughProvider = (location: string) => ways.through(location);
const beginning = (id = providerId) => `/api/v1/auth/sign-in/${id}`;
const cameBack = (way: Partial<Way> = {}) => ways.cameBack({ id: providerId, ...way });
const signedIn = (way: Partial<Way> = {}) => ways.signIn({ id: providerId, ...way });

const userOf = async (visitor: Visitor): Promise<string | undefined> => {
  const session = visitor.cookies.get('__Host-rf_session');
  if (session === undefined) return undefined;
  const rows = await sql.many<{ user_id: string }>(
    'select user_id from sessions where session_hash = $1 and ended_at is null',
    [hashOf(session)],
  );
  return rows[0]?.user_id;
};
const counts = async () =>
  (
    await sql.many<Record<string, number>>(
      `select (select count(*) from users) as users, (select count(*) from sessions) as sessions,
              (select count(*) from user_identities) as identities, (select count(*) from vault_records) as records`,
    )
  )[0];
const eventsOf = async (subject: string) =>
  (
    await sql.many<{ kind: string }>('select kind from audit_events where subject = $1 order by subject_seq', [subject])
  ).map(({ kind }) => kind);

function expectPage(answer: TestAnswer, status: number, ...says: string[]) {
  expect({ status: answer.status, type: answer.headers['content-type'] }).toEqual({
    status,
    type: 'text/html; charset=utf-8',
  });
  for (const words of says) expect(answer.text).toContain(words);
  expect(setCookies(answer).filter(({ name }) => name === '__Host-rf_session')).toEqual([]);
}

describe('signInWithProvider', () => {
  test('303 sends the browser to the provider with PKCE, state and nonce, and keeps none of them in the clear', async () => {
    const visitor = newVisitor(api);
    const { status, headers } = await visitor.get(beginning());
    expect(status).toBe(303);
    const location = new URL(String(headers.location));
    expect(location.origin).toBe(provider.issuer);
    const query = Object.fromEntries(location.searchParams);
    expect(query).toEqual({
      client_id: provider.clientId,
      response_type: 'code',
      redirect_uri: `${services.config.api.publicUrl}${beginning()}/callback`,
      scope: 'openid email',
      state: expect.stringMatching(/^[\w-]{43}$/) as string,
      nonce: expect.stringMatching(/^[\w-]{43}$/) as string,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
      code_challenge_method: 'S256',
    });
    const rows = JSON.stringify(await sql.many('select t::text from sign_in_attempts t'));
    for (const secret of [query.state!, query.nonce!, visitor.cookies.get('__Host-rf_browser')!]) {
      expect(rows).not.toContain(secret);
    }
  });

  test('404 for an unknown or removed provider', async () => {
    const gone = await registered();
    await removeIdentityProvider(services, { provider_id: gone.providerId });
    for (const id of ['sip_unknown', gone.providerId, '%00', "' or 1=1"]) {
      const answer = await newVisitor(api).get(beginning(encodeURIComponent(id)));
      expect([400, 404]).toContain(answer.status);
      expect(answer.headers.location).toBeUndefined();
    }
  });

  test('503 names a provider that is unreachable, responds with errors or is not a provider, and a later try works', async () => {
    const away = await registered({}, 'Faraway <ID>');
    for (const outage of [500, 404, 302]) {
      away.provider.outage = outage;
      const answer = await newVisitor(api).get(beginning(away.providerId));
      expectPage(answer, 503, 'Faraway &lt;ID&gt; cannot be reached at the moment');
      expect(answer.headers['retry-after']).toBeDefined();
    }
    away.provider.outage = undefined;
    expect(await newVisitor(api).get(beginning(away.providerId))).toMatchObject({ status: 303 });

    const port = await freePort();
    const given = { name: 'Nobody', issuer: `https://localhost:${port}`, client_id: 'x', client_secret: 'y' };
    const nobody = await createIdentityProvider(services, given);
    expectPage(await newVisitor(api).get(beginning(nobody.provider_id)), 503, 'Nobody cannot be reached at the moment');
  });

  test('a provider whose issuer differs from the registered one is not used', async () => {
    const { provider: honest } = await registered();
    const given = {
      name: 'Alias',
      issuer: honest.issuer.replace('localhost', '127.0.0.1'),
      client_id: 'x',
      client_secret: 'y',
    };
    const alias = await createIdentityProvider(services, given);
    expectPage(await newVisitor(api).get(beginning(alias.provider_id)), 503, 'Alias cannot be reached at the moment');
  });
});

describe('completeProviderSignIn', () => {
  describe('the identity', () => {
    test('a new person gets an account without a password, with the address that the provider verified', async () => {
      const person = (provider.person = newPerson({ email: 'Zoë.New@Example.org' }));
      const { visitor, answer } = await signedIn();
      expect(answer.status).toBe(200);
      expect(answer.text).toContain('You are signed in');
      const userId = (await userOf(visitor))!;
      const [row] = await sql.many<{ password_hash: null; verified: boolean; owner: string }>(
        `select u.password_hash, u.email_verified_at is not null as verified, o.owner_id as owner
           from users u join owners o on o.owner_id = u.user_id where u.user_id = $1`,
        [userId],
      );
      expect(row).toEqual({ password_hash: null, verified: true, owner: userId });
      expect(await eventsOf(userId)).toEqual(['user.registered', 'provider.linked', 'sign-in.succeeded']);
      for (const table of [
        'users',
        'user_identities',
        'sign_in_attempts',
        'audit_events',
        'vault_records',
        'mail_messages',
      ]) {
        const rows = JSON.stringify(await sql.many(`select t::text from ${table} t`));
        expect(rows).not.toContain(person.sub);
        expect(rows.toLowerCase()).not.toContain('new@example.org');
      }
      await expect(
        accountsOf(services).registerUser({ email: 'zoë.new@example.org', password: PASSWORD }),
      ).rejects.toMatchObject({ code: 'email-taken' });
    });

    test('the same person is the same user, even after their address at the provider changed', async () => {
      const person = (provider.person = newPerson());
      const first = await signedIn();
      provider.person = { ...person, email: 'another-address@example.org' };
      const second = await signedIn();
      expect(await userOf(second.visitor)).toBe(await userOf(first.visitor));
      expect(second.visitor.cookies.get('__Host-rf_session')).not.toBe(first.visitor.cookies.get('__Host-rf_session'));
    });

    test('ten simultaneous browsers of one new person are all signed in as one user', async () => {
      provider.person = newPerson();
      const ways = await Promise.all(Array.from({ length: 10 }, () => cameBack()));
      const answers = await Promise.all(ways.map(({ visitor, path }) => visitor.get(path)));
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
      const users = await Promise.all(ways.map(({ visitor }) => userOf(visitor)));
      expect(new Set(users).size).toBe(1);
      expect(users[0]).toBeDefined();
    });

    test.each([
      ['false', false],
      ['missing', undefined],
      ['the text "true"', 'true'],
      ['1', 1],
    ])(
      '403 if the provider has not verified the address (%s), and no account is made or linked',
      async (_what, email_verified) => {
        const person = newPerson({ email_verified });
        await accountsOf(services).registerUser({ email: person.email!, password: PASSWORD });
        provider.person = person;
        const before = await counts();
        const { answer, visitor } = await signedIn();
        expectPage(answer, 403, 'Example ID did not return a verified email address');
        expect(await counts()).toEqual(before);
        expect(await userOf(visitor)).toBeUndefined();
      },
    );

    test.each([
      ['ada@g\u0131thub.example', 'ada@github.example'],
      ['bob@github.example', 'bob@g\u0131thub.example'],
      ['stra\u00dfe@example.org', 'strasse@example.org'],
    ])(
      '403 if an account has the address %j and the provider verified the similar address %j',
      async (registered, verified) => {
        const auth = accountsOf(services);
        await auth.registerUser({ email: registered, password: PASSWORD });
        provider.person = newPerson({ email: verified });
        const before = await counts();
        const { answer, visitor } = await signedIn();
        expectPage(answer, 403);
        expect(await userOf(visitor)).toBeUndefined();
        expect(await counts()).toEqual(before);
        await expect(auth.login({ from: HERE, email: registered, password: PASSWORD })).resolves.toBeDefined();
      },
    );

    test.each(['\uff4eobody@example.org', '\u212aelvin@example.org', ' padded@example.org', 'e\u0301va@example.org'])(
      '403 for the address %j, which would be stored differently',
      async (email) => {
        provider.person = newPerson({ email });
        const before = await counts();
        expectPage((await signedIn()).answer, 403, 'did not return a verified email address');
        expect(await counts()).toEqual(before);
      },
    );

    test.each([undefined, '', 'nobody', 'a@b', 'ada@example.org\nBcc: x@example.org', 'x'.repeat(300)])(
      '403 for the address %j',
      async (email) => {
        provider.person = newPerson({ email });
        const before = await counts();
        expectPage((await signedIn()).answer, 403, 'did not return a verified email address');
        expect(await counts()).toEqual(before);
      },
    );

    test('works with the address in the ID token, the secret in the body, and plain HTTP on this machine', async () => {
      const { provider: other, providerId: id } = await registered({
        authMethod: 'client_secret_post',
        emailInIdToken: true,
        plain: true,
      });
      other.person = newPerson();
      const { answer } = await signedIn({ id });
      expect(answer.status).toBe(200);
      expect(other.seen).toEqual(['/token']);
    });

    test('the same subject at another provider is another person', async () => {
      const person = (provider.person = newPerson());
      const first = await signedIn();
      const { provider: other, providerId: id } = await registered();
      other.person = { ...person, email: 'somebody-else@example.org' };
      const second = await signedIn({ id });
      expect(await userOf(second.visitor)).toBeDefined();
      expect(await userOf(second.visitor)).not.toBe(await userOf(first.visitor));
    });

    test('a browser that was signed in as another person gets a new session', async () => {
      provider.person = newPerson();
      const { visitor } = await signedIn();
      const [first, session] = [await userOf(visitor), visitor.cookies.get('__Host-rf_session')];
      provider.person = newPerson();
      await signedIn({ visitor });
      expect(await userOf(visitor)).not.toBe(first);
      const old = newVisitor(api);
      old.cookies.set('__Host-rf_session', session!);
      expect(await userOf(old)).toBeUndefined();
    });
  });

  describe('the redirect afterwards', () => {
    test('303 to our authorization endpoint with the original query, where the person is signed in', async () => {
      const client = await newClient(services);
      const query = new URLSearchParams({
        client_id: client.clientId,
        redirect_uri: REDIRECT_URI,
        response_type: 'code',
        scope: 'read:profile',
        state: 'a&b=c #?\u00e9',
      }).toString();
      provider.person = newPerson();
      const { visitor, answer } = await signedIn({ query });
      expect(answer.status).toBe(303);
      expect(answer.headers.location).toBe(`/api/v1/auth/authorize?${query}`);
      const page = await visitor.get(String(answer.headers.location));
      expect(page.status).toBe(200);
      expect(page.text).toContain('/api/v1/auth/consent');
    });

    test('from the link on the sign-in page all the way to tokens, without a password', async () => {
      const client = await newClient(services);
      const query = new URLSearchParams({
        client_id: client.clientId,
        redirect_uri: REDIRECT_URI,
        response_type: 'code',
      });
      provider.person = newPerson();
      const visitor = newVisitor(api);
      const page = await visitor.get(`/api/v1/auth/authorize?${query.toString()}`);
      const link = [...page.text.matchAll(/href="([^"]+)"/g)].find(([, href]) => href!.startsWith(beginning()))![1]!;
      const begun = await visitor.get(link.replaceAll('&amp;', '&'));
      const callback = new URL(await throughProvider(String(begun.headers.location)));
      const back = await visitor.get(callback.pathname + callback.search);
      const consent = await visitor.get(String(back.headers.location));
      const answer = await visitor.submit(consent, '/api/v1/auth/consent', { decision: 'allow' });
      const code = new URL(String(answer.headers.location)).searchParams.get('code')!;
      const tokens = await postForm(api, TOKEN, {
        grant_type: 'authorization_code',
        code,
        redirect_uri: REDIRECT_URI,
        client_id: client.clientId,
        client_secret: client.secret,
      });
      expect(tokens.status).toBe(200);
      const me = await api.get('/api/v1/auth/me', { token: tokens.body.access_token });
      expect(me.body).toMatchObject({ user_id: await userOf(visitor), email: provider.person.email });
    });

    test.each([
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example',
      'x\r\nLocation: https://evil.example/',
      'x\r\n\r\n<script>',
      '#@evil.example',
      '@evil.example',
      '../../evil',
      'javascript:alert(1)',
    ])('%j does not redirect elsewhere', async (query) => {
      provider.person = newPerson();
      const { answer } = await signedIn({ query });
      expect(answer.status).toBe(303);
      const location = String(answer.headers.location);
      expect(new URL(location, 'https://us.example').origin).toBe('https://us.example');
      expect(location).toMatch(/^\/api\/v1\/auth\/authorize\?[\x21-\x7e]*$/);
      expect(location).not.toContain('#');
    });

    test('the session cookie belongs to one browser only', async () => {
      provider.person = newPerson();
      const { answer } = await signedIn();
      const cookie = setCookies(answer).find(({ name }) => name === '__Host-rf_session');
      expect(cookie).toMatchObject({ secure: true, httpOnly: true, sameSite: 'lax', path: '/' });
    });
  });

  describe('403 for a response that does not belong to this browser and this sign-in', () => {
    test('in another browser; the first browser can still continue', async () => {
      provider.person = newPerson();
      const { visitor, path } = await cameBack();
      const other = newVisitor(api);
      await other.get(beginning());
      const before = await counts();
      expectPage(await other.get(path), 403);
      expectPage(await newVisitor(api).get(path), 403);
      expect(await counts()).toEqual(before);
      expect(await visitor.get(path)).toMatchObject({ status: 200 });
    });

    test('a second time', async () => {
      provider.person = newPerson();
      const { visitor, path } = await cameBack();
      expect(await visitor.get(path)).toMatchObject({ status: 200 });
      const before = await counts();
      expectPage(await visitor.get(path), 403);
      expect(await counts()).toEqual(before);
    });

    test('ten times at once: one signs in', async () => {
      provider.person = newPerson();
      const { visitor, path } = await cameBack();
      const answers = await Promise.all(Array.from({ length: 10 }, () => visitor.get(path)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(403)]);
    });

    test('after 10 minutes', async () => {
      provider.person = newPerson();
      const { visitor, path } = await cameBack();
      await sql.run(`update sign_in_attempts set expires_at = date_trunc('milliseconds', now())`);
      expectPage(await visitor.get(path), 403);
    });

    test('at the callback of another provider, and of one that was removed meanwhile', async () => {
      const other = await registered();
      provider.person = newPerson();
      const { visitor, path } = await cameBack();
      expectPage(await visitor.get(path.replace(providerId, other.providerId)), 403);
      other.provider.person = newPerson();
      const gone = await cameBack({ id: other.providerId });
      await removeIdentityProvider(services, { provider_id: other.providerId });
      expectPage(await gone.visitor.get(gone.path), 404);
    });

    test.each([
      ['no state', (query: URLSearchParams) => query.delete('state')],
      ['another state', (query: URLSearchParams) => query.set('state', 'x'.repeat(43))],
      ['the state twice', (query: URLSearchParams) => query.append('state', query.get('state')!)],
      ['an empty state', (query: URLSearchParams) => query.set('state', '')],
      ['a NUL in the state', (query: URLSearchParams) => query.set('state', '\0')],
      ['no code', (query: URLSearchParams) => query.delete('code')],
      ['another code', (query: URLSearchParams) => query.set('code', 'x'.repeat(43))],
      ['the code twice', (query: URLSearchParams) => query.append('code', 'x')],
      ['an issuer that is another', (query: URLSearchParams) => query.set('iss', 'https://evil.example')],
      ['no issuer', (query: URLSearchParams) => query.delete('iss')],
      ['an error beside the code', (query: URLSearchParams) => query.set('error', 'server_error')],
      ['a whole answer in a JWT', (query: URLSearchParams) => query.set('response', 'x.y.z')],
    ])('%s', async (what, change) => {
      provider.person = newPerson();
      const { visitor, callback } = await cameBack();
      change(callback.searchParams);
      const before = await counts();
      const answer = await visitor.get(callback.pathname + callback.search);
      if (what.includes('JWT')) {
        // The service ignores an unknown parameter, so this request succeeds.
        expect(answer.status).toBe(200);
        return;
      }
      expectPage(answer, 403);
      expect(await counts()).toEqual(before);
    });

    test('additional parameters of a provider are ignored', async () => {
      provider.person = newPerson();
      const { visitor, path } = await cameBack();
      const extra = 'scope=email+openid&authuser=0&authuser=1&prompt=consent&hd=example.org';
      expect(await visitor.get(`${path}&${extra}`)).toMatchObject({ status: 200 });
    });

    test('a refusal by the provider', async () => {
      provider.person = undefined;
      const { visitor, path } = await cameBack();
      expect(path).toContain('error=access_denied');
      expectPage(await visitor.get(path), 403, 'Example ID did not confirm who is signing in');
    });
  });

  describe('403 for an invalid ID token', () => {
    const resigned = async (
      idToken: unknown,
      change: (claims: Record<string, unknown>) => void,
      jwk: JWK = newSigningKey(),
    ) => {
      const claims = decodeJwt(String(idToken)) as Record<string, unknown>;
      change(claims);
      const key = await importJWK(jwk, 'RS256');
      return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: jwk.kid }).sign(key);
    };
    const replaced = (header: object, claims: object) =>
      [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');

    test.each<[string, (answer: Record<string, unknown>) => Promise<Record<string, unknown>>]>([
      ['none at all', async ({ id_token: _gone, ...rest }) => rest],
      [
        'signed by another key',
        async (answer) => ({ ...answer, id_token: await resigned(answer.id_token, () => undefined) }),
      ],
      [
        'not signed',
        async (answer) => ({
          ...answer,
          id_token: `${replaced({ alg: 'none' }, decodeJwt(String(answer.id_token)))}.`,
        }),
      ],
      [
        'with another subject put in',
        async (answer) => {
          const [header = '', , signature = ''] = String(answer.id_token).split('.');
          const claims = { ...decodeJwt(String(answer.id_token)), sub: 'somebody-else' };
          const body = Buffer.from(JSON.stringify(claims)).toString('base64url');
          return { ...answer, id_token: `${header}.${body}.${signature}` };
        },
      ],
      ['of another sign-in', async (answer) => ({ ...answer, id_token: lastIdToken })],
      ['that is no token', async (answer) => ({ ...answer, id_token: 'x' })],
    ])('%s', async (_what, tamper) => {
      await rememberIdToken();
      provider.person = newPerson();
      provider.tamper = tamper;
      const before = await counts();
      const { answer, visitor } = await signedIn();
      expectPage(answer, 403, 'Example ID did not confirm who is signing in');
      expect(await counts()).toEqual(before);
      expect(await userOf(visitor)).toBeUndefined();
    });

    let lastIdToken = '';
    async function rememberIdToken() {
      provider.person = newPerson();
      provider.tamper = (answer) => {
        lastIdToken = String(answer.id_token);
        return answer;
      };
      await signedIn();
    }
  });

  test('503 names a provider that is unreachable when the browser returns', async () => {
    provider.person = newPerson();
    const { visitor, path } = await cameBack();
    provider.outage = 503;
    const before = await counts();
    expectPage(await visitor.get(path), 503, 'Example ID cannot be reached at the moment');
    expect(await counts()).toEqual(before);
  });

  test('a provider with an untrusted certificate is not used', async () => {
    // The CA in `SIGN_IN_CA` signed the provider's certificate.
    const oidc = openOidc({ caFile: undefined });
    const { issuer, clientId, clientSecret } = provider;
    const asked = { identityProviderId: randomUUID(), issuer, clientId, clientSecret };
    await expect(oidc.authorizationUrl(asked, 'https://us.example/', newSignInChecks())).rejects.toMatchObject({
      kind: 'unavailable',
    });
    await oidc.close();
    expect(() => openOidc({ caFile: '/nowhere/ca.crt' })).toThrow('SIGN_IN_CA');
  });
});

describe('createIdentityProvider', () => {
  const given = { name: 'X', issuer: 'https://id.example', client_id: 'x', client_secret: 'the-secret-of-x' };

  test.each([
    'http://id.example',
    'ftp://localhost',
    'https://id.example/?a=b',
    'https://id.example/#x',
    'https://user:pass@id.example',
    'https://id.example/.well-known/openid-configuration',
    'id.example',
    '',
    'javascript:alert(1)',
  ])('the issuer %j is refused', async (issuer) => {
    await expect(createIdentityProvider(services, { ...given, issuer })).rejects.toMatchObject({
      code: 'invalid-request',
    });
  });

  test.each([
    { name: '' },
    { name: 'x\ny' },
    { name: 'x'.repeat(65) },
    { client_id: '' },
    { client_id: 'é' },
    { client_secret: '' },
    { client_secret: 'x\r\ny' },
  ])('%j is refused', async (fault) => {
    await expect(createIdentityProvider(services, { ...given, ...fault })).rejects.toMatchObject({
      code: 'invalid-request',
    });
  });

  test('an issuer can be registered once until its removal, and its secret is encrypted', async () => {
    const { provider_id } = await createIdentityProvider(services, { ...given, issuer: 'https://once.example/' });
    await expect(createIdentityProvider(services, { ...given, issuer: 'https://once.example' })).rejects.toMatchObject({
      code: 'invalid-request',
    });
    const stored = async () => JSON.stringify(await sql.many('select t::text from identity_providers t'));
    expect(await stored()).not.toContain(given.client_secret);
    await removeIdentityProvider(services, { provider_id });
    await expect(removeIdentityProvider(services, { provider_id })).rejects.toMatchObject({ code: 'not-found' });
    const [row] = await sql.many<{ sealed: string }>(
      'select client_secret_sealed as sealed from identity_providers where provider_id = $1',
      [provider_id],
    );
    expect(row).toEqual({ sealed: '' });
    await expect(createIdentityProvider(services, { ...given, issuer: 'https://once.example' })).resolves.toBeDefined();
    const { items } = await listIdentityProviders(services);
    expect(JSON.stringify(items)).not.toContain('sealed');
    expect(items.find((item) => item.provider_id === provider_id)).toMatchObject({
      issuer: 'https://once.example',
      removed_at: expect.any(String) as string,
    });
  });
});
