import { randomUUID } from 'node:crypto';
import { decodeJwt, importJWK, SignJWT } from 'jose';
import { disableUser } from '../../activities/auth/accounts.ts';
import { createIdentityProvider, removeIdentityProvider } from '../../activities/auth/identity-providers.ts';
import { newSignInChecks, openOidc } from '../../infra/oidc/index.ts';
import { freePort } from '../helpers/ports.ts';
import { accountsOf } from '../helpers/activities.ts';
import { startApi, type TestAnswer } from '../helpers/api.ts';
import { newClient, redeem, REDIRECT_URI, sqlOf } from '../helpers/oauth.ts';
import { newSigningKey, type Person, type TestProvider } from '../helpers/oidc-provider.ts';
import {
  identityProviderWays,
  newPerson,
  sessionUser,
  SIGN_IN_CA,
  type Way,
} from '../helpers/identity-provider-way.ts';
import { newVisitor, SESSION, setCookies, type Visitor } from '../helpers/visitor.ts';
import { HERE } from '../helpers/here.ts';

const api = startApi({ env: { SIGN_IN_CA } });
const ways = identityProviderWays(api);
const { services } = api;
const sql = sqlOf(services);
const PASSWORD = 'seven green lanterns';

let provider: TestProvider;
let providerId: string;

beforeAll(async () => {
  ({ provider, providerId } = await ways.register());
});
beforeEach(() => {
  Object.assign(provider, { person: newPerson(), tamper: undefined, outage: undefined });
});

const beginning = (id = providerId) => `/api/v1/auth/sign-in/${id}`;
const cameBack = (way: Partial<Way> = {}) => ways.cameBack({ id: providerId, ...way });
const signedIn = (way: Partial<Way> = {}) => ways.signIn({ id: providerId, ...way });
const userOf = (visitor: Visitor) => sessionUser(services, visitor);

const counts = async () =>
  (
    await sql.many<Record<string, number>>(
      `select (select count(*) from users) as users, (select count(*) from sessions) as sessions,
              (select count(*) from user_identities) as identities, (select count(*) from vault_records) as records`,
    )
  )[0];

function expectPage(answer: TestAnswer, status: number, ...says: string[]) {
  expect({ status: answer.status, type: answer.headers['content-type'] }).toEqual({
    status,
    type: 'text/html; charset=utf-8',
  });
  for (const words of says) expect(answer.text).toContain(words);
  expect(setCookies(answer).filter(({ name }) => name === SESSION)).toEqual([]);
}

/** Expects a page, and that nobody was registered, linked or signed in. */
async function expectRefused(work: () => Promise<TestAnswer>, status: number, ...says: string[]) {
  const before = await counts();
  expectPage(await work(), status, ...says);
  expect(await counts()).toEqual(before);
}
const refusedAs = (person: Person, ...says: string[]) => {
  provider.person = person;
  return expectRefused(async () => (await signedIn()).answer, 403, ...says);
};

async function newQuery(more: Record<string, string> = {}) {
  const client = await newClient(services);
  const asked = { client_id: client.clientId, redirect_uri: REDIRECT_URI, response_type: 'code', ...more };
  return { client, query: new URLSearchParams(asked).toString() };
}

