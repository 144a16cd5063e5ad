import { inviteUser } from '../../activities/auth/invitations.ts';
import { hashOf, newVerificationToken } from '../../infra/keys/credentials.ts';
import { startApi, type TestAnswer, type TestUser } from '../helpers/api.ts';
import { lettersTo, mailedToken, sendAllMail } from '../helpers/mail.ts';
import { newClient, sqlOf } from '../helpers/oauth.ts';
import { newPerson, identityProviderWays, SIGN_IN_CA } from '../helpers/identity-provider-way.ts';
import { newVisitor, type Visitor } from '../helpers/visitor.ts';

const CREATE = '/api/v1/auth/create-account';
const REGISTER = '/api/v1/auth/register';
const CALLBACK = 'https://app.example.org/callback';
const PASSWORD = 'seven green lanterns';
const DAY_MS = 86_400_000;

type Api = ReturnType<typeof startApi>;

let people = 0;
const newEmail = () => `registered-${(people += 1)}@example.org`;
const form = (email: string, password = PASSWORD) => ({ email, password, password_again: password });
const headingOf = ({ text }: TestAnswer) => /<h1>(.*?)<\/h1>/.exec(text)?.[1];
const login = (api: Api, email: string) => api.post('/api/v1/auth/login', { body: { email, password: PASSWORD } });

async function authorizeQuery(api: Api, scope = 'read:profile') {
  const { clientId } = await newClient(api.services, { redirectUris: [CALLBACK] });
  return new URLSearchParams({ client_id: clientId, response_type: 'code', scope, state: 'x' }).toString();
}

const api = startApi();

describe('while registration is open', () => {
  test('the sign-in page leads to an account with which the person continues to the application', async () => {
    const visitor = newVisitor(api);
    const query = await authorizeQuery(api);
    const signIn = await visitor.get(`/api/v1/auth/authorize?${query}`);
    const link = /href="([^"]*create-account[^"]*)"/.exec(signIn.text)![1]!.replaceAll('&amp;', '&');
    const page = await visitor.get(link);
    expect([page.status, headingOf(page)]).toEqual([200, 'Create an account']);
    const email = newEmail();
    const created = await visitor.submit(page, CREATE, form(email));
    expect(created.status).toBe(303);
    const consent = await visitor.get(created.headers.location as string);
    expect([consent.status, headingOf(consent)]).toEqual([200, 'Allow A client?']);
    await sendAllMail(api.services);
    expect(await lettersTo(api.services, email)).toMatchObject([{ subject: 'Is this your email address?' }]);
  });

  test('without an application the account is created, the page leads on, and nobody is signed in', async () => {
    const visitor = newVisitor(api);
    const email = newEmail();
    const created = await visitor.submit(await visitor.get(CREATE), CREATE, form(email));
    expect([created.status, headingOf(created)]).toEqual([201, 'Your account is ready']);
    const [, onward] = /<a href="([^"#]+)#as-a-person"/.exec(created.text)!;
    expect((await visitor.get(onward!)).text).toContain('id="as-a-person"');
    expect(visitor.cookies.has('__Host-rf_session')).toBe(false);
    expect(await login(api, email)).toMatchObject({ status: 200 });
  });

  test.each<[string, Record<string, string>, string, string[]]>([
    ['the passwords differ', { password_again: 'another password' }, 'are different', ['password', 'password_again']],
    ['it is common', form('a@example.org', 'passwordpassword'), 'less common', ['password', 'password_again']],
    [
      'the address is none',
      { email: 'nobody' },
      'This is not an email address',
      ['email', 'password', 'password_again'],
    ],
  ])('400 shows the form again if %s, and marks only what must change', async (_what, wrong, words, marked) => {
    const visitor = newVisitor(api);
    const email = newEmail();
    const answer = await visitor.submit(await visitor.get(CREATE), CREATE, { ...form(email), ...wrong });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(words);
    expect(answer.text).toContain(`value="${wrong.email ?? email}"`);
    expect(answer.text).not.toContain(PASSWORD);
    const fields = [...answer.text.matchAll(/<input[^>]*name="(\w+)"[^>]*aria-invalid/g)].map(([, name]) => name);
    expect(fields).toEqual(marked);
    expect(await login(api, email)).toMatchObject({ status: 401 });
  });

  test('409 for an address that has an account, on the page', async () => {
    const { email } = await api.registerUser();
    const visitor = newVisitor(api);
    const answer = await visitor.submit(await visitor.get(CREATE), CREATE, form(email));
    expect([answer.status, headingOf(answer)]).toEqual([409, 'Create an account']);
  });

  test('403 for a form of another browser, and a forged authorization request redirects nowhere', async () => {
    const page = await newVisitor(api).get(CREATE);
    expect(await newVisitor(api).submit(page, CREATE, form(newEmail()))).toMatchObject({ status: 403 });
    const visitor = newVisitor(api);
    const email = newEmail();
    const forged = { ...form(email), continue: 'client_id=unknown&redirect_uri=https%3A%2F%2Fevil.example' };
    const answer = await visitor.submit(await visitor.get(CREATE), CREATE, forged);
    expect(answer.status).toBe(400);
    expect(answer.headers).not.toHaveProperty('location');
    expect(await login(api, email)).toMatchObject({ status: 401 });
  });

  test('an invitation is neither needed nor used up', async () => {
    const { url, invitation_id } = await inviteUser(api.services);
    const visitor = newVisitor(api);
    const page = await visitor.get(pathOf(url));
    expect((await visitor.submit(page, CREATE, form(newEmail()))).status).toBe(201);
    const sql = sqlOf(api.services);
    expect(await sql.many('select used_at from invitations where invitation_id = $1', [invitation_id])).toEqual([
      { used_at: null },
    ]);
  });
});

