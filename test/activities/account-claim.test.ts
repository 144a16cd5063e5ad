import type { Principal } from '../../domain/auth.ts';
import type { Services } from '../../infra/services.ts';
import { accountsOf, paymentsOf, signInOf } from '../helpers/activities.ts';
import { movableClock } from '../helpers/clock.ts';
import { withDatabase } from '../helpers/database.ts';
import { HERE } from '../helpers/here.ts';
import { mailedToken } from '../helpers/mail.ts';
import { balancesOf, expectSoundLedger, fund } from '../helpers/money.ts';
import { newClient, sqlOf } from '../helpers/oauth.ts';
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
const LATER = { execute_on: '2026-12-21' };
const PAYEE = { name: 'HMRC', category: 'OTHER', sort_code: '200000', account_number: '55779911' } as const;

let counter = 0;
beforeAll(() => payments.ensureSandboxPayees());
beforeEach(() => {
  bank.answers = [];
  bank.submitted = [];
  clock.set('2026-11-21T12:00:00Z');
});
afterEach(() => expectSoundLedger(services));

async function planted(funds = 100_000) {
  const email = `planted-${(counter += 1)}@example.org`;
  const { user_id: userId } = await auth.registerUser({ email, password: PASSWORD });
  const { access_token } = await auth.login({ email, password: PASSWORD, from: HERE });
  const principal = await auth.authenticate({ token: access_token });
  const { provider_id } = await payments.addProvider({ principal, ...PAYEE });
  const { allocationId } = await fund(services, userId, funds);
  await signIn.requestPasswordReset({ email });
  const token = await mailedToken(services, email);
  const execute = (more: object = {}) =>
    payments.executePayment({
      principal,
      vault_allocation_id: allocationId,
      amount: 100,
      currency: 'GBP',
      provider_id,
      ...more,
    });
  const takeOver = (with_: Services = services) => signInOf(with_).resetPassword({ token, password: NEW_PASSWORD });
  return { email, userId, principal, provider_id, execute, takeOver };
}

const waiting = (userId: string) =>
  sql.many(`select payment_id from payments where owner_id = $1 and status = 'pending'`, [userId]);
const payeesOf = (userId: string) =>
  sql.many('select provider_id from payees where held_by = $1 and removed_at is null', [userId]);
const read = async (payment_id: string) => (await payments.getPayment({ payment_id })).payment;

test('cancels waiting payments, signals each workflow, releases the money and removes the payees, and changes no other account', async () => {
  const [theirs, other] = [await planted(), await planted()];
  const scheduled = [await theirs.execute(LATER), await theirs.execute(LATER)];
  const untouched = await other.execute(LATER);
  const { clientId } = await newClient(services);
  await sql.run(`insert into consents (user_id, client_id, scopes, granted_at) values ($1, $2, '{}', now())`, [
    theirs.userId,
    clientId,
  ]);
  await sql.run(
    `insert into user_identities (provider_id, subject_index, user_id, created_at) values ('sip_x', 'x', $1, now())`,
    [theirs.userId],
  );
  await theirs.takeOver();
  for (const table of ['consents', 'user_identities'])
    expect(await sql.many(`select 1 from ${table} where user_id = $1`, [theirs.userId])).toEqual([]);
  await expect(theirs.execute()).rejects.toMatchObject({ code: 'invalid-token' });
  expect(await waiting(theirs.userId)).toEqual([]);
  expect(await payeesOf(theirs.userId)).toEqual([]);
  expect(await balancesOf(services, theirs.userId)).toMatchObject({ vault: 100_000, in_flight: 0 });
  for (const { payment_id } of scheduled) {
    const { status, timeline } = await read(payment_id);
    expect([status, timeline.at(-1)!.detail]).toEqual([
      'cancelled',
      'Cancelled, because the owner of the email address has confirmed that the account is theirs.',
    ]);
    const told = await sql.many(
      `select payload ->> 'status' as status from outbox_messages where workflow_id = $1 and kind = 'payment.changed'`,
      [payment_id],
    );
    expect(told).toEqual([{ status: 'cancelled' }]);
  }
  expect((await read(untouched.payment_id)).status).toBe('pending');
  expect(await payeesOf(other.userId)).toHaveLength(1);
  const claimed = await sql.many(
    `select data - 'by' as data from audit_events where subject = $1 and kind = 'account.claimed'`,
    [theirs.userId],
  );
  expect(claimed).toEqual([{ data: { payees_removed: 1, payments_cancelled: 2, connections_ended: 0 } }]);
});

