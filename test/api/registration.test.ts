import { inviteUser } from '../../activities/auth/invitations.ts';
import { startApi, type TestAnswer } from '../helpers/api.ts';
import { lettersTo, sendAllMail } from '../helpers/mail.ts';
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

describe('while registration is open', () => {
  const api = startApi();

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

  test.each([
    ['400 and says so if the passwords differ', { password_again: 'another password' }, 400, 'are different'],
    ['400 and says so if the password is common', form('a@example.org', 'passwordpassword'), 400, 'less common'],
    ['400 and says so if the address is none', { email: 'nobody' }, 400, 'This is not an email address'],
  ])('shows the form again with %s', async (_what, wrong: Record<string, string>, status, words) => {
    const visitor = newVisitor(api);
    const email = newEmail();
    const answer = await visitor.submit(await visitor.get(CREATE), CREATE, { ...form(email), ...wrong });
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(words);
    expect(answer.text).toContain(`value="${wrong.email ?? email}"`);
    expect(answer.text).not.toContain(PASSWORD);
    expect(await login(api, email)).toMatchObject({ status: 401 });
  });

  test('marks only the fields that must change', async () => {
    const visitor = newVisitor(api);
    const email = newEmail();
    const marked = async (wrong: Record<string, string>) => {
      const { text } = await visitor.submit(await visitor.get(CREATE), CREATE, { ...form(email), ...wrong });
      return [...text.matchAll(/<input[^>]*name="(\w+)"[^>]*aria-invalid/g)].map(([, name]) => name);
    };
    expect(await marked({ password_again: 'another password' })).toEqual(['password', 'password_again']);
    expect(await marked(form(email, 'passwordpassword'))).toEqual(['password', 'password_again']);
    expect(await marked({ email: 'nobody' })).toContain('email');
  });

  test('409 for an address that has an account, on the page and in JSON', async () => {
    const { email } = await api.registerUser();
    const visitor = newVisitor(api);
    const answer = await visitor.submit(await visitor.get(CREATE), CREATE, form(email));
    expect([answer.status, headingOf(answer)]).toEqual([409, 'Create an account']);
    expect(await api.post(REGISTER, { body: { email, password: PASSWORD } })).toMatchObject({
      status: 409,
      body: { code: 'email-taken' },
    });
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

  test('the database holds no invitation, only its hash', async () => {
    const invitation = await invite();
    const rows = await sql.many<Record<string, unknown>>('select * from invitations');
    expect(JSON.stringify(rows)).not.toContain(invitation);
  });
});