const pathOf = (url: string) => url.slice(new URL(url).origin.length);
const tokenOf = (url: string) => new URL(url).searchParams.get('invitation')!;

describe('while registration is closed', () => {
  const api = startApi({ env: { REGISTRATION: 'closed', SIGN_IN_CA } });
  const ways = identityProviderWays(api);
  const register = (body: Record<string, string>) => api.post(REGISTER, { body });
  const invite = async () => tokenOf((await inviteUser(api.services)).url);
  const sql = sqlOf(api.services);
  const registeredEvents = (userId: string) =>
    sql.many<{ data: unknown }>(`select data from audit_events where subject = $1 and kind = 'user.registered'`, [
      userId,
    ]);

  test('403 without an invitation, whether the address has an account or not', async () => {
    const email = newEmail();
    await register({ email, password: PASSWORD, invitation: await invite() });
    for (const address of [email, newEmail()]) {
      expect(await register({ email: address, password: PASSWORD })).toMatchObject({
        status: 403,
        body: { code: 'registration-closed' },
      });
    }
  });

  test('an invitation creates one account, and the audit log names the invitation', async () => {
    const { url, invitation_id, expires_at } = await inviteUser(api.services);
    expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(6.9 * DAY_MS);
    const invitation = tokenOf(url);
    expect(JSON.stringify(await sql.many('select t::text from invitations t'))).not.toContain(invitation);
    const { status, body } = await register({ email: newEmail(), password: PASSWORD, invitation });
    expect(status).toBe(201);
    expect(await registeredEvents(body.user_id as string)).toEqual([{ data: { invitation_id } }]);
    const events = await sql.many('select kind, actor from audit_events where subject = $1', [invitation_id]);
    expect(events).toEqual([{ kind: 'invitation.created', actor: 'operator' }]);
    expect(await register({ email: newEmail(), password: PASSWORD, invitation })).toMatchObject({ status: 403 });
  });

  test('of forty simultaneous registrations with one invitation, one succeeds', async () => {
    const invitation = await invite();
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => register({ email: newEmail(), password: PASSWORD, invitation })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 39 }, () => 403)]);
  });

  test('a registration that fails leaves the invitation unused', async () => {
    const email = newEmail();
    await register({ email, password: PASSWORD, invitation: await invite() });
    const invitation = await invite();
    expect((await register({ email, password: PASSWORD, invitation })).status).toBe(409);
    expect((await register({ email: newEmail(), password: 'short', invitation })).status).toBe(400);
    expect((await register({ email: newEmail(), password: PASSWORD, invitation })).status).toBe(201);
  });

  test.each([
    [
      'expired',
      async () => {
        const { url, invitation_id } = await inviteUser(api.services);
        await sql.run('update invitations set expires_at = now() where invitation_id = $1', [invitation_id]);
        return tokenOf(url);
      },
    ],
    ['cut short', async () => (await invite()).slice(0, -1)],
    ['invented', () => Promise.resolve(`rf_in_${'A'.repeat(43)}`)],
  ])('403 with an invitation that is %s, on the page and in JSON', async (_what, make: () => Promise<string>) => {
    const invitation = await make();
    expect(await register({ email: newEmail(), password: PASSWORD, invitation })).toMatchObject({
      status: 403,
      body: { code: 'registration-closed' },
    });
    expect((await newVisitor(api).get(`${CREATE}?invitation=${invitation}`)).status).toBe(403);
  });

  test('the sign-in page has no link, and only an invitation opens the page', async () => {
    const visitor: Visitor = newVisitor(api);
    const signIn = await visitor.get(`/api/v1/auth/authorize?${await authorizeQuery(api)}`);
    expect(signIn.text).not.toContain('create-account');
    const closed = await visitor.get(CREATE);
    expect([closed.status, headingOf(closed)]).toEqual([403, 'Registration is closed']);
    const { url } = await inviteUser(api.services);
    const page = await visitor.get(pathOf(url));
    const created = await visitor.submit(page, CREATE, form(newEmail()));
    expect([created.status, headingOf(created)]).toEqual([201, 'Your account is ready']);
    expect((await visitor.get(pathOf(url))).status).toBe(403);
  });

  test('a sign-in provider creates no account', async () => {
    const { provider, providerId } = await ways.register();
    provider.person = newPerson();
    const { answer } = await ways.signIn({ id: providerId });
    expect([answer.status, headingOf(answer)]).toEqual([403, 'Registration is closed']);
    const { n } = (await sql.many<{ n: number }>('select count(*)::int as n from user_identities'))[0]!;
    expect(n).toBe(0);
  });
});

