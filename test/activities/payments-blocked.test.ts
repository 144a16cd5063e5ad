import { acknowledgePayment, listPaymentsNeedingAttention } from '../../activities/payments/attention.ts';
import type { BankStatus } from '../../domain/bank.ts';
import type { DomainError } from '../../domain/errors.ts';
import { SANDBOX_PAYEES } from '../../domain/sandbox-payees.ts';
import { paymentsOf } from '../helpers/activities.ts';
import { textQuery } from '../helpers/text-query.ts';
import { queueDepths } from '../../infra/db/queries/admin.ts';
import { standing } from '../../infra/db/queries/watch.ts';
import { movableClock } from '../helpers/clock.ts';
import { withDatabase } from '../helpers/database.ts';
import { anyKey, balancesOf, expectSoundLedger, fund } from '../helpers/money.ts';
import { bankIdOf, playedBank } from '../helpers/played-bank.ts';

const bank = playedBank();
const clock = movableClock();
const services = withDatabase({ bank, clock });
const payments = paymentsOf(services);
let owners = 0;

beforeAll(() => payments.ensureSandboxPayees());
beforeEach(() => clock.set('2026-11-24T12:00:00Z'));
afterEach(() => expectSoundLedger(services));

const FUNDS = 100_000;
const AMOUNT = 40_000;
const IN_FLIGHT = { vault: FUNDS - AMOUNT, in_flight: AMOUNT };
const PAID = { vault: FUNDS - AMOUNT, in_flight: 0, payees: AMOUNT };
const BACK = { vault: FUNDS, in_flight: 0 };

async function accepted() {
  const owner = `owner-${(owners += 1)}`;
  const { allocationId } = await fund(services, owner, FUNDS);
  const { payment_id } = await payments.executePayment({
    principal: anyKey,
    vault_allocation_id: allocationId,
    amount: AMOUNT,
    currency: 'GBP',
    provider_id: 'prov_sandbox_instant',
  });
  bank.answers = [];
  await payments.submitPayment({ payment_id, attempt: 1, settle_within_ms: 0 });
  return paymentOf(owner, payment_id);
}

function paymentOf(owner: string, payment_id: string) {
  return {
    payment_id,
    tell: (status: BankStatus, code?: string, attempt = 1) => {
      bank.says = { status, reason: code === undefined ? null : { code, detail: '' }, returned: null };
      return payments.recordBankEvent({ bank_payment_id: bankIdOf({ paymentId: payment_id, attempt }) });
    },
    resolve: (as: 'completed' | 'failed') =>
      refusal(payments.resolvePayment({ payment_id, as, reason: 'seen on the statement', actor: 'operator' })),
    acknowledge: () => refusal(acknowledgePayment(services, { payment_id, reason: 'cleared up', actor: 'operator' })),
    read: async () => (await payments.getPayment({ payment_id })).payment,
    balances: () => balancesOf(services, owner),
    listed: async () => {
      const { payments: all } = await listPaymentsNeedingAttention(services);
      return all.filter((one) => one.payment_id === payment_id).map(({ reason }) => reason);
    },
    audited: async () => (await services.db.many(auditOf(payment_id))).map(({ kind }) => kind),
  };
}

async function blocked(status: 'BLCK' | 'CANC' = 'BLCK') {
  const payment = await accepted();
  await payment.tell(status);
  return payment;
}

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => (error as DomainError).code,
  );

