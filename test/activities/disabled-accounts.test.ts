import { disableUser, enableUser } from '../../activities/auth/accounts.ts';
import { judgeAuthorizationRequest } from '../../activities/auth/authorize.ts';
import { exchangeToken } from '../../activities/auth/oauth/token.ts';
import { sessionOf } from '../../activities/auth/sessions.ts';
import { retryPaymentByOperator } from '../../activities/payments/retry.ts';
import { requireOwner, requireResource } from '../../activities/reach.ts';
import type { Principal, Scope } from '../../domain/auth.ts';
import { accountsOf, signInOf } from '../helpers/activities.ts';
import { HERE } from '../helpers/here.ts';
import { mailedToken } from '../helpers/mail.ts';
import { basic, newClient, newCode, newPkce, REDIRECT_URI, sqlOf } from '../helpers/oauth.ts';
import { BACK, codeOf, withPayments } from '../helpers/paying.ts';

const { clock, services, payments, pay } = withPayments();
const auth = accountsOf(services);
const signIn = signInOf(services);
const sql = sqlOf(services);
const PASSWORD = 'seven green lanterns';
const DISABLED = { status: 'failed', failure: { code: 'account-disabled', retryable: true } };

let people = 0;
/** A person who granted an application access, and keys of that application. */
async function person() {
  const email = `disabled-${(people += 1)}@example.org`;
  const { user_id: userId } = await auth.registerUser({ email, password: PASSWORD });
  const client = await newClient(services);
  const code = () => newCode(services, { clientId: client.clientId, userId });
  const redeem = (given: string) => {
    const grant = { grant_type: 'authorization_code', code: given, redirect_uri: REDIRECT_URI } as const;
    return exchangeToken(services, { authorization: basic(client), parameters: grant });
  };
  const keyWith = async (...scopes: Scope[]) => {
    const text = 'select app_id from oauth_clients where client_id = $1';
    const [{ app_id } = { app_id: '' }] = await sql.many<{ app_id: string }>(text, [client.clientId]);
    return auth.authenticate({ token: (await auth.issueApiKey({ app_id, scopes })).key });
  };
  const login = (password = PASSWORD) => auth.login({ email, password, from: HERE });
  const session = async () => {
    const from = { userId, method: 'provider', identityProviderId: 'sip_1', at: new Date(), from: HERE } as const;
    return { cookie: (await signIn.beginSession(from)).cookie.split(';', 1)[0]! };
  };
  return {
    ...{ email, userId, client, code, redeem, keyWith, login, session, tokens: await redeem(await code()) },
    signedIn: async () => auth.authenticate({ token: (await login()).access_token }),
    disable: () => disableUser(services, { user_id: userId }),
    enable: () => enableUser(services, { user_id: userId }),
  };
}

describe('a disabled account', () => {
  test('refuses the right password, and a sign-in provider, with the reason, and a wrong password as always', async () => {
    const { email, disable, enable, login, session } = await person();
    const token = await mailedToken(services, email, 'verify-email');
    await disable();
    const browser = { email, password: PASSWORD, from: HERE, previous: undefined };
    const verify = () => signIn.verifyEmail({ ...browser, token });
    for (const way of [login, () => signIn.signIn(browser), session, verify])
      expect(await codeOf(way())).toBe('account-disabled');
    expect(await codeOf(login('nine quiet harbours'))).toBe('invalid-credentials');
    await signIn.requestPasswordReset({ email });
    await signIn.resetPassword({ token: await mailedToken(services, email), password: 'nine quiet harbours' });
    expect(await codeOf(login('nine quiet harbours'))).toBe('account-disabled');
    await enable();
    expect(await codeOf(login('nine quiet harbours'))).toBe('done');
  });

  test('has no session, code or token left, and what ended stays ended when it is enabled', async () => {
    const { tokens, login, code, redeem, session, disable, enable } = await person();
    const [own, unused, cookie] = [await login(), await code(), await session()];
    expect(await disable()).toMatchObject({ sign_ins_ended: 2, payments_failed: 0 });
    for (const step of [() => Promise.resolve(), enable]) {
      await step();
      for (const { access_token: token, refresh_token } of [own, tokens]) {
        expect(await codeOf(auth.authenticate({ token }))).toBe('invalid-token');
        expect(await codeOf(auth.refreshTokens({ refresh_token }))).toBe('invalid-refresh-token');
      }
      expect(await codeOf(redeem(unused))).toBe('invalid-grant');
      expect(await sessionOf(services, cookie)).toBeUndefined();
    }
  });

  test('is out of reach of the applications with a grant, and with admin:owners only readable', async () => {
    const { userId, keyWith, disable, enable } = await person();
    const key = await keyWith('write:payments');
    const forAll = await keyWith('write:payments', 'admin:owners');
    const { payment_id } = await pay({ owner: userId, principal: key });
    const reach = async (principal: Principal) => {
      const [owner, payment] = [
        { principal, ownerId: userId },
        { principal, kind: 'payment', id: payment_id } as const,
      ];
      const [read, write]: Scope[][] = [['read:payments'], ['write:payments']];
      return [
        await codeOf(requireOwner(services, { ...owner, scopes: read!, doing: 'reads' })),
        await codeOf(requireResource(services, { ...payment, scopes: read! })),
        await codeOf(requireOwner(services, { ...owner, scopes: write!, doing: 'writes' })),
        await codeOf(requireResource(services, { ...payment, scopes: write! })),
      ];
    };
    const beyond = ['owner-of-another-application', 'not-found', 'owner-of-another-application', 'not-found'];
    expect(await reach(key)).toEqual(Array<string>(4).fill('done'));
    await disable();
    expect(await reach(key)).toEqual(beyond);
    expect(await reach(forAll)).toEqual(['done', 'done', 'account-disabled', 'account-disabled']);
    await enable();
    expect([await reach(key), await reach(forAll)]).toEqual([beyond, Array<string>(4).fill('done')]);
  });

  test('is disabled and enabled once, however often the commands run', async () => {
    const { userId, disable, enable } = await person();
    const replies = await Promise.all(Array.from({ length: 5 }, disable));
    expect(new Set(replies.map(({ disabled_at }) => disabled_at)).size).toBe(1);
    for (let times = 0; times < 2; times += 1) expect(await enable()).toEqual({ user_id: userId, disabled_at: null });
    const text = `select kind from audit_events where subject = $1 and kind like 'user.%' order by seq`;
    const kinds = (await sql.many(text, [userId])).map(({ kind }) => kind);
    expect(kinds).toEqual(['user.registered', 'user.disabled', 'user.enabled']);
  });
});

