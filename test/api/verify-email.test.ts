import { hashOf, newVerificationToken } from '../../infra/keys/credentials.ts';
import { accountsOf } from '../helpers/activities.ts';
import { startApi, type TestUser } from '../helpers/api.ts';
import { lettersTo, mailedToken, sendAllMail } from '../helpers/mail.ts';
import { sqlOf } from '../helpers/oauth.ts';
import { newVisitor } from '../helpers/visitor.ts';

const VERIFY = '/api/v1/auth/verify-email';
const MAIL = '/api/v1/auth/verification-mail';
const api = startApi();
const { services } = api;
const sql = sqlOf(services);

const tokenFor = ({ email }: Pick<TestUser, 'email'>) => mailedToken(services, email, 'verify-email');
const verify = (token: string, password: string) => api.post(VERIFY, { body: { token, password } });
const me = ({ token }: TestUser) => api.get('/api/v1/auth/me', { token });
const lettersFor = async (email: string) =>
  (await lettersTo(services, email)).filter(({ subject }) => subject === 'Is this your email address?');
async function withLink() {
  const user = await api.registerUser();
  return { ...user, link: await tokenFor(user) };
}

describe('verifyEmail', () => {
  test('204 with the mailed link and the password: the profile shows it, nothing is revoked, and the link works once', async () => {
    const user = await withLink();
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
    await sql.run('update email_verifications set expires_at = now() where token_hash = $1', [hashOf(expired.link)]);
    const used = await withLink();
    await verify(used.link, used.password);
    const answers = await Promise.all(
      [newVerificationToken(), expired.link.slice(0, -1), expired.link, used.link, 'rf_pr_x', "' or 1=1"].map((token) =>
        verify(token, used.password),
      ),
    );
    for (const { status, body } of answers) {
      expect([status, body.code, body.detail]).toEqual([
        401,
        'invalid-verification-token',
        expect.stringContaining('equest a new link'),
      ]);
    }
  });

  test('a link to set a password verifies nothing, and this link sets no password', async () => {
    const user = await withLink();
    await api.post('/api/v1/auth/forgot-password', { body: { email: user.email } });
    const reset = await mailedToken(services, user.email);
    expect(await verify(reset, user.password)).toHaveProperty('status', 401);
    const answer = await api.post('/api/v1/auth/reset-password', {
      body: { token: user.link, password: 'nine quiet harbours' },
    });
    expect(answer).toHaveProperty('status', 401);
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

  test("the database has only the token's hash", async () => {
    const { userId, link } = await withLink();
    const rows = JSON.stringify(
      await sql.many('select t::text from email_verifications t where user_id = $1', [userId]),
    );
    expect(rows).toContain(hashOf(link));
    expect(rows).not.toContain(link);
  });

  test('as a form it shows pages: the question, the faults and the result', async () => {
    const user = await withLink();
    const visitor = newVisitor(api);
    const page = await visitor.get(`${VERIFY}?token=${user.link}`);
    expect([page.status, page.text.includes(user.email)]).toEqual([200, true]);
    expect(page.headers['content-security-policy']).toContain("form-action 'self'");
    const again = await visitor.submit(page, VERIFY, { password: 'not the right password' });
    expect([again.status, again.text.includes('The password is wrong.')]).toEqual([401, true]);
    const done = await visitor.submit(again, VERIFY, { password: user.password });
    expect([done.status, done.text.includes('Your email address is confirmed')]).toEqual([200, true]);
    expect(await visitor.get(`${VERIFY}?token=${user.link}`)).toHaveProperty('status', 401);
  });

  test('403 for a form from another page', async () => {
    const { link, password } = await withLink();
    const answer = await newVisitor(api).post(VERIFY, { token: link, password });
    expect(answer.status).toBe(403);
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
    await sendAllMail(services);
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
  const again = accountsOf(services).registerUser({ email, password: 'another long passphrase' });
  await expect(again).rejects.toMatchObject({ code: 'email-taken' });
  await sendAllMail(services);
  expect(await lettersFor(email)).toHaveLength(1);
});