describe('a payment that the bank blocks', () => {
  test.each(['BLCK', 'CANC'] as const)('by %s stays in flight, and is flagged for an operator once', async (status) => {
    const payment = await accepted();
    for (let times = 0; times < 3; times += 1) await payment.tell(status);
    expect(await payment.read()).toMatchObject({
      status: 'processing',
      bank_status: status,
      attention: true,
      failure: null,
      timeline: [{ status: 'processing' }, { status: 'processing', detail: expect.stringContaining('blocked') }],
    });
    expect(await payment.balances()).toMatchObject(IN_FLIGHT);
    expect(await payment.listed()).toEqual(['bank-blocked']);
    expect(await payment.acknowledge()).toBe('invalid-request');
    expect(await payment.audited()).toEqual(['payment.processing', 'payment.attention']);
  });

  test('can be neither retried nor cancelled, and its money pays nothing else', async () => {
    const { payment_id, read } = await blocked();
    expect(await refusal(payments.retryPayment({ principal: anyKey, payment_id }))).toBe('payment-not-failed');
    expect(await refusal(payments.cancelPayment({ principal: anyKey, payment_id }))).toBe('payment-not-pending');
    const { vault_allocation_id } = await read();
    const more = { principal: anyKey, vault_allocation_id, currency: 'GBP', provider_id: 'prov_sandbox_instant' };
    expect(await refusal(payments.executePayment({ ...more, amount: FUNDS }))).toBe('insufficient-allocation');
  });

  test('is not submitted again by a restarted workflow, which waits at once', async () => {
    const { payment_id } = await blocked();
    const sent = bank.submitted.length;
    const began = performance.now();
    const again = await payments.submitPayment({ payment_id, attempt: 1, settle_within_ms: 60_000 });
    expect(again).toEqual({ outcome: 'accepted', status: 'processing' });
    expect(performance.now() - began).toBeLessThan(60_000);
    expect(bank.submitted).toHaveLength(sent);
    expect(await payments.readBlocked({ payment_id, attempt: 1 })).toBe(true);
  });

  test('wakes its workflow, so that the Web UI shows it', async () => {
    const payment = await blocked();
    expect(await services.db.many(wordsTo(payment.payment_id))).toEqual([{ status: 'processing' }]);
  });

  test('completes if the bank pays it after all', async () => {
    const payment = await blocked();
    await payment.tell('ACSP');
    expect(await payment.read()).toMatchObject({ bank_status: 'BLCK', attention: true });
    await payment.tell('ACSC');
    expect(await payment.read()).toMatchObject({ status: 'completed', bank_status: 'ACSC', attention: false });
    expect(await payment.balances()).toMatchObject(PAID);
    expect(await payment.resolve('failed')).toBe('payment-not-unknown');
  });

  test('fails, and returns the money, if the bank rejects it after all', async () => {
    const payment = await blocked('CANC');
    await payment.tell('RJCT', 'LEGL');
    expect(await payment.read()).toMatchObject({ status: 'failed', attention: false, failure: { code: 'LEGL' } });
    expect(await payment.balances()).toMatchObject(BACK);
    expect(await payment.listed()).toEqual([]);
  });

  test('does not count as silent, because it waits for an operator', async () => {
    const later = new Date('2026-11-25T12:00:00Z');
    const silent = async () => (await services.db.one(standing(later))).payments_silent;
    const before = await silent();
    const payment = await accepted();
    expect(await silent()).toBe(before + 1);
    await payment.tell('BLCK');
    expect(await silent()).toBe(before);
  });

  test('does not prevent the restart of a later stalled payment', async () => {
    const older = await blocked();
    clock.set('2026-11-24T12:30:00Z');
    const younger = await accepted();
    await services.db.run(forgetOthers([older.payment_id, younger.payment_id]));
    clock.set('2026-11-24T13:00:00Z');
    await payments.restartStalledPayments({ silent_for_s: 60, limit: 1 });
    expect(await services.db.many(lastStarted())).toEqual([{ workflow_id: younger.payment_id }]);
  });
});

describe('payment resolve', () => {
  test.each([
    ['completed', 'BLCK', PAID],
    ['failed', 'BLCK', BACK],
    ['completed', 'CANC', PAID],
    ['failed', 'CANC', BACK],
  ] as const)('as %s settles a payment that is %s, audited', async (as, status, balances) => {
    const payment = await blocked(status);
    expect(await payment.resolve(as)).toBeNull();
    expect(await payment.read()).toMatchObject({ status: as, attention: false });
    expect(await payment.balances()).toMatchObject(balances);
    expect(await payment.audited()).toEqual([
      'payment.processing',
      'payment.attention',
      'payment.resolved',
      `payment.${as}`,
    ]);
    expect(await payment.listed()).toEqual([]);
  });

  test('is refused for a payment that the bank has neither blocked nor lost', async () => {
    const payment = await accepted();
    expect(await payment.resolve('failed')).toBe('payment-not-unknown');
    expect(await payment.balances()).toMatchObject(IN_FLIGHT);
  });

  test('ten times at once, for both outcomes, settles the payment once', async () => {
    const payment = await blocked();
    const outcomes = Array.from({ length: 10 }, (_, n) => payment.resolve(n % 2 ? 'completed' : 'failed'));
    const refusals = (await Promise.all(outcomes)).filter((code) => code !== null);
    expect(refusals).toEqual(Array(9).fill('payment-not-unknown'));
    const { status } = await payment.read();
    expect(await payment.balances()).toMatchObject(status === 'completed' ? PAID : BACK);
  });

  test.each([
    ['failed', 'ACSC'],
    ['completed', 'ACSC'],
    ['completed', 'RJCT'],
    ['failed', 'RJCT'],
  ] as const)('as %s while the bank says %s moves the money once, and hides no contradiction', async (as, said) => {
    for (let round = 0; round < 8; round += 1) {
      const payment = await blocked();
      const [refused] = await Promise.all([payment.resolve(as), payment.tell(said)]);
      const { status, attention } = await payment.read();
      const bankFirst = refused !== null;
      const ends = {
        'failed ACSC': bankFirst ? ['completed', false] : ['failed', true],
        'completed ACSC': ['completed', false],
        'completed RJCT': bankFirst ? ['failed', false] : ['returned', false],
        'failed RJCT': ['failed', false],
      } as const;
      expect([status, attention]).toEqual(ends[`${as} ${said}`]);
      expect(await payment.balances()).toMatchObject(status === 'completed' ? PAID : BACK);
    }
  });

  test('ignores late reports of the block, and a contradicting bank flags the payment or takes the money back', async () => {
    const failed = await blocked();
    await failed.resolve('failed');
    for (const status of ['BLCK', 'CANC', 'ACSP', 'RJCT'] as const) await failed.tell(status);
    expect(await failed.read()).toMatchObject({ status: 'failed', attention: false });
    await failed.tell('ACSC');
    expect(await failed.listed()).toEqual(['bank-contradicts']);
    expect(await failed.balances()).toMatchObject(BACK);

    const completed = await blocked();
    await completed.resolve('completed');
    for (const status of ['BLCK', 'CANC', 'ACSP', 'ACSC'] as const) await completed.tell(status);
    await completed.tell('RJCT', 'AM05');
    expect(await completed.read()).toMatchObject({ status: 'completed', attention: false });
    await completed.tell('RJCT', 'AC04');
    expect(await completed.read()).toMatchObject({ status: 'returned', attention: false });
    expect((await completed.read()).timeline.at(-1)!.detail).toBe('The bank returned the money: AC04.');
    expect(await completed.balances()).toMatchObject(BACK);
  });
});

