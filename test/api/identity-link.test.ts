import { authActivities } from '../../activities/auth.ts';
import { removeIdentityProvider } from '../../activities/auth/identity-providers.ts';
import { hashOf } from '../../infra/keys/credentials.ts';
import { startApi, type TestAnswer, type TestUser } from '../helpers/api.ts';
import { HERE } from '../helpers/here.ts';
import { lettersTo, mailedToken, sendAllMail } from '../helpers/mail.ts';
import { byPost, newClient, newCode, postForm, redeem, REDIRECT_URI, sqlOf, TOKEN } from '../helpers/oauth.ts';
import type { TestProvider } from '../helpers/oidc-provider.ts';
import { identityProviderWays, newPerson, sessionUser, SIGN_IN_CA } from '../helpers/identity-provider-way.ts';
import { hiddenFields, SESSION, setCookies, type Visitor } from '../helpers/visitor.ts';

const LINK = '/api/v1/auth/link-provider';
const api = startApi({ env: { SIGN_IN_CA } });
const { services } = api;
const ways = identityProviderWays(api);
const auth = authActivities(services);
const sql = sqlOf(services);
const WRONG = 'not the right password';

let provider: TestProvider;
let id: string;
beforeAll(async () => {
  ({ provider, providerId: id } = await ways.register());
});

const userOf = (visitor: Visitor) => sessionUser(services, visitor);
const linksOf = (userId: string) => sql.many('select 1 from user_identities where user_id = $1', [userId]);
const subjectsFor = async (email: string) => {
  await sendAllMail(services);
  return (await lettersTo(services, email)).map(({ subject }) => subject);
};
const logIn = ({ email, password }: TestUser) => auth.login({ email, password, from: HERE });
const expectPage = ({ status, headers, text }: TestAnswer, wanted: number, heading: string) => {
  expect([status, headers['content-type']]).toEqual([wanted, 'text/html; charset=utf-8']);
  expect(text).toContain(`<h1>${heading}</h1>`);
};

async function newQuery({ clientId }: { clientId?: string } = {}) {
  const client_id = clientId ?? (await newClient(services)).clientId;
  return new URLSearchParams({ client_id, redirect_uri: REDIRECT_URI, response_type: 'code' }).toString();
}

// The email address already has an account.
async function asked({ proved = true, query }: { proved?: boolean; query?: string } = {}) {
  const owner = await api.registerUser({ proved });
  provider.person = newPerson({ email: owner.email });
  const { visitor, answer } = await ways.signIn({ id, ...(query !== undefined && { query }) });
  return { owner, visitor, page: answer };
}

