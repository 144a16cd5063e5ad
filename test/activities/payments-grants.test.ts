import { removeClient } from '../../activities/auth/clients.ts';
import { retryPaymentByOperator } from '../../activities/payments/retry.ts';
import { LOGIN_SCOPES, type Principal } from '../../domain/auth.ts';
import { endFamilies } from '../../infra/db/queries/sign-in.ts';
import { accountsOf, signInOf } from '../helpers/activities.ts';
import { HERE } from '../helpers/here.ts';
import { mailedToken } from '../helpers/mail.ts';
import { newClient, sqlOf } from '../helpers/oauth.ts';
import { ownerSql } from '../helpers/owner.ts';
import { BACK, newOwner, withPayments } from '../helpers/paying.ts';
import { PASSWORD, registerPerson } from '../helpers/proved.ts';

const { clock, services, pay } = withPayments();
const auth = accountsOf(services);
const signIn = signInOf(services);
const sql = sqlOf(services);
const NEW_PASSWORD = 'nine quiet harbours';
type User = Principal & { kind: 'user' };

async function person() {
  const { email, user_id: userId } = await registerPerson(services);
  return { email, userId };
}

async function signedIn(email: string): Promise<User> {
  const { access_token } = await auth.login({ email, password: PASSWORD, from: HERE });
  return (await auth.authenticate({ token: access_token })) as User;
}

async function throughClient(userId: string, clientId: string): Promise<User> {
  const grant = { user_id: userId, client_id: clientId, session_hash: null, scopes: LOGIN_SCOPES };
  const { familyId } = await auth.beginFamily(grant, new Date());
  return { kind: 'user', userId, familyId, clientId, scopes: LOGIN_SCOPES };
}

async function byClient() {
  const { email, userId } = await person();
  const { clientId } = await newClient(services);
  const principal = await throughClient(userId, clientId);
  return { email, userId, clientId, principal };
}

async function keyed() {
  const { app_id } = await auth.createApplication({ name: 'Test' });
  const issued = await auth.issueApiKey({ app_id, scopes: ['write:payments'] });
  const owner = newOwner();
  await ownerSql(services, 'select owner_bind($1, $2)', [owner, app_id]);
  return { key_id: issued.key_id, owner, principal: await auth.authenticate({ token: issued.key }) };
}

async function scheduled(principal: Principal, owner: string) {
  const payment = await pay({ principal, owner, execute_on: '2026-12-01' });
  return {
    ...payment,
    onItsDay: async () => {
      clock.set('2026-12-01T12:00:00Z');
      await payment.submit();
      return payment.read();
    },
  };
}

const REFUSED = { status: 'failed', failure: { code: 'owner-of-another-application', retryable: true } };
const SENT = { status: 'processing', failure: null };
const end = (familyId: string) => services.db.run(endFamilies({ family_id: familyId }, new Date(), 'revoked'));

