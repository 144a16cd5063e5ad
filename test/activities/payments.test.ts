import { listPaymentsNeedingAttention } from '../../activities/payments/attention.ts';
import type { SubmitOutcome } from '../../domain/bank/payments.ts';
import { retryPaymentByOperator } from '../../activities/payments/retry.ts';
import { mayBecome, PAYMENT_STATUSES } from '../../domain/payments.ts';
import { banksWith } from '../helpers/banks.ts';
import { paymentsOf } from '../helpers/activities.ts';
import { testConfig } from '../helpers/environment.ts';
import { balancesOf, fund, userOf } from '../helpers/money.ts';
import { ownerSql } from '../helpers/owner.ts';
import {
  AMOUNT,
  BACK,
  codeOf,
  FUNDS,
  IN_FLIGHT,
  newOwner,
  outcomeOf,
  PAID,
  refusal,
  withPayments,
} from '../helpers/paying.ts';
import { remember } from '../helpers/played-bank.ts';
import { textQuery } from '../helpers/text-query.ts';

const { bank, clock, services, payments, pay } = withPayments();
type Payment = Awaited<ReturnType<typeof pay>>;

const SETTLED = { outcome: 'settled', status: 'completed' };
const ACCEPTED = { outcome: 'accepted', status: 'processing' };
const UNKNOWN = { outcome: 'unknown', status: 'processing' };
const PENDING = { outcome: 'unavailable', status: 'pending' };

const done = (outcomes: readonly unknown[]) => outcomes.filter((outcome) => outcome === 'done').length;

describe('executePayment', () => {
  test('moves the money from the allocation into flight', async () => {
    const { payment, balances } = await pay();
    expect(payment).toMatchObject({ status: 'processing', amount: AMOUNT, currency: 'GBP', attempt: 1 });
    expect(await balances()).toMatchObject({ ...IN_FLIGHT, employer: -FUNDS });
  });

  test('a payment for the next day is pending, and one for today is not', async () => {
    const of = async (execute_on: string) => (await pay({ execute_on })).payment.status;
    expect([await of('2026-11-22'), await of('2026-11-21')]).toEqual(['pending', 'processing']);
  });

  const DATES = { code: 'execution-date-out-of-range', earliest: '2026-11-21', latest: '2027-11-21' };
  test.each([
    ['more than the allocation holds', { amount: 100_001 }, { code: 'insufficient-allocation', available: FUNDS }],
    ['another currency', { currency: 'EUR' }, { code: 'unsupported-currency', supported: 'GBP' }],
    ['a payee nobody knows', { provider_id: 'prov_nobody' }, { code: 'unknown-provider' }],
    ['an allocation nobody knows', { vault_allocation_id: 'alloc_nobody' }, { code: 'unknown-allocation' }],
    ['yesterday', { execute_on: '2026-11-20' }, DATES],
    ['366 days ahead', { execute_on: '2027-11-22' }, DATES],
  ] as const)('%s is refused and moves nothing', async (_what, more, expected) => {
    const owner = newOwner();
    expect(await refusal(pay({ owner, ...more }))).toEqual(expected);
    expect(await balancesOf(services, owner)).toEqual({ employer: -FUNDS, vault: FUNDS });
  });

  test("one caller's payee cannot be paid by another, but by the money's owner and the caller who added it", async () => {
    const principal = userOf(newOwner());
    const account = { sort_code: '112233', account_number: '12345678' };
    const provider = await payments.addProvider({ principal, name: 'Jane', category: 'HOUSING', ...account });
    expect(provider).toMatchObject({ sort_code: '**-**-33', account_number: '****5678' });
    const { provider_id } = provider;
    expect(await codeOf(pay({ provider_id }))).toBe('unknown-provider');
    const { payment } = await pay({ owner: principal.kind === 'user' ? principal.userId : '', principal, provider_id });
    expect(payment.category).toBe('HOUSING');
  });

  test('of forty at once on one allocation, exactly those that fit are made', async () => {
    const { order, balances } = await pay({ amount: 4_000 });
    const codes = await Promise.all(
      Array.from({ length: 40 }, () => codeOf(payments.executePayment({ ...order, amount: 4_000 }))),
    );
    expect([done(codes), codes.filter((code) => code === 'insufficient-allocation').length]).toEqual([24, 16]);
    expect(await balances()).toMatchObject({ vault: 0, in_flight: FUNDS });
  });
});