describe('by the password', () => {
  test('the account is linked once, keeps all its data, gets a mail, and the next sign-in asks nothing', async () => {
    const { owner, visitor, page } = await asked();
    expectPage(page, 200, 'Is this your account?');
    const answer = await visitor.submit(page, LINK, { password: owner.password });
    expectPage(answer, 200, 'You are signed in');
    expect(await userOf(visitor)).toBe(owner.userId);
    expect(await linksOf(owner.userId)).toHaveLength(1);
    expect(await api.get('/api/v1/auth/me', { token: owner.token })).toMatchObject({ status: 200 });
    await expect(logIn(owner)).resolves.toBeDefined();
    expect(await subjectsFor(owner.email)).toContain('A new way to sign in to Ringfence');
    const next = await ways.signIn({ id });
    expect(next.answer.text).toContain('You are signed in');
    expect(await userOf(next.visitor)).toBe(owner.userId);
  });

  test('verifies an unverified address, and revokes nothing', async () => {
    const { owner, visitor, page } = await asked({ proved: false });
    await visitor.submit(page, LINK, { password: owner.password });
    expect(await api.get('/api/v1/auth/me', { token: owner.token })).toMatchObject({
      status: 200,
      body: { email_verified: true },
    });
    await expect(logIn(owner)).resolves.toBeDefined();
  });

  test('the authorization request continues afterwards', async () => {
    const query = await newQuery();
    const { owner, visitor, page } = await asked({ query });
    const answer = await visitor.submit(page, LINK, { password: owner.password });
    expect([answer.status, answer.headers.location]).toEqual([303, `/api/v1/auth/authorize?${query}`]);
    expect((await visitor.get(String(answer.headers.location))).text).toContain('/api/v1/auth/consent');
  });

  test('a wrong password is a failed sign-in that links nobody and shows the page again; ten lock the account for a while', async () => {
    const { owner, visitor, page } = await asked();
    const wrong = () => visitor.submit(page, LINK, { password: WRONG });
    const first = await wrong();
    expectPage(first, 401, 'Is this your account?');
    expect(first.text).toContain('The password is wrong.');
    for (let tries = 1; tries < 10; tries += 1) expect(await wrong()).toHaveProperty('status', 401);
    expectPage(await visitor.submit(page, LINK, { password: owner.password }), 429, 'Is this your account?');
    const { email, password } = owner;
    await expect(auth.login({ email, password, from: HERE })).rejects.toMatchObject({ code: 'rate-limited' });
    expect(await linksOf(owner.userId)).toEqual([]);
    expect(await userOf(visitor)).toBeUndefined();
  });

  test('an account without a password is refused in the same way', async () => {
    const { owner, visitor, page } = await asked();
    await sql.run('update users set password_hash = null where user_id = $1', [owner.userId]);
    expectPage(await visitor.submit(page, LINK, { password: WRONG }), 401, 'Is this your account?');
  });

  test('ten times at once: one signs in', async () => {
    const { owner, visitor, page } = await asked();
    const fields = { ...hiddenFields(page, LINK), password: owner.password };
    const answers = await Promise.all(Array.from({ length: 10 }, () => visitor.post(LINK, fields)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(403)]);
    expect(await linksOf(owner.userId)).toHaveLength(1);
  });

  test.each<[string, (fields: Record<string, string>) => Record<string, string>]>([
    ['no CSRF token', ({ csrf: _csrf, ...fields }) => fields],
    ['a forged request', (fields) => ({ ...fields, request: `rf_lr_${'x'.repeat(43)}` })],
    ['no request', ({ request: _request, ...fields }) => fields],
    ['a request that is none', (fields) => ({ ...fields, request: "' or 1=1" })],
  ])('403 for %s', async (_what, change) => {
    const { owner, visitor, page } = await asked();
    const fields = change({ ...hiddenFields(page, LINK), password: owner.password });
    expect(await visitor.post(LINK, fields)).toHaveProperty('status', 403);
    expect(await linksOf(owner.userId)).toEqual([]);
  });

  test('403 for another browser, whose own CSRF token is valid', async () => {
    const [{ owner, page }, stranger] = [await asked(), await asked()];
    const { csrf } = hiddenFields(stranger.page, LINK);
    const fields = { ...hiddenFields(page, LINK), csrf: csrf!, password: owner.password };
    expect(await stranger.visitor.post(LINK, fields)).toHaveProperty('status', 403);
    expect(await linksOf(owner.userId)).toEqual([]);
  });

  test('403 after 30 minutes, 404 after the provider was removed', async () => {
    const { owner, visitor, page } = await asked();
    await sql.run(`update identity_link_requests set expires_at = now() where user_id = $1`, [owner.userId]);
    expect(await visitor.submit(page, LINK, { password: owner.password })).toHaveProperty('status', 403);
    const other = await ways.register();
    other.provider.person = newPerson({ email: owner.email });
    const way = await ways.signIn({ id: other.providerId });
    await removeIdentityProvider(services, { provider_id: other.providerId });
    const answer = await way.visitor.submit(way.answer, LINK, { password: owner.password });
    expect(answer).toHaveProperty('status', 404);
    expect(await userOf(way.visitor)).toBeUndefined();
  });
});

