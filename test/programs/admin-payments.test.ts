import { lockPayment } from '../../activities/payments/record.ts';
import { attemptInReach } from '../../activities/reach.ts';
import { adminOf, expectRefused, OPERATOR_HERE, said } from '../helpers/admin.ts';
import { anyKey, userOf } from '../helpers/money.ts';
import { sqlOf } from '../helpers/oauth.ts';
import { AMOUNT, BACK, IN_FLIGHT, newOwner, withPayments } from '../helpers/paying.ts';

const { bank, clock, services, payments, pay } = withPayments();
const sql = sqlOf(services);
const { admin, reply } = adminOf(services);

interface Listed {
  payments: { payment_id: string; owner_id: string; failed_at: string; attempt: number; attention: boolean }[];
}
const listed = async (...more: string[]) => (await reply<Listed>('payment', 'list', '--failed', ...more)).payments;
const retry = (payment_id: string, settings?: Record<string, string>) =>
  adminOf(services, settings).admin('payment', 'retry', payment_id, '--reason', 'the bank was down on 21 November');
async function failed({ word = 'refused AM04', principal = userOf } = {}) {
  const owner = newOwner();
  const payment = await pay({ owner, principal: principal(owner), reference: 'Flat 2 Jane Doe' });
  await payment.submitTo(word);
  return payment;
}

const isInReach = (payment_id: string) =>
  services.db.transaction(async (tx) => attemptInReach(await lockPayment(tx, payment_id, new Date()), services));

describe('payment list --failed', () => {
  test('shows failed payments, newest first, with the reason and no personal text', async () => {
    const first = await failed();
    clock.set('2026-11-21T13:00:00Z');
    const second = await failed();
    const [newest, older] = await listed('--limit', '2');
    expect(newest).toEqual({
      payment_id: second.payment_id,
      owner_id: second.owner,
      amount: AMOUNT,
      provider_id: 'prov_sandbox_instant',
      attempt: 1,
      attention: false,
      failure_code: 'AM04',
      failure_detail: 'words of the bank',
      retryable: true,
      failed_at: '2026-11-21T13:00:00.000Z',
    });
    expect(older).toMatchObject({ payment_id: first.payment_id, failed_at: '2026-11-21T12:00:00.000Z' });
    expect(JSON.stringify(await listed())).not.toContain('Jane');
    expect(await listed('--limit', '1')).toHaveLength(1);
  });

  test('omits retried payments, and shows them if the retry failed too', async () => {
    const { owner, payment_id, retry: again, submitTo } = await failed();
    const attempts = async () =>
      (await listed()).filter((one) => one.payment_id === payment_id).map(({ attempt }) => attempt);
    expect(await attempts()).toEqual([1]);
    await again(userOf(owner));
    expect(await attempts()).toEqual([]);
    await submitTo('refused AM04', 2);
    expect(await attempts()).toEqual([2]);
  });

  test('uses an index', async () => {
    const plan = await services.db.transaction(async (tx) => {
      const inside = sqlOf({ db: tx });
      await inside.run('set local enable_seqscan = off');
      return inside.many<Record<'QUERY PLAN', string>>(
        `explain select payment_id from payments where status = 'failed' order by updated_at desc limit 100`,
      );
    });
    expect(JSON.stringify(plan)).toContain('payments_failed');
  });

  test.each([
    [['payment', 'list'], 2, '--failed is missing.'],
    [['payment', 'list', '--failed', '--limit', 'x'], 2, '--limit is "x"'],
    [['payment', 'list', '--failed', '--limit', '0'], 1, 'The limit must be from 1 to 500.'],
    [['payment', 'list', '--failed', '--limit', '501'], 1, 'The limit must be from 1 to 500.'],
  ])('%j is refused in a sentence', async (args, exitCode, words) => {
    expectRefused(await admin(...args), exitCode, words);
  });
});