describe('the payments of a disabled account', () => {
  test('that are scheduled fail at once, with their money back, and can be retried when it is enabled', async () => {
    const { userId, signedIn, disable, enable } = await person();
    const later = { principal: await signedIn(), owner: userId, execute_on: '2026-12-01' };
    const [rent, energy] = [await pay(later), await pay(later)];
    expect(await disable()).toMatchObject({ payments_failed: 2 });
    for (const one of [rent, energy]) expect(await one.read()).toMatchObject(DISABLED);
    expect([await rent.told(), (await rent.balances()).in_flight]).toEqual([['failed'], 0]);
    const asked = { payment_id: rent.payment_id, reason: 'asked to', actor: 'operator' };
    expect(await codeOf(retryPaymentByOperator(services, asked))).toBe('account-disabled');
    await enable();
    expect(await codeOf(retryPaymentByOperator(services, asked))).toBe('done');
    expect(await energy.retry(await signedIn())).toMatchObject({ status: 'processing', attempt: 2 });
  });

  test('that the bank does not have are not sent, and those at the bank end as the bank says', async () => {
    const { userId, signedIn, disable } = await person();
    const order = { principal: await signedIn(), owner: userId };
    const [fresh, waiting] = [await pay(order), await pay(order)];
    const [unclear, accepted] = [await pay(order), await pay(order)];
    await waiting.submitTo('no connection');
    await unclear.submitTo('timeout');
    await accepted.submitTo('ACSP');
    await disable();
    for (const [payment, sent] of [[fresh, 0] as const, [waiting, 1] as const]) {
      expect(await payment.submitTo('ACSC')).toEqual({ outcome: 'settled', status: 'failed' });
      expect([await payment.read(), payment.sent()]).toMatchObject([DISABLED, sent]);
    }
    expect(await unclear.submitTo('ACSC')).toMatchObject({ status: 'completed' });
    await accepted.tell('ACSC');
    expect(await accepted.read()).toMatchObject({ status: 'completed' });
  });
});

test('of forty who sign in, renew, redeem, consent and pay while it is disabled, none acts or pays afterwards', async () => {
  const { userId, client, tokens, code, redeem, keyWith, login, session, disable } = await person();
  const principal = await keyWith('write:payments');
  const codes = await Promise.all(Array.from({ length: 8 }, code));
  const { order, balances, payment_id: first } = await pay({ principal, owner: userId, amount: 1 });
  const judged = await judgeAuthorizationRequest(services, {
    query: {
      ...{ response_type: 'code', client_id: client.clientId, redirect_uri: REDIRECT_URI, scope: 'read:profile' },
      ...{ code_challenge: newPkce().challenge, code_challenge_method: 'S256' },
    },
  });
  if (judged.kind !== 'ask') throw new Error(judged.location);
  const browser = (await sessionOf(services, await session()))!;
  const ids = [first];
  const execute = async (more: object) =>
    ids.push((await payments.executePayment({ ...order, principal, amount: 1, ...more })).payment_id);
  await Promise.allSettled(
    codes.flatMap((given, at) => [
      login(),
      auth.refreshTokens({ refresh_token: tokens.refresh_token }),
      redeem(given),
      at % 2 ? session() : signIn.answerConsent({ request: judged.request, session: browser, allowed: true }),
      execute(at % 2 ? {} : { execute_on: '2026-11-22' }),
      ...(at === 3 ? [disable()] : []),
    ]),
  );
  const live = `select 'tokens' as what from token_families where user_id = $1 and ended_at is null
     union all select 'code' from authorization_codes where user_id = $1 and used_at is null and expires_at > now()
     union all select 'session' from sessions where user_id = $1 and ended_at is null`;
  expect(await sql.many(live, [userId])).toEqual([]);
  clock.set('2026-11-22T12:00:00Z');
  for (const payment_id of ids) {
    await payments.submitPayment({ payment_id, attempt: 1, settle_within_ms: 0 });
    expect((await payments.getPayment({ payment_id })).payment).toMatchObject(DISABLED);
  }
  expect([ids.length, await balances()]).toEqual([9, expect.objectContaining(BACK)]);
});