test('without a bank that pays, a payment is refused, and one on its way waits unsent', async () => {
  const unconnected = paymentsOf({ ...services, banks: { ...banksWith(bank), house: null } });
  const { order, payment_id, read, sent, submit } = await pay();
  expect(await refusal(unconnected.executePayment(order))).toEqual({ code: 'bank-not-connected' });
  const waiting = unconnected.submitPayment({ payment_id, attempt: 1, settle_within_ms: 0 });
  await expect(waiting).rejects.toThrow('the house account is no longer at the bank sandbox');
  expect([sent(), (await read()).bank_status]).toEqual([0, null]);
  expect(await submit()).toEqual({ outcome: 'accepted', status: 'processing' });
});

/** `first` is the outcome of a call before, or null. The audit and the money are those after the last call. */
describe('submitPayment', () => {
  const FAILED = { outcome: 'settled', status: 'failed' };
  test.each([
    [null, 'ACSP', ACCEPTED, 'ACSP', IN_FLIGHT, []],
    [null, 'ACCC', SETTLED, 'ACCC', PAID, ['completed']],
    [null, 'RJCT AC06', FAILED, 'RJCT', BACK, ['failed']],
    [null, 'refused AC06', FAILED, null, BACK, ['failed']],
    [null, 'no connection', PENDING, null, IN_FLIGHT, ['pending']],
    [null, 'timeout', UNKNOWN, 'UNKNOWN', IN_FLIGHT, []],
    ['no connection', 'ACCC', SETTLED, 'ACCC', PAID, ['pending', 'processing', 'completed']],
    ['no connection', 'no connection', PENDING, null, IN_FLIGHT, ['pending', 'processing', 'pending']],
    ['timeout', 'ACCC', SETTLED, 'ACCC', PAID, ['completed']],
    ['timeout', 'no connection', UNKNOWN, 'UNKNOWN', IN_FLIGHT, []],
    // The first call may have moved the money, so these refusals of the repeated call free no money.
    ['timeout', 'refused U029', UNKNOWN, 'UNKNOWN', IN_FLIGHT, []],
    ['timeout', 'refused U002', UNKNOWN, 'UNKNOWN', IN_FLIGHT, []],
    ['timeout', 'refused AC06', FAILED, null, BACK, ['failed']],
    // The event of the return was lost.
    ['timeout', 'ACCC returned', { outcome: 'settled', status: 'returned' }, 'ACCC', BACK, ['completed', 'returned']],
  ] as const)('after %s, %s: %j, bank status %s', async (first, word, result, bankStatus, balances, audit) => {
    const payment = await pay();
    if (first !== null) await payment.submitTo(first);
    expect(await payment.submitTo(word)).toEqual(result);
    expect(await payment.read()).toMatchObject({ status: result.status, bank_status: bankStatus, attention: false });
    expect(await payment.balances()).toMatchObject(balances);
    expect(await payment.audited()).toEqual(['processing', ...audit]);
  });

  test('a settled payment is with the payee, once, however often it is submitted again', async () => {
    const payment = await pay();
    expect(await payment.submitTo('ACCC')).toEqual(SETTLED);
    expect(await payment.submit()).toEqual(SETTLED);
    expect(payment.sent()).toBe(1);
    expect(await payment.balances()).toMatchObject(PAID);
  });

  test('a rejection returns the money to the allocation it came from', async () => {
    const { submitTo, read, order } = await pay();
    await submitTo('RJCT AC06');
    expect(await read()).toMatchObject({ failure: { code: 'AC06', retryable: true } });
    expect((await payments.executePayment({ ...order, amount: FUNDS })).status).toBe('processing');
  });

  test('a payment to an unreachable bank can be cancelled, and is not sent then', async () => {
    const payment = await pay();
    await payment.submitTo('no connection');
    expect((await payment.cancel()).status).toBe('cancelled');
    expect(await payment.balances()).toMatchObject(BACK);
    expect(await payment.submit()).toEqual({ outcome: 'settled', status: 'cancelled' });
    expect(payment.sent()).toBe(1);
  });

  test('an unknown outcome stays in flight, is queried again, and is never pending, even when the bank is offline', async () => {
    const payment = await pay();
    for (const word of ['timeout', 'no connection']) expect(await payment.submitTo(word)).toEqual(UNKNOWN);
    expect(await codeOf(payment.cancel())).toBe('payment-not-pending');
    expect(await payment.balances()).toMatchObject(IN_FLIGHT);
    expect(await payment.submitTo('ACCC')).toEqual(SETTLED);
    expect(payment.sent()).toBe(3);
  });

  test('a worker crash during the submission counts as an unknown outcome', async () => {
    const payment = await pay();
    await services.db.run(inDoubt(payment.payment_id));
    expect(await payment.submitTo('no connection')).toEqual(UNKNOWN);
  });

  test('a payment sent a day ago is not sent again: an operator settles it, audited', async () => {
    const payment = await pay();
    await payment.submitTo('timeout');
    await services.db.run(longAgo(payment.payment_id));
    expect(await payment.submit()).toEqual({ outcome: 'expired', status: 'processing' });
    expect(payment.sent()).toBe(1);
    await payments.markAttention({ payment_id: payment.payment_id, attempt: 1 });
    expect(await payment.read()).toMatchObject({ attention: true, status: 'processing' });
    expect(await payment.listed()).toEqual(['outcome-unknown']);
    const { payments: waiting } = await listPaymentsNeedingAttention(services);
    const end_to_end_id = expect.stringMatching(/^[0-9A-Z]{25}A1$/) as string;
    expect(waiting).toContainEqual(expect.objectContaining({ payment_id: payment.payment_id, end_to_end_id }));
    expect(await payment.acknowledge()).toBe('invalid-request');
    expect(await payment.resolve('completed')).toBe('done');
    expect(await payment.read()).toMatchObject({ attention: false, status: 'completed' });
    expect(await payment.balances()).toMatchObject(PAID);
    expect(await payment.audited()).toEqual(['processing', 'attention', 'resolved', 'completed']);
  });

  function heldBack(outcome: SubmitOutcome): { sent: Promise<unknown>; answer: () => void } {
    const usual = bank.pay;
    const [sent, answered] = [Promise.withResolvers<undefined>(), Promise.withResolvers<SubmitOutcome>()];
    bank.pay = () => {
      bank.pay = usual;
      sent.resolve(undefined);
      return answered.promise;
    };
    const answer = () => {
      remember(bank, outcome);
      answered.resolve(outcome);
    };
    return { sent: sent.promise, answer };
  }
  const heldOf = ({ payment_id }: Payment, word: string) =>
    heldBack(outcomeOf({ paymentId: payment_id, attempt: 1 }, word));

  test('a call that fails late does not undo a later call of the same attempt', async () => {
    const payment = await pay();
    const first = heldOf(payment, 'no connection');
    const slow = payment.submit();
    await first.sent;
    expect(await payment.submit()).toEqual(ACCEPTED);
    first.answer();
    expect(await slow).toEqual(ACCEPTED);
    expect(await payment.read()).toMatchObject({ status: 'processing', bank_status: 'ACSP' });
  });

  test('a call that failed does not make the payment pending while another call of the same attempt is under way', async () => {
    const payment = await pay();
    const first = heldOf(payment, 'no connection');
    const slow = payment.submit();
    await first.sent;
    const second = heldOf(payment, 'ACCC');
    const later = payment.submit();
    await second.sent;
    first.answer();
    expect(await slow).toEqual(UNKNOWN);
    expect(await codeOf(payment.cancel())).toBe('payment-not-pending');
    second.answer();
    expect(await later).toEqual(SETTLED);
  });

  test('a payment never goes to the bank before its day', async () => {
    const payment = await pay({ execute_on: '2026-11-23' });
    for (const instant of ['2026-11-21T10:00:00Z', '2026-11-22T23:59:59.999Z']) {
      clock.set(instant);
      expect(await payment.submit()).toEqual(PENDING);
    }
    expect(payment.sent()).toBe(0);
    expect(await payment.balances()).toMatchObject(IN_FLIGHT);
    clock.set('2026-11-23T00:00:00Z');
    await payment.submit();
    expect(payment.sent()).toBe(1);
  });

  test('an unknown attempt is not sent', async () => {
    const payment = await pay();
    expect(await payment.submit(2)).toEqual({ outcome: 'settled', status: 'processing' });
    expect(payment.sent()).toBe(0);
  });

  test('a cancellation during the submission reports what really happens to the payment', async () => {
    for (let round = 0; round < 10; round += 1) {
      const payment = await pay();
      await payment.submitTo('no connection');
      const [cancel] = await Promise.all([codeOf(payment.cancel()), payment.submitTo('ACCC')]);
      const cancelled = cancel === 'done';
      expect((await payment.read()).status).toBe(cancelled ? 'cancelled' : 'completed');
      expect(payment.sent()).toBe(cancelled ? 1 : 2);
    }
  });
});