describe('payment retry', () => {
  test('takes the money from its allocation again for the next attempt, once, audited with the reason', async () => {
    const { payment_id, balances, submitTo } = await failed();
    expect(await balances()).toMatchObject(BACK);
    expect(said(await retry(payment_id))).toMatchObject({ payment_id, status: 'processing', attempt: 2 });
    const why = 'Only a failed payment can be retried, but this payment is processing.\n';
    expectRefused(await retry(payment_id), 1, why);
    expect(await balances()).toMatchObject(IN_FLIGHT);
    const events = await sql.many(
      `select kind, actor, data ->> 'reason' as reason, data ->> 'attempt' as attempt from audit_events
        where subject = $1 and actor like 'operator:%' order by subject_seq`,
      [payment_id],
    );
    expect(events).toEqual([
      { kind: 'payment.retried', actor: OPERATOR_HERE, reason: 'the bank was down on 21 November', attempt: '2' },
      { kind: 'payment.processing', actor: OPERATOR_HERE, reason: null, attempt: '2' },
    ]);
    const messages = await sql.many(
      `select kind, payload ->> 'attempt' as attempt from outbox_messages where workflow_id = $1 order by message_id desc limit 1`,
      [payment_id],
    );
    expect(messages).toEqual([{ kind: 'payment.start', attempt: '2' }]);
    await submitTo('ACSP', 2);
    expect(bank.submitted.at(-1)).toMatchObject({ paymentId: payment_id, attempt: 2, amount: 40_000 });
  });

  test('respects the limits, the allocation and the reason of the failure', async () => {
    const raise = 'Pay less, or ask the operator to raise the limit.\n';
    const big = await failed();
    const { stderr } = await retry(big.payment_id, { LIMIT_PAYMENT: '39999' });
    expect(stderr).toBe(`A single payment must be at most 39999 pence. ${raise}`);
    const day = { LIMIT_PAYMENT: '50000', LIMIT_OWNER_PAYMENTS_PER_DAY: '40000' };
    await payments.executePayment({ ...big.order, amount: 1 });
    expect((await retry(big.payment_id, day)).stderr).toBe(
      `The total of all payments of an owner in one day must be at most 40000 pence. ${raise}`,
    );
    await payments.executePayment({ ...big.order, amount: 60_000 });
    expect((await retry(big.payment_id)).stderr).toBe(
      'The allocation holds 39999 pence, but the payment needs 40000 pence.\n',
    );
    const never = await failed({ word: 'refused AG01' });
    expect((await retry(never.payment_id)).stderr).toContain('because it failed with the code AG01.');
    expect(await never.balances()).toMatchObject(BACK);
    expect(await big.balances()).toMatchObject({ vault: 39_999, in_flight: 60_001 });
  });

  test('is refused if the caller may no longer act for the owner', async () => {
    // `anyKey` is not a stored API key.
    const { payment_id, balances } = await failed({ principal: () => anyKey });
    expectRefused(await retry(payment_id), 1, 'application');
    expect(await balances()).toMatchObject(BACK);
  });

  test('acts for the last caller, even the second time', async () => {
    const { payment_id, submitTo } = await failed();
    await retry(payment_id);
    expect(await isInReach(payment_id)).toBe(true);
    await submitTo('refused AM04', 2);
    expect((await retry(payment_id)).exitCode).toBe(0);
    expect(await isInReach(payment_id)).toBe(true);
  });

  test('is refused while the bank reports a transfer that is not settled', async () => {
    const { payment_id, tell } = await failed({ word: 'RJCT MS03' });
    await tell('ACCC');
    expect((await listed()).find((one) => one.payment_id === payment_id)).toMatchObject({ attention: true });
    expect((await retry(payment_id)).stderr).toContain('The bank reports that it paid an attempt of this payment.');
    await reply('payment', 'acknowledge', payment_id, '--reason', 'booked back');
    expect((await retry(payment_id)).exitCode).toBe(0);
  });

  test.each([
    [['payment', 'retry', 'pay_none', '--reason', 'x'], 1, 'There is no payment with this id.'],
    [['payment', 'retry', 'pay_none'], 2, '--reason is missing.'],
    [['payment', 'retry', '--reason', 'x'], 2, 'Usage: payment retry PAYMENT_ID --reason TEXT'],
  ])('%j is refused in a sentence', async (args, exitCode, words) => {
    expectRefused(await admin(...args), exitCode, words);
  });
});

test('reconcile prints how the payments stand in the accounts that paid', async () => {
  expect(await reply('reconcile')).toEqual({ checked: 0, matched: 0, missing: 0, unexplained_returns: 0 });
});