describe('by a link that is mailed to the account', () => {
  async function mailed(options: { proved?: boolean } = {}) {
    const way = await asked(options);
    const answer = await way.visitor.submit(way.page, LINK, { by: 'mail' });
    expectPage(answer, 202, 'Check your mailbox');
    return { ...way, link: await mailedToken(services, way.owner.email, 'link-provider') };
  }

  test('the account is linked when its owner confirms on the page, and keeps all its data if its address was verified', async () => {
    const { owner, visitor, link } = await mailed();
    const page = await visitor.get(`${LINK}?token=${link}`);
    expectPage(page, 200, 'Sign in with Example ID?');
    expect(await linksOf(owner.userId)).toEqual([]);
    expectPage(await visitor.submit(page, LINK), 200, 'You are signed in');
    expect(await userOf(visitor)).toBe(owner.userId);
    expect(await api.get('/api/v1/auth/me', { token: owner.token })).toMatchObject({ status: 200 });
    await expect(logIn(owner)).resolves.toBeDefined();
    expect(await visitor.get(`${LINK}?token=${link}`)).toHaveProperty('status', 403);
  });

  test('whoever registered an address before its owner came loses everything that gives access to it', async () => {
    const { owner, visitor, link } = await mailed({ proved: false });
    const { userId } = owner;
    const evil = await newClient(services);
    const code = await newCode(services, { clientId: evil.clientId, userId });
    await sql.run(
      `insert into sessions (session_hash, user_id, created_at, expires_at, signed_in_with)
       values ($1, $2, now(), now() + interval '1 hour', 'password')`,
      [`planted-${userId}`, userId],
    );
    await sql.run(`insert into consents (user_id, client_id, scopes, granted_at) values ($1, $2, '{}', now())`, [
      userId,
      evil.clientId,
    ]);
    await sql.run(
      `insert into password_resets (token_hash, user_id, created_at, expires_at) values ($1, $2, now(), now() + interval '1 hour')`,
      [`planted-${userId}`, userId],
    );
    await sql.run(
      `insert into user_identities (provider_id, subject_index, user_id, created_at) values ('sip_evil', 'x', $1, now())`,
      [userId],
    );
    const verification = await mailedToken(services, owner.email, 'verify-email');
    await visitor.submit(await visitor.get(`${LINK}?token=${link}`), LINK);
    expect(await userOf(visitor)).toBe(userId);

    await expect(logIn(owner)).rejects.toMatchObject({ code: 'invalid-credentials' });
    expect(await api.get('/api/v1/auth/me', { token: owner.token })).toMatchObject({ status: 401 });
    const redeemed = await redeem(api, evil, code);
    expect(redeemed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    const [left] = await sql.many(
      `select (select count(*) from sessions where user_id = $1 and ended_at is null) as sessions,
              (select count(*) from token_families where user_id = $1 and ended_at is null) as families,
              (select count(*) from consents where user_id = $1) as consents,
              (select count(*) from user_identities where user_id = $1) as links,
              (select count(*) from password_resets where user_id = $1 and used_at is null) as resets`,
      [userId],
    );
    expect(left).toEqual({ sessions: 1, families: 0, consents: 0, links: 1, resets: 0 });
    const body = { token: verification, password: owner.password };
    expect(await api.post('/api/v1/auth/verify-email', { body })).toMatchObject({ status: 401 });
    const kinds = await sql.many<{ kind: string }>('select kind from audit_events where subject = $1', [userId]);
    expect(kinds.map(({ kind }) => kind)).toContain('account.claimed');
  });

  test('a stranger who requested the link gets no access when the owner opens it in another browser', async () => {
    const { owner, visitor: stranger, page, link } = await mailed();
    const { visitor: browser, page: own } = await asked();
    expectPage(await browser.get(`${LINK}?token=${link}`), 403, 'The sign-in with the provider failed');
    const { csrf } = hiddenFields(own, LINK);
    expect(await browser.post(LINK, { token: link, csrf: csrf! })).toHaveProperty('status', 403);
    expect(await linksOf(owner.userId)).toEqual([]);
    expect(await userOf(stranger)).toBeUndefined();
    expect(hiddenFields(page, LINK).request).not.toBe(link);
  });

  test('the database stores only hashes of the tokens in browser and mail', async () => {
    const { owner, page, link } = await mailed();
    const rows = await sql.many<{ row: string }>(
      'select t::text as row from identity_link_requests t where user_id = $1',
      [owner.userId],
    );
    const told = JSON.stringify(rows);
    expect(told).toContain(hashOf(services, link));
    for (const secret of [link, hiddenFields(page, LINK).request!, provider.person!.sub]) {
      expect(told).not.toContain(secret);
    }
  });

  test('an account gets at most five mails an hour', async () => {
    const { owner, visitor, page } = await asked();
    for (let letters = 0; letters < 5; letters += 1) {
      expect(await visitor.submit(page, LINK, { by: 'mail' })).toHaveProperty('status', 202);
    }
    expect(await visitor.submit(page, LINK, { by: 'mail' })).toHaveProperty('status', 429);
    const subjects = await subjectsFor(owner.email);
    expect(subjects.filter((subject) => subject === 'A link to sign in to Ringfence')).toHaveLength(5);
  });
});

test('a provider that is limited to mail domains signs in nobody else, not even linked people', async () => {
  const { provider: limited, providerId } = await ways.register({}, 'Staff ID', ['staff.example']);
  limited.person = newPerson({ email: 'ada@Staff.example' });
  const { visitor, answer } = await ways.signIn({ id: providerId });
  expect(answer.status).toBe(200);
  expect(await userOf(visitor)).toBeDefined();
  for (const email of ['eve@example.org', 'eve@staff.example.org', 'eve@xstaff.example', 'eve@sub.staff.example']) {
    for (const sub of [limited.person.sub, `eve-${email}`]) {
      limited.person = newPerson({ sub, email });
      const refused = await ways.signIn({ id: providerId });
      expect(refused.answer.status).toBe(403);
      expect(refused.answer.text).toContain(
        'You can sign in with Staff ID only if your email address is at staff.example',
      );
      expect(setCookies(refused.answer).filter(({ name }) => name === SESSION)).toEqual([]);
    }
  }
});

test.each([
  ['never proved', false],
  ['proved', true],
])('does not get into an account whose owner has %s the address, and takes nothing from it', async (_how, proved) => {
  const { owner, visitor } = await asked({ proved });
  expect(await userOf(visitor)).toBeUndefined();
  expect(await api.get('/api/v1/auth/me', { token: owner.token })).toMatchObject({ status: 200 });
  await expect(logIn(owner)).resolves.toBeDefined();
  expect(await linksOf(owner.userId)).toEqual([]);
});

describe('a provider that is removed', () => {
  test('ends its sessions, codes and tokens, and no sign-in by password', async () => {
    const { provider: going, providerId } = await ways.register();
    const owner = await api.registerUser({ proved: true });
    going.person = newPerson({ email: owner.email });
    const client = await newClient(services);
    const query = await newQuery(client);
    const way = await ways.signIn({ id: providerId, query });
    await way.visitor.submit(way.answer, LINK, { password: owner.password });
    const allowed = async () => {
      const consent = await way.visitor.get(`/api/v1/auth/authorize?${query}`);
      const answer = await way.visitor.submit(consent, '/api/v1/auth/consent', { decision: 'allow' });
      return new URL(String(answer.headers.location)).searchParams.get('code')!;
    };
    const works = async (token: string) => (await api.get('/api/v1/auth/me', { token })).status === 200;
    const { access_token, refresh_token } = (await redeem(api, client, await allowed())).body;
    const code = await allowed();
    expect(await works(access_token)).toBe(true);

    expect(await removeIdentityProvider(services, { provider_id: providerId })).toMatchObject({
      sessions_ended: 1,
      token_families_ended: 1,
    });
    expect(await userOf(way.visitor)).toBeUndefined();
    expect([await works(access_token), await works(owner.token)]).toEqual([false, true]);
    const refreshing = { grant_type: 'refresh_token', refresh_token, ...byPost(client) };
    for (const answer of [await redeem(api, client, code), await postForm(api, TOKEN, refreshing)])
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  test('during sign-ins leaves no session', async () => {
    const { provider: going, providerId } = await ways.register();
    going.person = newPerson();
    await ways.signIn({ id: providerId });
    const came = await Promise.all(Array.from({ length: 10 }, () => ways.cameBack({ id: providerId })));
    await Promise.all([
      ...came.map(({ visitor, path }) => visitor.get(path)),
      removeIdentityProvider(services, { provider_id: providerId }),
    ]);
    const alive = await sql.many('select 1 from sessions where signed_in_with = $1 and ended_at is null', [providerId]);
    expect(alive).toEqual([]);
  });
});