/** `payments-statuses.test.ts` has a table of all reports. */
describe('reports of the bank', () => {
  test('late and repeated messages never move a payment backwards', async () => {
    const payment = await pay();
    await payment.submit();
    for (const word of ['ACSP', 'ACCC', 'ACSP', 'BLCK', 'RJCT DUPL', 'ACCC', 'PDNG']) await payment.tell(word);
    expect((await payment.read()).status).toBe('completed');
    expect(await payment.timeline()).toEqual(['processing', 'completed']);
  });

  test('money that is returned after settlement goes back to the allocation, also if only a check finds it', async () => {
    const payment = await pay();
    await payment.submit();
    bank.says = {
      status: 'ACCC',
      reason: null,
      returned: { at: '2026-11-21T12:00:05Z', reason: { code: 'RETN', detail: '' } },
    };
    expect(await payment.check()).toBe('returned');
    expect(await payment.timeline()).toEqual(['processing', 'completed', 'returned']);
    expect(await payment.balances()).toMatchObject({ ...BACK, payees: 0 });
  });

  test('twenty simultaneous reports of one settlement settle the payment once', async () => {
    const payment = await pay();
    await payment.submit();
    const told = await Promise.all(Array.from({ length: 20 }, () => payment.tell('ACCC')));
    expect(told.every(Boolean)).toBe(true);
    expect(await payment.balances()).toMatchObject(PAID);
    expect(await payments.recordBankEvent({ bank_id: 'sandbox', bank_payment_id: 'vrp-of-somebody-else' })).toBe(false);
  });
});