const VERIFY = '/api/v1/auth/verify-email';
const MAIL = '/api/v1/auth/verification-mail';
const sql = sqlOf(api.services);

const tokenFor = ({ email }: Pick<TestUser, 'email'>) => mailedToken(api.services, email, 'verify-email');
const verify = (token: string, password: string) => api.post(VERIFY, { body: { token, password } });
const me = ({ token }: TestUser) => api.get('/api/v1/auth/me', { token });
const lettersFor = async (email: string) =>
  (await lettersTo(api.services, email)).filter(({ subject }) => subject === 'Is this your email address?');
async function withLink() {
  const user = await api.registerUser();
  return { ...user, link: await tokenFor(user) };
}

describe('verifyEmail', () => {
  test('204 with the mailed link and the password: the profile shows it, nothing is revoked, and the link works once', async () => {
    const user = await withLink();
    const stored = await sql.many('select token_hash from email_verifications where user_id = $1', [user.userId]);
    expect(stored).toEqual([{ token_hash: hashOf(api.services, user.link) }]);
    expect((await me(user)).body.email_verified).toBe(false);
    const answer = await verify(user.link, user.password);
    expect(answer).toMatchObject({ status: 204, text: '' });
    expect(answer.headers).not.toHaveProperty('set-cookie');
    expect(await me(user)).toMatchObject({ status: 200, body: { email_verified: true } });
    expect(await verify(user.link, user.password)).toMatchObject({
      status: 401,
      body: { code: 'invalid-verification-token' },
    });
    const kinds = await sql.many<{ kind: string }>('select kind from audit_events where subject = $1', [user.userId]);
    expect(kinds.filter(({ kind }) => kind === 'email.verified')).toHaveLength(1);
  });

  test('401 with the same response for a token that is forged, cut short, of another kind, expired or used', async () => {
    const expired = await withLink();
    await sql.run('update email_verifications set expires_at = now() where token_hash = $1', [
      hashOf(api.services, expired.link),
    ]);
    const used = await withLink();
    await verify(used.link, used.password);
    await api.post('/api/v1/auth/forgot-password', { body: { email: expired.email } });
    const reset = await mailedToken(api.services, expired.email);
    const spoilt = [newVerificationToken(), expired.link.slice(0, -1), "' or 1=1"];
    const answers: TestAnswer[] = [];
    for (const token of [...spoilt, expired.link, used.link, reset]) answers.push(await verify(token, used.password));
    for (const { status, body } of answers) {
      expect([status, body.code, body.detail]).toEqual([
        401,
        'invalid-verification-token',
        expect.stringContaining('equest a new link'),
      ]);
    }
  });

  test('a wrong password is a failed sign-in; after ten both are refused for a while, and the link stays valid', async () => {
    const user = await withLink();
    for (let tries = 0; tries < 10; tries += 1) {
      expect(await verify(user.link, 'not the right password')).toMatchObject({
        status: 401,
        body: { code: 'invalid-credentials' },
      });
    }
    expect(await verify(user.link, user.password)).toMatchObject({ status: 429, body: { code: 'rate-limited' } });
    const { email, password } = user;
    expect(await api.post('/api/v1/auth/login', { body: { email, password } })).toHaveProperty('status', 429);
    await sql.run('delete from rate_limits');
    expect(await verify(user.link, user.password)).toHaveProperty('status', 204);
  });

  test('ten simultaneous tries: one verifies', async () => {
    const user = await withLink();
    const answers = await Promise.all(Array.from({ length: 10 }, () => verify(user.link, user.password)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array<number>(9).fill(401)]);
  });

  test('as a form it shows pages: the question, the faults and the result; 403 in another browser', async () => {
    const user = await withLink();
    const visitor = newVisitor(api);
    const page = await visitor.get(`${VERIFY}?token=${user.link}`);
    expect([page.status, page.text.includes(user.email)]).toEqual([200, true]);
    expect(page.headers['content-security-policy']).toContain("form-action 'self'");
    expect(await newVisitor(api).submit(page, VERIFY, { password: user.password })).toHaveProperty('status', 403);
    const again = await visitor.submit(page, VERIFY, { password: 'not the right password' });
    expect([again.status, again.text.includes('The password is wrong.')]).toEqual([401, true]);
    const done = await visitor.submit(again, VERIFY, { password: user.password });
    expect([done.status, done.text.includes('Your email address is confirmed')]).toEqual([200, true]);
    expect(await visitor.get(`${VERIFY}?token=${user.link}`)).toHaveProperty('status', 401);
  });
});

