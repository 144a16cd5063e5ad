import { sessionOf } from '../../activities/auth/sessions.ts';
import { hashOf } from '../../infra/keys/credentials.ts';
import { accountsOf, signInOf } from '../helpers/activities.ts';
import { withDatabase } from '../helpers/database.ts';
import { lettersTo, mailedToken, sendAllMail } from '../helpers/mail.ts';
import { newClient, newCode, sqlOf } from '../helpers/oauth.ts';
import { HERE } from '../helpers/here.ts';
import { watched } from '../helpers/watched-database.ts';

const services = withDatabase();
const auth = accountsOf(services);
const signIn = signInOf(services);
const sql = sqlOf(services);
const PASSWORD = 'seven green lanterns';
const NEW_PASSWORD = 'nine quiet harbours';

let counter = 0;
const newEmail = () => `reset-${(counter += 1)}@example.org`;

async function newUser() {
  const email = newEmail();
  const { user_id: userId } = await auth.registerUser({ email, password: PASSWORD });
  return { email, userId };
}

async function withLink() {
  const user = await newUser();
  await signIn.requestPasswordReset({ email: user.email });
  return { ...user, token: await mailedToken(services, user.email) };
}

const count = async (table: string, userId: string) =>
  (await sql.many<{ n: number }>(`select count(*) as n from ${table} where user_id = $1`, [userId]))[0]!.n;
const failsWith = (code: string) => ({ code, name: 'DomainError' });

describe('requestPasswordReset', () => {
  test('runs the very same statements for a known and an unknown address', async () => {
    const { email } = await newUser();
    const statementsFor = async (address: string) => {
      const seen: string[] = [];
      const watching = watched(services, { query: (name, way) => void seen.push(`${way} ${name}`) });
      await signInOf(watching).requestPasswordReset({ email: address });
      return seen;
    };
    const known = await statementsFor(email);
    expect(known).toEqual(['maybe auth.userByEmail', 'run mail.insert']);
    expect(await statementsFor(newEmail())).toEqual(known);
    await sendAllMail(services);
  });

  test('a queued mail has neither address nor token, and the database has only a hash of the token', async () => {
    const { email, userId } = await newUser();
    await signIn.requestPasswordReset({ email });
    const [waiting] = await sql.many<{ row: string; data: object }>(
      'select t::text as row, data from mail_messages t where user_id = $1',
      [userId],
    );
    expect(waiting!.data).toEqual({});
    expect(waiting!.row).not.toContain(email);
    const token = await mailedToken(services, email);
    const stored = await sql.many<{ row: string }>('select t::text as row from password_resets t where user_id = $1', [
      userId,
    ]);
    expect(stored).toHaveLength(1);
    expect(stored[0]!.row).toContain(hashOf(services, token));
    expect(stored[0]!.row).not.toContain(token);
    expect(await count('mail_messages', userId)).toBe(0);
  });

  test('an account gets at most five mails an hour, and the response does not show it', async () => {
    const { email, userId } = await newUser();
    for (let i = 0; i < 8; i += 1) expect(await signIn.requestPasswordReset({ email })).toEqual({ status: 'accepted' });
    await sendAllMail(services);
    const letters = await lettersTo(services, email);
    expect(letters.filter(({ subject }) => subject === 'Set a new Ringfence password')).toHaveLength(5);
    expect(await count('mail_messages', userId)).toBe(0);
    expect(await count('password_resets', userId)).toBe(5);
  });

  test('a new link does not revoke an older one, but the use of any link revokes all', async () => {
    const { email, token: first } = await withLink();
    await signIn.requestPasswordReset({ email });
    const second = await mailedToken(services, email);
    expect(second).not.toBe(first);
    await signIn.describeReset({ token: first });
    await signIn.resetPassword({ token: first, password: NEW_PASSWORD });
    for (const token of [first, second]) {
      await expect(signIn.describeReset({ token })).rejects.toMatchObject(failsWith('invalid-reset-token'));
    }
  });
});