describe('an earlier attempt that the bank paid after all', () => {
  // The second attempt is blocked, and then the bank pays the first after all.
  async function contradicted() {
    const payment = await accepted();
    await payment.tell('RJCT', 'MS03');
    await payments.retryPayment({ principal: anyKey, payment_id: payment.payment_id });
    await payments.submitPayment({ payment_id: payment.payment_id, attempt: 2, settle_within_ms: 0 });
    await payment.tell('BLCK', undefined, 2);
    for (let times = 0; times < 3; times += 1) await payment.tell('ACSC', undefined, 1);
    return payment;
  }

  test.each(['the bank', 'an operator'])('needs an operator after %s settles the blocked one', async (who) => {
    const payment = await contradicted();
    expect(await payment.listed()).toEqual(['bank-blocked']);
    if (who === 'the bank') await payment.tell('ACSC', undefined, 2);
    else expect(await payment.resolve('completed')).toBeNull();
    expect(await payment.read()).toMatchObject({ status: 'completed', attention: true });
    expect(await payment.listed()).toEqual(['bank-contradicts']);
    expect((await payment.audited()).filter((kind) => kind === 'payment.contradiction')).toHaveLength(1);
    expect(await payment.acknowledge()).toBeNull();
    expect(await payment.listed()).toEqual([]);
  });
});

test('a failed payment that the bank reports as paid is not retried before an operator has settled it', async () => {
  const payment = await accepted();
  await payment.tell('RJCT', 'MS03');
  for (let times = 0; times < 3; times += 1) await payment.tell('ACSC');
  expect(await payment.read()).toMatchObject({ status: 'failed', attention: true });
  const forOperator = async () => (await services.db.one(queueDepths())).payments_for_operator;
  const counted = await forOperator();
  const retry = () => refusal(payments.retryPayment({ principal: anyKey, payment_id: payment.payment_id }));
  expect(await retry()).toBe('payment-not-retryable');
  expect(await payment.acknowledge()).toBeNull();
  expect(await forOperator()).toBe(counted - 1);
  expect(await retry()).toBeNull();
});

test('a sandbox that lacks payees gets them at the next start, and keeps its own', async () => {
  const all = async () => (await payments.listProviders({ principal: anyKey, limit: 50 })).items;
  await services.db.run(dropProvider('prov_sandbox_blocked'));
  const before = await all();
  expect(before).toHaveLength(SANDBOX_PAYEES.length - 1);
  await payments.ensureSandboxPayees();
  const after = await all();
  expect(after.map(({ provider_id }) => provider_id)).toContain('prov_sandbox_blocked');
  expect(after).toEqual(expect.arrayContaining(before));
});

const auditOf = textQuery<{ kind: string }>(
  'test.auditOf',
  'select kind from audit_events where subject = $1 order by subject_seq',
);
const wordsTo = textQuery<{ status: string }>(
  'test.wordsTo',
  `select payload->>'status' as status from outbox_messages where workflow_id = $1 and kind = 'payment.changed'`,
);
const forgetOthers = textQuery(
  'test.forgetOthers',
  `update payments set updated_at = '2030-01-01' where payment_id <> all ($1::text[])`,
);
const lastStarted = textQuery<{ workflow_id: string }>(
  'test.lastStarted',
  `select workflow_id from outbox_messages where kind = 'payment.start' order by message_id desc limit 1`,
);
const dropProvider = textQuery('test.dropProvider', 'delete from payees where provider_id = $1');