describe('signInWithProvider', () => {
  test('303 sends the browser to the provider with PKCE, state and nonce, and keeps none of them in the clear', async () => {
    const visitor = newVisitor(api);
    const { status, headers } = await visitor.get(beginning());
    expect(status).toBe(303);
    const location = new URL(String(headers.location));
    expect(location.origin).toBe(provider.issuer);
    const query = Object.fromEntries(location.searchParams);
    const random = expect.stringMatching(/^[\w-]{43}$/) as string;
    expect(query).toEqual({
      client_id: provider.clientId,
      response_type: 'code',
      redirect_uri: `${services.config.api.publicUrl}${beginning()}/callback`,
      scope: 'openid email',
      state: random,
      nonce: random,
      code_challenge: random,
      code_challenge_method: 'S256',
    });
    const rows = JSON.stringify(await sql.many('select t::text from sign_in_attempts t'));
    for (const secret of [query.state!, query.nonce!, visitor.cookies.get('__Host-rf_browser')!]) {
      expect(rows).not.toContain(secret);
    }
  });

  test('404 for an unknown or removed provider', async () => {
    const gone = await ways.register();
    await removeIdentityProvider(services, { provider_id: gone.providerId });
    for (const id of ['sip_unknown', gone.providerId, '%00', "' or 1=1"]) {
      const answer = await newVisitor(api).get(beginning(encodeURIComponent(id)));
      expect([400, 404]).toContain(answer.status);
      expect(answer.headers.location).toBeUndefined();
    }
    const page = await newVisitor(api).get(`/api/v1/auth/authorize?${(await newQuery()).query}`);
    expect([page.text.includes(providerId), page.text.includes(gone.providerId)]).toEqual([true, false]);
  });

  test('503 names a provider that is unreachable, responds with errors or is not a provider, and a later try works', async () => {
    const away = await ways.register({}, 'Faraway <ID>');
    for (const outage of [500, 404, 302]) {
      away.provider.outage = outage;
      const answer = await newVisitor(api).get(beginning(away.providerId));
      expectPage(answer, 503, 'Faraway &lt;ID&gt; cannot be reached at the moment');
      expect(answer.headers['retry-after']).toBeDefined();
    }
    away.provider.outage = undefined;
    expect(await newVisitor(api).get(beginning(away.providerId))).toMatchObject({ status: 303 });
  });

  test('503 if nothing listens, or the issuer differs from the registered one', async () => {
    const issuers = [`https://localhost:${await freePort()}`, provider.issuer.replace('localhost', '127.0.0.1')];
    for (const issuer of issuers) {
      const given = { name: 'Nobody', issuer, client_id: 'x', client_secret: 'y' };
      const { provider_id } = await createIdentityProvider(services, given);
      expectPage(await newVisitor(api).get(beginning(provider_id)), 503, 'Nobody cannot be reached at the moment');
    }
  });
});