describe('retryPayment', () => {
  async function failed(code = 'MS03') {
    const payment = await pay();
    await payment.submitTo(`RJCT ${code}`);
    return payment;
  }

  test('takes the money again and counts the attempt', async () => {
    const payment = await failed();
    expect(await payment.retry()).toMatchObject({ status: 'processing', attempt: 2 });
    expect(await payment.balances()).toMatchObject(IN_FLIGHT);
    expect(await payment.read()).toMatchObject({
      failure: null,
      attempts: [
        { attempt: 1, status: 'failed', failure: { code: 'MS03' } },
        { attempt: 2, status: 'processing', failure: null },
      ],
    });
  });

  test('twenty at once, of which ten by operators, start one attempt', async () => {
    const payment = await failed();
    const { payment_id } = payment;
    const byOperator = () => retryPaymentByOperator(services, { payment_id, reason: 'asked to', actor: 'operator' });
    const all = Array.from({ length: 20 }, (_, n) => codeOf(n % 2 ? payment.retry() : byOperator()));
    expect(done(await Promise.all(all))).toBe(1);
    expect((await payment.read()).attempt).toBe(2);
    expect(await payment.balances()).toMatchObject(IN_FLIGHT);
  });

  test('is refused for a payment that has not failed, for a final reason, and without the money', async () => {
    const refused = { code: 'payment-not-failed', payment_status: 'processing' };
    expect(await refusal((await pay()).retry())).toEqual(refused);
    expect(await codeOf((await failed('AG01')).retry())).toBe('payment-not-retryable');

    const poor = await failed();
    await payments.executePayment({ ...poor.order, amount: 70_000 });
    expect(await refusal(poor.retry())).toEqual({ code: 'insufficient-allocation', available: 30_000 });
  });
});