describe('a scheduled payment of an OAuth client', () => {
  test.each<[string, (made: { clientId: string; familyId: string }) => Promise<unknown>]>([
    ['fails and returns the money if the grant has ended before its day', ({ familyId }) => end(familyId)],
    [
      'fails after the ended grant was purged',
      ({ familyId }) => sql.run('delete from token_families where family_id = $1', [familyId]),
    ],
    ['fails if an operator has removed the client', ({ clientId }) => removeClient(services, { client_id: clientId })],
  ])('%s', async (_when, ends) => {
    const { userId, clientId, principal } = await byClient();
    const { onItsDay, sent, balances } = await scheduled(principal, userId);
    await ends({ clientId, familyId: principal.familyId });
    expect(await onItsDay()).toMatchObject(REFUSED);
    expect(sent()).toBe(0);
    expect(await balances()).toMatchObject(BACK);
  });

  test('is paid if the person has granted the same client access again, but not another client', async () => {
    const { userId, clientId, principal } = await byClient();
    const [first, second] = [await scheduled(principal, userId), await scheduled(principal, userId)];
    await end(principal.familyId);
    await throughClient(userId, (await newClient(services)).clientId);
    expect(await first.onItsDay()).toMatchObject(REFUSED);
    await throughClient(userId, clientId);
    expect(await second.onItsDay()).toMatchObject(SENT);
  });

  test('cannot be retried by an operator without the grant, but by the person', async () => {
    const { email, userId, principal } = await byClient();
    const { payment_id, onItsDay, retry } = await scheduled(principal, userId);
    await end(principal.familyId);
    await onItsDay();
    const byOperator = retryPaymentByOperator(services, { payment_id, reason: 'asked to', actor: 'operator' });
    await expect(byOperator).rejects.toMatchObject({ code: 'owner-of-another-application' });
    expect(await retry(await signedIn(email))).toMatchObject({ status: 'processing', attempt: 2 });
  });

  test('fails without a grant, whatever the audit log says of who ordered it', async () => {
    const { userId, principal } = await byClient();
    const { payment_id, onItsDay } = await scheduled(principal, userId);
    await ownerSql(services, 'alter table audit_events disable trigger user');
    await ownerSql(
      services,
      `update audit_events set data = data - 'family_id' - 'client_id' where subject = $1 and kind = 'payment.pending'`,
      [payment_id],
    );
    await ownerSql(services, 'alter table audit_events enable trigger user');
    await end(principal.familyId);
    expect(await onItsDay()).toMatchObject(REFUSED);
  });
});

test('a payment that a person scheduled is paid although the person has signed out', async () => {
  const { email, userId } = await person();
  const principal = await signedIn(email);
  const { onItsDay } = await scheduled(principal, userId);
  await end(principal.familyId);
  expect(await onItsDay()).toMatchObject(SENT);
});

describe('a scheduled payment of an API key', () => {
  test('fails and returns the money if the key was revoked before its day', async () => {
    const { key_id, owner, principal } = await keyed();
    const { onItsDay, balances } = await scheduled(principal, owner);
    await auth.revokeApiKey({ key_id });
    expect(await onItsDay()).toMatchObject(REFUSED);
    expect(await balances()).toMatchObject(BACK);
  });

  test('is paid if the key was rotated, and fails if its successor was revoked', async () => {
    const { key_id, owner, principal } = await keyed();
    const [first, second] = [await scheduled(principal, owner), await scheduled(principal, owner)];
    const { key_id: successor } = await auth.rotateApiKey({ key_id, overlap_days: 0 });
    expect(await first.onItsDay()).toMatchObject(SENT);
    await auth.revokeApiKey({ key_id: successor });
    expect(await second.onItsDay()).toMatchObject(REFUSED);
  });
});

describe('a new password', () => {
  test('by a reset cancels what the ended sign-ins scheduled, and keeps what the person scheduled and signed out', async () => {
    const { email, userId } = await person();
    const [before, thief] = [await signedIn(email), await signedIn(email)];
    const [rent, theft] = [await scheduled(before, userId), await scheduled(thief, userId)];
    await end(before.familyId);
    await signIn.requestPasswordReset({ email });
    await signIn.resetPassword({ token: await mailedToken(services, email), password: NEW_PASSWORD });
    const cancelled = await theft.read();
    expect([cancelled.status, cancelled.timeline.at(-1)!.detail]).toEqual([
      'cancelled',
      'Cancelled, because a password reset ended the sign-in that scheduled the payment.',
    ]);
    expect(await rent.onItsDay()).toMatchObject(SENT);
  });

  test('by a change cancels what other sign-ins scheduled, and keeps what this sign-in and other people scheduled', async () => {
    const [{ email, userId }, other] = [await person(), await person()];
    const [own, thief] = [await signedIn(email), await signedIn(email)];
    const [rent, theft] = [await scheduled(own, userId), await scheduled(thief, userId)];
    const theirs = await scheduled(await signedIn(other.email), other.userId);
    const change = { current_password: PASSWORD, password: NEW_PASSWORD, from: HERE };
    await signIn.changePassword({ principal: own, ...change });
    expect((await theft.read()).status).toBe('cancelled');
    expect((await rent.read()).status).toBe('pending');
    expect((await theirs.read()).status).toBe('pending');
  });
});