describe('completeProviderSignIn', () => {
  describe('the identity', () => {
    test('a new person gets an account without a password, with the address that the provider verified', async () => {
      const person = (provider.person = newPerson({ email: 'Zoë.New@Example.org' }));
      const { visitor, answer } = await signedIn();
      expect(answer.status).toBe(200);
      expect(answer.text).toContain('You are signed in');
      const cookie = setCookies(answer).find(({ name }) => name === SESSION);
      expect(cookie).toMatchObject({ secure: true, httpOnly: true, sameSite: 'lax', path: '/' });
      const userId = (await userOf(visitor))!;
      const [row] = await sql.many<{ password_hash: null; verified: boolean; owner: string }>(
        `select u.password_hash, u.email_verified_at is not null as verified, o.owner_id as owner
           from users u join owners o on o.owner_id = u.user_id where u.user_id = $1`,
        [userId],
      );
      expect(row).toEqual({ password_hash: null, verified: true, owner: userId });
      const events = await sql.many<{ kind: string }>(
        'select kind from audit_events where subject = $1 order by subject_seq',
        [userId],
      );
      expect(events.map(({ kind }) => kind)).toEqual(['user.registered', 'provider.linked', 'sign-in.succeeded']);
      const identity = ['users', 'user_identities', 'sign_in_attempts'];
      for (const table of [...identity, 'audit_events', 'vault_records', 'mail_messages']) {
        const rows = JSON.stringify(await sql.many(`select t::text from ${table} t`));
        expect(rows).not.toContain(person.sub);
        expect(rows.toLowerCase()).not.toContain('new@example.org');
      }
      await expect(
        accountsOf(services).registerUser({ email: 'zoë.new@example.org', password: PASSWORD }),
      ).rejects.toMatchObject({ code: 'email-taken' });
    });

    test('the same person is the same user, even after their address at the provider changed', async () => {
      const first = await signedIn();
      provider.person = { ...provider.person!, email: 'another-address@example.org' };
      const second = await signedIn();
      expect(await userOf(second.visitor)).toBe(await userOf(first.visitor));
      expect(second.visitor.cookies.get(SESSION)).not.toBe(first.visitor.cookies.get(SESSION));
    });

    test('a disabled account is refused, and the page says so', async () => {
      const { visitor } = await signedIn();
      await disableUser(services, { user_id: (await userOf(visitor))! });
      await expectRefused(async () => (await signedIn()).answer, 403, 'The account is disabled');
    });

    test('ten simultaneous browsers of one new person are all signed in as one user', async () => {
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
        await refusedAs(person, 'Example ID did not return a verified email address');
      },
    );

    test.each([
      ['\u0131da@example.org', 'ida@example.org'],
      ['idris@example.org', '\u0131dris@example.org'],
      ['stra\u00dfe@example.org', 'strasse@example.org'],
    ])(
      '403 if an account has the address %j and the provider verified the similar address %j',
      async (registered, email) => {
        const auth = accountsOf(services);
        await auth.registerUser({ email: registered, password: PASSWORD });
        await refusedAs(newPerson({ email }));
        await expect(auth.login({ from: HERE, email: registered, password: PASSWORD })).resolves.toBeDefined();
      },
    );

    test.each([
      // These would be stored differently.
      ...['\uff4eobody@example.org', '\u212aelvin@example.org', ' padded@example.org', 'e\u0301va@example.org'],
      ...['', 'nobody', 'a@b', 'ada@example.org\nBcc: x@example.org', 'x'.repeat(300)],
      undefined,
    ])('403 for the address %j', (email) => refusedAs(newPerson({ email }), 'did not return a verified email address'));

    test('works with the address in the ID token, the secret in the body, and plain HTTP on this machine', async () => {
      const options = { authMethod: 'client_secret_post', emailInIdToken: true, plain: true } as const;
      const { provider: other, providerId: id } = await ways.register(options);
      other.person = newPerson();
      expect((await signedIn({ id })).answer.status).toBe(200);
      expect(other.seen).toEqual(['/token']);
    });

    test('the same subject at another provider is another person', async () => {
      const first = await signedIn();
      const { provider: other, providerId: id } = await ways.register();
      other.person = { ...provider.person!, email: 'somebody-else@example.org' };
      const second = await signedIn({ id });
      expect(await userOf(second.visitor)).toBeDefined();
      expect(await userOf(second.visitor)).not.toBe(await userOf(first.visitor));
    });

    test('a browser that was signed in as another person gets a new session', async () => {
      const { visitor } = await signedIn();
      const [first, session] = [await userOf(visitor), visitor.cookies.get(SESSION)];
      provider.person = newPerson();
      await signedIn({ visitor });
      expect(await userOf(visitor)).not.toBe(first);
      const old = newVisitor(api);
      old.cookies.set(SESSION, session!);
      expect(await userOf(old)).toBeUndefined();
    });
  });

  describe('the redirect afterwards', () => {
    test('from the link on the sign-in page all the way to tokens, without a password', async () => {
      const { client, query } = await newQuery({ state: 'a&b=c #?\u00e9' });
      const visitor = newVisitor(api);
      const page = await visitor.get(`/api/v1/auth/authorize?${query}`);
      const link = [...page.text.matchAll(/href="([^"]+)"/g)].find(([, href]) => href!.startsWith(beginning()))![1]!;
      const begun = await visitor.get(link.replaceAll('&amp;', '&'));
      const callback = new URL(await ways.through(String(begun.headers.location)));
      const back = await visitor.get(callback.pathname + callback.search);
      expect([back.status, back.headers.location]).toEqual([303, `/api/v1/auth/authorize?${query}`]);
      const consent = await visitor.get(String(back.headers.location));
      const answer = await visitor.submit(consent, '/api/v1/auth/consent', { decision: 'allow' });
      const code = new URL(String(answer.headers.location)).searchParams.get('code')!;
      const tokens = await redeem(api, client, code);
      expect(tokens.status).toBe(200);
      const me = await api.get('/api/v1/auth/me', { token: tokens.body.access_token });
      expect(me.body).toMatchObject({ user_id: await userOf(visitor), email: provider.person!.email });
    });

    test('leads back to a page about a bank, of which the sign-in page has the link', async () => {
      const page = `/api/v1/bank/connections/${services.newId('conn')}/authorise`;
      const visitor = newVisitor(api);
      const shown = await visitor.get(page);
      const link = [...shown.text.matchAll(/href="([^"]+)"/g)].find(([, href]) => href!.startsWith(beginning()))![1]!;
      const begun = await visitor.get(link.replaceAll('&amp;', '&'));
      const callback = new URL(await ways.through(String(begun.headers.location)));
      expect(await visitor.get(callback.pathname + callback.search)).toMatchObject({
        status: 303,
        headers: { location: page },
      });
    });
  });

  describe('403 for a response that does not belong to this browser and this sign-in', () => {
    test('in another browser; the first browser can still continue', async () => {
      const { visitor, path } = await cameBack();
      const other = newVisitor(api);
      await other.get(beginning());
      for (const stranger of [other, newVisitor(api)]) await expectRefused(() => stranger.get(path), 403);
      expect(await visitor.get(path)).toMatchObject({ status: 200 });
    });

    test('ten times at once: one signs in', async () => {
      const { visitor, path } = await cameBack();
      const answers = await Promise.all(Array.from({ length: 10 }, () => visitor.get(path)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(403)]);
      await expectRefused(() => visitor.get(path), 403);
    });

    test('after 10 minutes', async () => {
      const { visitor, path } = await cameBack();
      await sql.run(`update sign_in_attempts set expires_at = date_trunc('milliseconds', now())`);
      expectPage(await visitor.get(path), 403);
    });

    test('at the callback of another provider, and of one that was removed meanwhile', async () => {
      const other = await ways.register();
      const { visitor, path } = await cameBack();
      expectPage(await visitor.get(path.replace(providerId, other.providerId)), 403);
      other.provider.person = newPerson();
      const gone = await cameBack({ id: other.providerId });
      await removeIdentityProvider(services, { provider_id: other.providerId });
      expectPage(await gone.visitor.get(gone.path), 404);
    });

    test.each<[string, (query: URLSearchParams) => void]>([
      ['no state', (query) => query.delete('state')],
      ['another state', (query) => query.set('state', 'x'.repeat(43))],
      ['the state twice', (query) => query.append('state', query.get('state')!)],
      ['an empty state', (query) => query.set('state', '')],
      ['a NUL in the state', (query) => query.set('state', '\0')],
      ['no code', (query) => query.delete('code')],
      ['another code', (query) => query.set('code', 'x'.repeat(43))],
      ['the code twice', (query) => query.append('code', 'x')],
      ['an issuer that is another', (query) => query.set('iss', 'https://evil.example')],
      ['no issuer', (query) => query.delete('iss')],
      ['an error beside the code', (query) => query.set('error', 'server_error')],
    ])('%s', async (_what, change) => {
      const { visitor, callback } = await cameBack();
      change(callback.searchParams);
      await expectRefused(() => visitor.get(callback.pathname + callback.search), 403);
    });

    test('additional parameters of a provider are ignored', async () => {
      const { visitor, path } = await cameBack();
      const extra = 'scope=email+openid&authuser=0&authuser=1&hd=example.org&response=x.y.z';
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
    let earlier = '';
    beforeAll(async () => {
      provider.person = newPerson();
      provider.tamper = (answer) => {
        earlier = String(answer.id_token);
        return answer;
      };
      await signedIn();
    });
    const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

    test.each<[string, (token: string) => unknown]>([
      ['none at all', () => undefined],
      [
        'signed by another key',
        async (token) => {
          const jwk = newSigningKey();
          const key = await importJWK(jwk, 'RS256');
          return new SignJWT(decodeJwt(token)).setProtectedHeader({ alg: 'RS256', kid: String(jwk.kid) }).sign(key);
        },
      ],
      ['not signed', (token) => `${encoded({ alg: 'none' })}.${encoded(decodeJwt(token))}.`],
      [
        'with another subject put in',
        (token) => {
          const [header, , signature] = token.split('.');
          return `${header}.${encoded({ ...decodeJwt(token), sub: 'somebody-else' })}.${signature}`;
        },
      ],
      ['of another sign-in', () => earlier],
      ['that is no token', () => 'x'],
    ])('%s', async (_what, spoil) => {
      provider.tamper = async (answer) => ({ ...answer, id_token: await spoil(String(answer.id_token)) });
      await refusedAs(newPerson(), 'Example ID did not confirm who is signing in');
    });
  });

  test('503 names a provider that is unreachable when the browser returns', async () => {
    const { visitor, path } = await cameBack();
    provider.outage = 503;
    await expectRefused(() => visitor.get(path), 503, 'Example ID cannot be reached at the moment');
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

const ISSUERS = [
  'http://id.example',
  'ftp://localhost',
  'https://id.example/?a=b',
  'https://id.example/#x',
  'https://user:pass@id.example',
  'https://id.example/.well-known/openid-configuration',
  'id.example',
  '',
  'javascript:alert(1)',
];
test.each([
  ...ISSUERS.map((issuer) => ({ issuer })),
  { name: '' },
  { name: 'x\ny' },
  { name: 'x'.repeat(65) },
  { client_id: '' },
  { client_id: 'é' },
  { client_secret: '' },
  { client_secret: 'x\r\ny' },
])('a provider with %j is refused', async (fault) => {
  const given = { name: 'X', issuer: 'https://id.example', client_id: 'x', client_secret: 'the-secret-of-x', ...fault };
  await expect(createIdentityProvider(services, given)).rejects.toMatchObject({ code: 'invalid-request' });
});