describe('resetPassword', () => {
  test('of ten simultaneous uses of one link one succeeds', async () => {
    const { token, email } = await withLink();
    const passwords = Array.from({ length: 10 }, (_, i) => `${NEW_PASSWORD} ${i}`);
    const uses = await Promise.allSettled(passwords.map((password) => signIn.resetPassword({ token, password })));
    const won = passwords.filter((_, i) => uses[i]!.status === 'fulfilled');
    expect(won).toHaveLength(1);
    for (const use of uses) {
      if (use.status === 'rejected') expect(use.reason).toMatchObject(failsWith('invalid-reset-token'));
    }
    await auth.login({ from: HERE, email, password: won[0]! });
  });

  test('of two links of one user used at the same time one succeeds', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { token: first, email } = await withLink();
      await signIn.requestPasswordReset({ email });
      const second = await mailedToken(services, email);
      const uses = await Promise.allSettled(
        [first, second].map((token, i) => signIn.resetPassword({ token, password: `${NEW_PASSWORD} ${i}` })),
      );
      expect(uses.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    }
  });

  test('ends every session, every family with its tokens, and every code that waits to be redeemed', async () => {
    const { userId, email, token } = await withLink();
    const tokens = await auth.login({ from: HERE, email, password: PASSWORD });
    const { cookie } = await signIn.beginSession({ from: HERE, userId, method: 'password', at: new Date() });
    const { clientId } = await newClient(services);
    const code = await newCode(services, { clientId, userId });
    await signIn.resetPassword({ token, password: NEW_PASSWORD });
    await expect(auth.authenticate({ token: tokens.access_token })).rejects.toMatchObject(failsWith('invalid-token'));
    await expect(auth.refreshTokens({ refresh_token: tokens.refresh_token })).rejects.toMatchObject(
      failsWith('invalid-refresh-token'),
    );
    expect(await sessionOf(services, { cookie: cookie.split(';', 1)[0]! })).toBeUndefined();
    const alive = await sql.many('select 1 from authorization_codes where code_hash = $1 and expires_at > now()', [
      hashOf(services, code),
    ]);
    expect(alive).toEqual([]);
    expect(await sql.many('select distinct ended_reason from token_families where user_id = $1', [userId])).toEqual([
      { ended_reason: 'password-reset' },
    ]);
  });

  test("does not change other users' sessions", async () => {
    const other = await newUser();
    const tokens = await auth.login({ from: HERE, email: other.email, password: PASSWORD });
    const { token } = await withLink();
    await signIn.resetPassword({ token, password: NEW_PASSWORD });
    expect(await auth.authenticate({ token: tokens.access_token })).toMatchObject({ userId: other.userId });
  });

  test('gives an account from a sign-in provider its first password', async () => {
    const { userId, email, token } = await withLink();
    await sql.run('update users set password_hash = null where user_id = $1', [userId]);
    await expect(auth.login({ from: HERE, email, password: PASSWORD })).rejects.toMatchObject(
      failsWith('invalid-credentials'),
    );
    await signIn.resetPassword({ token, password: NEW_PASSWORD });
    await auth.login({ from: HERE, email, password: NEW_PASSWORD });
  });

  test('verifies the address once, and keeps an earlier verification', async () => {
    const { token, userId } = await withLink();
    await sql.run(`update users set email_verified_at = '2026-01-02T03:04:05Z' where user_id = $1`, [userId]);
    await signIn.resetPassword({ token, password: NEW_PASSWORD });
    expect(await sql.many('select email_verified_at from users where user_id = $1', [userId])).toEqual([
      { email_verified_at: '2026-01-02T03:04:05.000Z' },
    ]);
  });

  test('is audited without a token, an address or a password', async () => {
    const { token, userId, email } = await withLink();
    await signIn.resetPassword({ token, password: NEW_PASSWORD });
    const events = await sql.many<{ row: string }>('select e::text as row from audit_events e where subject = $1', [
      userId,
    ]);
    const told = JSON.stringify(events);
    expect(told).toContain('password.reset');
    for (const secret of [token, hashOf(services, token), email, NEW_PASSWORD]) expect(told).not.toContain(secret);
  });
});

test('a sign-in with the old password does not survive a simultaneous change', async () => {
  const { token, email, userId } = await withLink();
  const credentials = { email, password: PASSWORD };
  let set = false;
  // A sign-in is always under way.
  const until = async (signInOnce: () => Promise<unknown>) => {
    for (;;) {
      const wasSet = set;
      const refusal = await signInOnce().then(
        () => undefined,
        (error: unknown) => error,
      );
      if (refusal !== undefined) return refusal;
      expect(wasSet).toBe(false);
    }
  };
  const [, ...refusals] = await Promise.all([
    signIn.resetPassword({ token, password: NEW_PASSWORD }).then(() => (set = true)),
    ...Array.from({ length: 3 }, () => until(() => auth.login({ ...credentials, from: HERE }))),
    ...Array.from({ length: 3 }, () => until(() => signIn.signIn({ from: HERE, ...credentials, previous: undefined }))),
  ]);
  for (const refusal of refusals) expect(refusal).toMatchObject(failsWith('invalid-credentials'));
  expect(await sql.many('select 1 from token_families where user_id = $1 and ended_at is null', [userId])).toEqual([]);
  expect(await sql.many('select 1 from sessions where user_id = $1 and ended_at is null', [userId])).toEqual([]);
});

test('of two simultaneous changes of one password one succeeds', async () => {
  const { email } = await newUser();
  const tokens = await auth.login({ from: HERE, email, password: PASSWORD });
  const principal = await auth.authenticate({ token: tokens.access_token });
  const changes = await Promise.allSettled(
    ['one', 'two'].map((which) =>
      signIn.changePassword({
        from: HERE,
        principal,
        current_password: PASSWORD,
        password: `${NEW_PASSWORD} ${which}`,
      }),
    ),
  );
  expect(changes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('a code that is issued while the password is changed does not survive', async () => {
  const { token, userId } = await withLink();
  const { cookie } = await signIn.beginSession({ from: HERE, userId, method: 'password', at: new Date() });
  const session = (await sessionOf(services, { cookie: cookie.split(';', 1)[0]! }))!;
  const { clientId } = await newClient(services);
  const judged = await signIn.judgeAuthorizationRequest({ query: { client_id: clientId, response_type: 'code' } });
  if (judged.kind !== 'ask') throw new Error('the request is good');
  const asking = { request: judged.request, session, allowed: true };
  await Promise.all([
    signIn.resetPassword({ token, password: NEW_PASSWORD }),
    ...Array.from({ length: 20 }, async (_, i) => {
      await new Promise((resolve) => setTimeout(resolve, i * 5));
      await signIn.answerConsent(asking);
    }),
  ]);
  expect(await signIn.answerConsent(asking)).toBeUndefined();
  const alive = await sql.many('select 1 from authorization_codes where user_id = $1 and expires_at > now()', [userId]);
  expect(alive).toEqual([]);
});
