import { removeClient } from '../../activities/auth/clients.ts';
import { retryPaymentByOperator } from '../../activities/payments/retry.ts';
import { LOGIN_SCOPES, type Principal } from '../../domain/auth.ts';
import { endFamilies } from '../../infra/db/queries/sign-in.ts';
import { accountsOf, paymentsOf, signInOf } from '../helpers/activities.ts';
import { movableClock } from '../helpers/clock.ts';
import { withDatabase } from '../helpers/database.ts';
import { HERE } from '../helpers/here.ts';
import { mailedToken } from '../helpers/mail.ts';
import { balancesOf, expectSoundLedger, fund } from '../helpers/money.ts';
import { newClient, sqlOf } from '../helpers/oauth.ts';
import { ownerSql } from '../helpers/owner.ts';
import { playedBank } from '../helpers/played-bank.ts';

const bank = playedBank();
const clock = movableClock();
const services = withDatabase({ bank, clock });
const auth = accountsOf(services);
const signIn = signInOf(services);
const payments = paymentsOf(services);
const sql = sqlOf(services);
const PASSWORD = 'seven green lanterns';
const NEW_PASSWORD = 'nine quiet harbours';

let counter = 0;
beforeAll(() => payments.ensureSandboxPayees());
beforeEach(() => {
  bank.answers = [];
  bank.submitted = [];
  clock.set('2026-11-21T12:00:00Z');
});
afterEach(() => expectSoundLedger(services));

async function person() {
  const email = `granting-${(counter += 1)}@example.org`;
  const { user_id: userId } = await auth.registerUser({ email, password: PASSWORD });
  await sql.run('update users set email_verified_at = now() where user_id = $1', [userId]);
  return { email, userId };
}

async function signedIn(email: string): Promise<Principal & { kind: 'user' }> {
  const { access_token } = await auth.login({ email, password: PASSWORD, from: HERE });
  return (await auth.authenticate({ token: access_token })) as Principal & { kind: 'user' };
}

async function throughClient(userId: string, clientId: string): Promise<Principal & { kind: 'user' }> {
  const grant = { user_id: userId, client_id: clientId, session_hash: null, scopes: LOGIN_SCOPES };
  const { familyId } = await auth.beginFamily(grant, new Date());
  return { kind: 'user', userId, familyId, scopes: LOGIN_SCOPES };
}

async function keyed() {
  const { app_id } = await auth.createApplication({ name: 'Test' });
  const issued = await auth.issueApiKey({ app_id, scopes: ['write:payments'] });
  const owner = `employee-${(counter += 1)}`;
  await ownerSql(services, 'select owner_bind($1, $2)', [owner, app_id]);
  return { key_id: issued.key_id, owner, principal: await auth.authenticate({ token: issued.key }) };
}

async function scheduled(principal: Principal, owner: string) {
  const { allocationId } = await fund(services, owner, 10_000);
  const { payment_id } = await payments.executePayment({
    principal,
    vault_allocation_id: allocationId,
    amount: 10_000,
    currency: 'GBP',
    provider_id: 'prov_sandbox_instant',
    execute_on: '2026-12-01',
  });
  const read = async () => (await payments.getPayment({ payment_id })).payment;
  return {
    payment_id,
    read,
    onItsDay: async () => {
      clock.set('2026-12-01T12:00:00Z');
      await payments.submitPayment({ payment_id, attempt: 1, settle_within_ms: 0 });
      return read();
    },
  };
}

const REFUSED = { status: 'failed', failure: { code: 'owner-of-another-application', retryable: true } };
const end = (familyId: string) => services.db.run(endFamilies({ family_id: familyId }, new Date(), 'revoked'));

describe('a scheduled payment of an OAuth client', () => {
  test('fails and returns the money if the grant has ended before its day', async () => {
    const { userId } = await person();
    const { clientId } = await newClient(services);
    const principal = await throughClient(userId, clientId);
    const { onItsDay } = await scheduled(principal, userId);
    await end(principal.familyId);
    expect(await onItsDay()).toMatchObject(REFUSED);
    expect(bank.submitted).toEqual([]);
    expect(await balancesOf(services, userId)).toMatchObject({ vault: 10_000, in_flight: 0 });
  });

  test('fails after the ended grant was purged', async () => {
    const { userId } = await person();
    const principal = await throughClient(userId, (await newClient(services)).clientId);
    const { onItsDay } = await scheduled(principal, userId);
    await sql.run('delete from token_families where family_id = $1', [principal.familyId]);
    expect(await onItsDay()).toMatchObject(REFUSED);
  });

  test('fails if an operator has removed the client', async () => {
    const { userId } = await person();
    const { clientId } = await newClient(services);
    const { onItsDay } = await scheduled(await throughClient(userId, clientId), userId);
    await removeClient(services, { client_id: clientId });
    expect(await onItsDay()).toMatchObject(REFUSED);
  });

  test('is paid if the person has granted the same client access again, but not another client', async () => {
    const { userId } = await person();
    const [one, other] = [await newClient(services), await newClient(services)];
    const principal = await throughClient(userId, one.clientId);
    const [first, second] = [await scheduled(principal, userId), await scheduled(principal, userId)];
    await end(principal.familyId);
    await throughClient(userId, other.clientId);
    expect(await first.onItsDay()).toMatchObject(REFUSED);
    await throughClient(userId, one.clientId);
    expect(await second.onItsDay()).toMatchObject({ status: 'processing', failure: null });
  });

  test('cannot be retried by an operator without the grant, but by the person', async () => {
    const { email, userId } = await person();
    const principal = await throughClient(userId, (await newClient(services)).clientId);
    const { payment_id, onItsDay } = await scheduled(principal, userId);
    await end(principal.familyId);
    await onItsDay();
    const again = { payment_id, reason: 'asked to', actor: 'operator' };
    await expect(retryPaymentByOperator(services, again)).rejects.toMatchObject({
      code: 'owner-of-another-application',
    });
    const own = await payments.retryPayment({ principal: await signedIn(email), payment_id });
    expect(own).toMatchObject({ status: 'processing', attempt: 2 });
  });
});

test('a payment that a person scheduled is paid although the person has signed out', async () => {
  const { email, userId } = await person();
  const principal = await signedIn(email);
  const { onItsDay } = await scheduled(principal, userId);
  await end(principal.familyId);
  expect(await onItsDay()).toMatchObject({ status: 'processing', failure: null });
});

test('a payment of a client without a grant fails, whatever the audit log says of who ordered it', async () => {
  const { userId } = await person();
  const principal = await throughClient(userId, (await newClient(services)).clientId);
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

describe('a scheduled payment of an API key', () => {
  test('fails and returns the money if the key was revoked before its day', async () => {
    const { key_id, owner, principal } = await keyed();
    const { onItsDay } = await scheduled(principal, owner);
    await auth.revokeApiKey({ key_id });
    expect(await onItsDay()).toMatchObject(REFUSED);
    expect(await balancesOf(services, owner)).toMatchObject({ vault: 10_000, in_flight: 0 });
  });

  test('is paid if the key was rotated, and fails if its successor was revoked', async () => {
    const { key_id, owner, principal } = await keyed();
    const [first, second] = [await scheduled(principal, owner), await scheduled(principal, owner)];
    const { key_id: successor } = await auth.rotateApiKey({ key_id, overlap_days: 0 });
    expect(await first.onItsDay()).toMatchObject({ status: 'processing', failure: null });
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
    expect(await rent.onItsDay()).toMatchObject({ status: 'processing', failure: null });
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