test('an account with a verified address keeps payees when a new password is set', async () => {
  const { userId, takeOver } = await planted();
  await sql.run('update users set email_verified_at = now() where user_id = $1', [userId]);
  await takeOver();
  expect(await payeesOf(userId)).toHaveLength(1);
});

test('a failure in the middle changes nothing, and the link works again', async () => {
  const { email, userId, execute, takeOver } = await planted();
  await execute(LATER);
  const dead = { now: () => Promise.reject(new Error('the machine died')) };
  const failing = new Proxy(services, {
    get: (target, name) => (name === 'clock' ? dead : (Reflect.get(target, name) as unknown)),
  });
  await expect(takeOver(failing)).rejects.toThrow('the machine died');
  expect(await waiting(userId)).toHaveLength(1);
  expect(await payeesOf(userId)).toHaveLength(1);
  await expect(auth.login({ email, password: PASSWORD, from: HERE })).resolves.toBeDefined();
  await takeOver();
  expect(await waiting(userId)).toEqual([]);
  await expect(auth.login({ email, password: PASSWORD, from: HERE })).rejects.toMatchObject({
    code: 'invalid-credentials',
  });
});

test('payees and payments that are added during the claim do not remain', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { userId, principal, execute, takeOver } = await planted();
    const late = (work: () => Promise<unknown>, ms: number) =>
      new Promise((resolve) => setTimeout(resolve, ms)).then(work);
    const attempts = Array.from({ length: 20 }, (_, place) => [
      late(() => execute(LATER), place * 10),
      late(() => payments.addProvider({ principal, ...PAYEE }), place * 10),
    ]).flat();
    const [, ...outcomes] = await Promise.allSettled([takeOver(), ...attempts]);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') {
        expect(['invalid-token', 'unknown-provider']).toContain((outcome.reason as { code: string }).code);
      }
    }
    expect(await waiting(userId)).toEqual([]);
    expect(await payeesOf(userId)).toEqual([]);
  }
});

test('a retry after the bank did not accept a payment never pays a removed payee', async () => {
  const { userId, execute, takeOver } = await planted();
  const { payment_id } = await execute();
  bank.answers = [{ kind: 'not-accepted', detail: 'refused', until: null }];
  const usual = bank.pay;
  const submit = () => payments.submitPayment({ payment_id, attempt: 1, settle_within_ms: 0 });
  // The owner claims the account while the payment request to the bank is open.
  bank.pay = async (access, instruction) => {
    bank.pay = usual;
    await takeOver();
    return usual(access, instruction);
  };
  expect(await submit()).toEqual({ outcome: 'unavailable', status: 'pending' });
  expect(await submit()).toEqual({ outcome: 'settled', status: 'failed' });
  expect(bank.submitted).toHaveLength(1);
  expect((await read(payment_id)).failure).toMatchObject({ code: 'unknown-provider', retryable: false });
  expect(await balancesOf(services, userId)).toMatchObject({ vault: 100_000, in_flight: 0 });
});

test('a payment that was not sent yet never pays a removed payee, and a failed payment is not retried', async () => {
  const { userId, email, execute, takeOver } = await planted();
  const [unsent, refused] = [await execute(), await execute()];
  bank.answers = [{ kind: 'refused', reason: { code: 'AC04', detail: 'The account is closed.' } }];
  await payments.submitPayment({ payment_id: refused.payment_id, attempt: 1, settle_within_ms: 0 });
  bank.submitted = [];
  await takeOver();
  await payments.submitPayment({ payment_id: unsent.payment_id, attempt: 1, settle_within_ms: 0 });
  expect(bank.submitted).toEqual([]);
  expect((await read(unsent.payment_id)).status).toBe('failed');
  const { access_token } = await auth.login({ email, password: NEW_PASSWORD, from: HERE });
  const owner: Principal = await auth.authenticate({ token: access_token });
  const again = payments.retryPayment({ principal: owner, payment_id: refused.payment_id });
  await expect(again).rejects.toMatchObject({ code: 'unknown-provider' });
  await expect(execute({ principal: owner })).rejects.toMatchObject({ code: 'unknown-provider' });
  expect(await balancesOf(services, userId)).toMatchObject({ vault: 100_000, in_flight: 0 });
});