describe('sendVerificationMail', () => {
  test('202 mails another link, and both work until one is used', async () => {
    const user = await withLink();
    expect(await api.post(MAIL, { token: user.token })).toMatchObject({ status: 202, body: { status: 'accepted' } });
    const second = await tokenFor(user);
    expect(second).not.toBe(user.link);
    expect(await verify(second, user.password)).toHaveProperty('status', 204);
    expect(await verify(user.link, user.password)).toHaveProperty('status', 401);
  });

  test('202 with the same response, and no mail, if the address is already verified', async () => {
    const [unproved, proved] = [await api.registerUser(), await api.registerUser({ proved: true })];
    const answers = [await api.post(MAIL, { token: unproved.token }), await api.post(MAIL, { token: proved.token })];
    expect(answers[1]).toMatchObject({ status: 202, text: answers[0]!.text });
    expect(Object.keys(answers[1]!.headers).sort()).toEqual(Object.keys(answers[0]!.headers).sort());
    await sendAllMail(api.services);
    expect(await lettersFor(proved.email)).toEqual([]);
    expect(await lettersFor(unproved.email)).toHaveLength(2);
  });

  test('429 after five mails in an hour, for this person only', async () => {
    const [user, other] = [await api.registerUser(), await api.registerUser()];
    for (let letters = 0; letters < 5; letters += 1) {
      expect(await api.post(MAIL, { token: user.token })).toHaveProperty('status', 202);
    }
    expect(await api.post(MAIL, { token: user.token })).toMatchObject({ status: 429, body: { code: 'rate-limited' } });
    expect(await api.post(MAIL, { token: other.token })).toHaveProperty('status', 202);
  });

  test('403 for a key, which has no address', async () => {
    const key = await api.apiKey(['write:profile']);
    expect(await api.post(MAIL, { token: key })).toMatchObject({ status: 403, body: { code: 'users-only' } });
  });
});

test('mails do not reveal that an address is taken: another registration sends none', async () => {
  const { email } = await api.registerUser();
  const again = await api.post(REGISTER, { body: { email, password: 'another long passphrase' } });
  expect(again).toMatchObject({ status: 409, body: { code: 'email-taken' } });
  expect(again.text).not.toContain(email);
  await sendAllMail(api.services);
  expect(await lettersFor(email)).toHaveLength(1);
});