describe('the limits of payments', () => {
  const env = { LIMIT_PAYMENT: '50000', LIMIT_OWNER_PAYMENTS_PER_DAY: '80000' };
  async function anOwner() {
    const limited = paymentsOf({ ...services, config: testConfig(services.config.database.url, env) });
    const owner = newOwner();
    const principal = userOf(owner);
    const { allocationId: vault_allocation_id } = await fund(services, owner, 500_000);
    const order = { principal, vault_allocation_id, currency: 'GBP', provider_id: 'prov_sandbox_instant' } as const;
    const execute = (amount: number, more: { execute_on?: string } = {}) =>
      limited.executePayment({ ...order, amount, ...more });
    return { principal, limited, execute };
  }
  const exceeds = (limit: number, used: number) => ({
    ...{ code: 'exceeds-payment-limit', limit_kind: limit === 80_000 ? 'owner-amount' : 'payment-amount' },
    ...{ limit, used, available: limit - used },
  });

  test('a payment of exactly the limit is made, and a penny more is refused', async () => {
    const { execute } = await anOwner();
    expect(await refusal(execute(50_001))).toEqual(exceeds(50_000, 0));
    expect((await execute(50_000)).status).toBe('processing');
  });

  test('the daily limit counts payments on the day of the request, whenever they are due', async () => {
    const { execute } = await anOwner();
    await execute(50_000);
    await execute(20_000, { execute_on: '2026-12-24' });
    expect(await refusal(execute(10_001))).toEqual(exceeds(80_000, 70_000));
    await execute(10_000);
    expect(await refusal(execute(1))).toEqual(exceeds(80_000, 80_000));
  });

  test('each owner has a separate limit, which restarts at midnight in London', async () => {
    const [one, other] = [await anOwner(), await anOwner()];
    clock.set('2026-11-25T23:59:00Z');
    await one.execute(50_000);
    await one.execute(30_000);
    await other.execute(50_000);
    expect(await refusal(one.execute(1))).toEqual(exceeds(80_000, 80_000));
    clock.set('2026-11-26T00:00:00Z');
    expect((await one.execute(50_000)).status).toBe('processing');
  });

  test('a cancelled payment does not count, and a failed one counts only when retried', async () => {
    const { principal, limited, execute } = await anOwner();
    const cancelled = await execute(50_000, { execute_on: '2026-11-27' });
    await limited.cancelPayment({ principal, payment_id: cancelled.payment_id });
    const { payment_id } = await execute(50_000);
    bank.answers = [{ kind: 'refused', reason: { code: 'AM04', detail: 'no funds' } }];
    await limited.submitPayment({ payment_id, attempt: 1, settle_within_ms: 0 });
    await execute(40_000);
    expect(await refusal(limited.retryPayment({ principal, payment_id }))).toEqual(exceeds(80_000, 40_000));
  });

  test('of forty simultaneous payments only as many are made as the daily limit allows', async () => {
    const { execute } = await anOwner();
    const outcomes = await Promise.all(Array.from({ length: 40 }, () => codeOf(execute(7_000))));
    expect(done(outcomes)).toBe(11);
  });
});

describe('what the database refuses by itself', () => {
  test('every change of status that the rules do not allow', async () => {
    const { payment_id } = await pay();
    const changed = `update payments set attempt = attempt + (status = 'failed' and %1$L = 'processing')::int, status = %1$L
      where payment_id = '${payment_id}'`;
    for (const from of PAYMENT_STATUSES) {
      for (const to of PAYMENT_STATUSES.filter((status) => status !== from)) {
        // The exception at the end undoes the change.
        const change = ownerSql(
          services,
          `do $$ begin
             alter table payments disable trigger user;
             execute format($t$${changed}$t$, '${from}');
             alter table payments enable trigger user;
             execute format($t$${changed}$t$, '${to}');
             raise exception 'allowed';
           end $$`,
        );
        await expect(change).rejects.toThrow(mayBecome(from, to) ? 'allowed' : `cannot go from ${from} to ${to}`);
      }
    }
  });

  test('a changed timeline', async () => {
    await pay();
    await expect(services.db.run(rewrite())).rejects.toThrow('permission denied');
    await expect(ownerSql(services, rewrite().text)).rejects.toThrow(/append-only/);
  });
});

test('pages hold every payment once, newest first', async () => {
  const { owner, order, payment_id } = await pay({ amount: 1_000 });
  const made = [payment_id];
  for (let n = 0; n < 6; n += 1) made.unshift((await payments.executePayment({ ...order, amount: 1_000 })).payment_id);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const list = await payments.listPayments({ principal: order.principal, user_id: owner, limit: 3, cursor });
    seen.push(...list.items.map((item) => item.payment_id));
    cursor = list.next_cursor ?? undefined;
  } while (cursor);
  expect(seen).toEqual(made);
});

const inDoubt = textQuery(
  'test.inDoubt',
  `update payment_attempts set submission = 'in_doubt', first_sent_at = now() where payment_id = $1`,
);
const longAgo = textQuery(
  'test.longAgo',
  `update payment_attempts set first_sent_at = now() - interval '24 hours' where payment_id = $1`,
);
const rewrite = textQuery('test.rewrite', `update payment_events set detail = ''`);
