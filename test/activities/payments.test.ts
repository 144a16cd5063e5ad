import type { BankStatus, SubmitOutcome } from '../../domain/bank.ts';
import { acknowledgePayment, listPaymentsNeedingAttention } from '../../activities/payments/attention.ts';
import type { DomainError } from '../../domain/errors.ts';
import { paymentsOf } from '../helpers/activities.ts';
import { textQuery } from '../helpers/text-query.ts';
import { movableClock } from '../helpers/clock.ts';
import { withDatabase } from '../helpers/database.ts';
import { anyKey, balancesOf, expectSoundLedger, fund, userOf } from '../helpers/money.ts';
import { mayBecome, PAYMENT_STATUSES } from '../../domain/payments.ts';
import { ownerSql } from '../helpers/owner.ts';
import { bankIdOf, playedBank, remember } from '../helpers/played-bank.ts';

const bank = playedBank();
const clock = movableClock();
const services = withDatabase({ bank, clock });
const payments = paymentsOf(services);
let owners = 0;

beforeAll(() => payments.ensureSandboxPayees());
beforeEach(() => {
  bank.answers = [];
  bank.says = { status: 'ACSP', reason: null, returned: null };
  bank.submitted = [];
  clock.set('2026-11-21T12:00:00Z');
});
afterEach(() => expectSoundLedger(services));

async function aPayment(more: Partial<Parameters<typeof payments.executePayment>[0]> = {}, funds = 100_000) {
  const owner = `owner-${(owners += 1)}`;
  const { allocationId, vaultId } = await fund(services, owner, funds);
  const payment = await payments.executePayment({
    principal: userOf(owner),
    vault_allocation_id: allocationId,
    amount: 40_000,
    currency: 'GBP',
    provider_id: 'prov_sandbox_instant',
    ...more,
  });
  const ref = { payment_id: payment.payment_id, attempt: 1 };
  return {
    owner,
    allocationId,
    vaultId,
    payment,
    ref,
    submit: () => payments.submitPayment({ ...ref, settle_within_ms: 0 }),
  };
}

const read = async (payment_id: string) => (await payments.getPayment({ payment_id })).payment;
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => ({ code: 'nothing was refused', extra: {} }),
    (error: unknown) => ({ code: (error as DomainError).code, extra: (error as DomainError).extra }),
  );

function heldBack(outcome: SubmitOutcome): { sent: Promise<void>; answer: () => void } {
  const usual = bank.submitPayment;
  let answer: () => void = () => undefined;
  const answered = new Promise<SubmitOutcome>((resolve) => {
    answer = () => {
      remember(bank, outcome);
      resolve(outcome);
    };
  });
  const sent = new Promise<void>((resolve) => {
    bank.submitPayment = () => {
      bank.submitPayment = usual;
      resolve();
      return answered;
    };
  });
  return { sent, answer };
}

describe('executePayment', () => {
  test('moves the money from the allocation into flight', async () => {
    const { owner, payment } = await aPayment();
    expect(payment).toMatchObject({
      status: 'processing',
      amount: 40_000,
      currency: 'GBP',
      attempt: 1,
      category: expect.any(String),
    });
    expect(await balancesOf(services, owner)).toMatchObject({ vault: 60_000, in_flight: 40_000, employer: -100_000 });
  });

  test('a payment for the next day is pending, and one for today is not', async () => {
    expect((await aPayment({ execute_on: '2026-11-22' })).payment).toMatchObject({
      status: 'pending',
      execute_on: '2026-11-22',
    });
    expect((await aPayment({ execute_on: '2026-11-21' })).payment).toMatchObject({ status: 'processing' });
  });

  test.each([
    ['more than the allocation holds', { amount: 100_001 }, 'insufficient-allocation', { available: 100_000 }],
    ['another currency', { currency: 'EUR' }, 'unsupported-currency', { supported: 'GBP' }],
    ['a payee nobody knows', { provider_id: 'prov_nobody' }, 'unknown-provider', {}],
    ['an allocation nobody knows', { vault_allocation_id: 'alloc_nobody' }, 'unknown-allocation', {}],
    [
      'yesterday',
      { execute_on: '2026-11-20' },
      'execution-date-out-of-range',
      { earliest: '2026-11-21', latest: '2027-11-21' },
    ],
    [
      '366 days ahead',
      { execute_on: '2027-11-22' },
      'execution-date-out-of-range',
      { earliest: '2026-11-21', latest: '2027-11-21' },
    ],
  ] as const)('%s is refused and moves nothing', async (_what, more, code, extra) => {
    expect(await refusal(aPayment(more))).toEqual({ code, extra });
    expect(await balancesOf(services, `owner-${owners}`)).toEqual({ employer: -100_000, vault: 100_000 });
  });

  test("one caller's payee cannot be paid by another, but by the money's owner and the caller who added it", async () => {
    const provider = await payments.addProvider({
      principal: userOf('usr_1'),
      name: 'Jane',
      category: 'HOUSING',
      sort_code: '112233',
      account_number: '12345678',
    });
    expect(provider).toMatchObject({ sort_code: '**-**-33', account_number: '****5678' });
    expect(await refusal(aPayment({ provider_id: provider.provider_id }))).toMatchObject({ code: 'unknown-provider' });
    const { allocationId } = await fund(services, 'usr_1', 5_000);
    const mine = {
      principal: userOf('usr_1'),
      vault_allocation_id: allocationId,
      amount: 5_000,
      currency: 'GBP',
      provider_id: provider.provider_id,
    };
    expect((await payments.executePayment(mine)).category).toBe('HOUSING');
  });

  test('of forty at once on one allocation, exactly those that fit are made', async () => {
    const { allocationId } = await fund(services, 'owner-forty', 100_000);
    const request = {
      principal: anyKey,
      vault_allocation_id: allocationId,
      amount: 4_000,
      currency: 'GBP',
      provider_id: 'prov_sandbox_instant',
    };
    const results = await Promise.all(Array.from({ length: 40 }, () => refusal(payments.executePayment(request))));
    expect(results.filter(({ code }) => code === 'nothing was refused')).toHaveLength(25);
    expect(results.filter(({ code }) => code === 'insufficient-allocation')).toHaveLength(15);
    expect(await balancesOf(services, 'owner-forty')).toMatchObject({ vault: 0, in_flight: 100_000 });
  });
});

describe('submitPayment', () => {
  test('a settled payment is with the payee, once, however often it is submitted again', async () => {
    const { owner, payment, submit } = await aPayment();
    bank.answers = [
      {
        kind: 'accepted',
        bankPaymentId: bankIdOf({ paymentId: payment.payment_id, attempt: 1 }),
        status: 'ACCC',
        reason: null,
      },
    ];
    expect(await submit()).toEqual({ outcome: 'settled', status: 'completed' });
    expect(await submit()).toEqual({ outcome: 'settled', status: 'completed' });
    expect(bank.submitted).toHaveLength(1);
    expect(await balancesOf(services, owner)).toMatchObject({ vault: 60_000, in_flight: 0, payees: 40_000 });
  });

  test('a rejection returns the money to the allocation it came from', async () => {
    const { owner, payment, submit, allocationId } = await aPayment();
    bank.answers = [
      { kind: 'accepted', bankPaymentId: 'vrp-rejected', status: 'RJCT', reason: { code: 'AC06', detail: 'blocked' } },
    ];
    expect(await submit()).toEqual({ outcome: 'settled', status: 'failed' });
    expect(await read(payment.payment_id)).toMatchObject({
      status: 'failed',
      failure: { code: 'AC06', retryable: true },
      bank_status: 'RJCT',
    });
    expect(await balancesOf(services, owner)).toMatchObject({ vault: 100_000, in_flight: 0 });
    expect(
      (
        await payments.executePayment({
          principal: anyKey,
          vault_allocation_id: allocationId,
          amount: 100_000,
          currency: 'GBP',
          provider_id: 'prov_sandbox_instant',
        })
      ).status,
    ).toBe('processing');
  });

  test('an unreachable bank leaves the payment pending, to be cancelled or retried', async () => {
    const { owner, payment, submit } = await aPayment();
    bank.answers = [{ kind: 'not-accepted', detail: 'no connection' }];
    expect(await submit()).toEqual({ outcome: 'unavailable', status: 'pending' });
    expect(await balancesOf(services, owner)).toMatchObject({ in_flight: 40_000 });
    expect((await payments.cancelPayment({ principal: anyKey, payment_id: payment.payment_id })).status).toBe(
      'cancelled',
    );
    expect(await balancesOf(services, owner)).toMatchObject({ vault: 100_000, in_flight: 0 });
    expect(await submit()).toEqual({ outcome: 'settled', status: 'cancelled' });
    expect(bank.submitted).toHaveLength(1);
  });

  test('an unknown outcome stays in flight, is queried again, and is never pending, even when the bank is offline', async () => {
    const { payment, submit } = await aPayment();
    bank.answers = [
      { kind: 'unknown', detail: 'timeout' },
      { kind: 'not-accepted', detail: 'no connection' },
    ];
    expect(await submit()).toEqual({ outcome: 'unknown', status: 'processing' });
    expect(await submit()).toEqual({ outcome: 'unknown', status: 'processing' });
    expect(await read(payment.payment_id)).toMatchObject({ status: 'processing', bank_status: 'UNKNOWN' });
    expect(await refusal(payments.cancelPayment({ principal: anyKey, payment_id: payment.payment_id }))).toMatchObject({
      code: 'payment-not-pending',
    });
    bank.answers = [{ kind: 'accepted', bankPaymentId: 'vrp-late', status: 'ACCC', reason: null }];
    expect(await submit()).toEqual({ outcome: 'settled', status: 'completed' });
  });

  test.each(['U029', 'U002'])(
    'a repeated call that the bank refuses with %s frees no money, because the first call may have moved it',
    async (code) => {
      const { owner, submit } = await aPayment();
      bank.answers = [
        { kind: 'unknown', detail: 'timeout' },
        { kind: 'refused', reason: { code, detail: '' } },
      ];
      expect(await submit()).toEqual({ outcome: 'unknown', status: 'processing' });
      expect(await submit()).toEqual({ outcome: 'unknown', status: 'processing' });
      expect(await balancesOf(services, owner)).toMatchObject({ in_flight: 40_000 });
    },
  );

  test('a return whose event was lost is found by querying the bank again', async () => {
    const { owner, submit } = await aPayment();
    bank.answers = [{ kind: 'unknown', detail: 'timeout' }];
    await submit();
    expect(await payments.recordBankEvent({ bank_payment_id: 'vrp-back' })).toBe(false);
    const returned = { at: '2026-11-21T12:00:00.000Z', reason: { code: 'RETN', detail: '' } };
    bank.answers = [{ kind: 'accepted', bankPaymentId: 'vrp-back', status: 'ACCC', reason: null, returned }];
    expect(await submit()).toEqual({ outcome: 'settled', status: 'returned' });
    expect(await balancesOf(services, owner)).toMatchObject({ vault: 100_000, payees: 0, in_flight: 0 });
  });

  test('a worker crash during the submission counts as an unknown outcome', async () => {
    const { payment, submit } = await aPayment();
    await services.db.run(inDoubt(payment.payment_id));
    bank.answers = [{ kind: 'not-accepted', detail: 'no connection' }];
    expect(await submit()).toEqual({ outcome: 'unknown', status: 'processing' });
  });

  test('a payment sent a day ago is not sent again: an operator settles it, audited', async () => {
    const { owner, payment, ref, submit } = await aPayment();
    bank.answers = [{ kind: 'unknown', detail: 'timeout' }];
    await submit();
    await services.db.run(longAgo(payment.payment_id));
    expect(await submit()).toEqual({ outcome: 'expired', status: 'processing' });
    expect(bank.submitted).toHaveLength(1);
    await payments.markAttention(ref);
    expect(await read(payment.payment_id)).toMatchObject({ attention: true, status: 'processing' });
    const { payments: waiting } = await listPaymentsNeedingAttention(services);
    expect(waiting).toContainEqual(
      expect.objectContaining({ payment_id: payment.payment_id, reason: 'outcome-unknown', bank_status: 'UNKNOWN' }),
    );
    const mark = { payment_id: payment.payment_id, reason: 'tired of it', actor: 'operator' };
    expect(await refusal(acknowledgePayment(services, mark))).toMatchObject({ code: 'invalid-request' });
    await payments.resolvePayment({
      payment_id: payment.payment_id,
      as: 'completed',
      reason: 'seen on the statement',
      actor: 'operator',
    });
    expect(await read(payment.payment_id)).toMatchObject({ attention: false, status: 'completed' });
    expect(await balancesOf(services, owner)).toMatchObject({ payees: 40_000, in_flight: 0 });
    const kinds = (await services.db.many(auditOf(payment.payment_id))).map(({ kind }) => kind);
    expect(kinds).toEqual(['payment.processing', 'payment.attention', 'payment.resolved', 'payment.completed']);
  });

  test('a call that fails late does not undo a later call of the same attempt', async () => {
    const { payment, submit } = await aPayment();
    const first = heldBack({ kind: 'not-accepted', detail: 'no connection' });
    const slow = submit();
    await first.sent;
    expect(await submit()).toEqual({ outcome: 'accepted', status: 'processing' });
    first.answer();
    expect(await slow).toEqual({ outcome: 'accepted', status: 'processing' });
    expect(await read(payment.payment_id)).toMatchObject({ status: 'processing', bank_status: 'ACSP' });
  });

  test('a call that failed does not make the payment pending while another call of the same attempt is under way', async () => {
    const { payment, submit } = await aPayment();
    const first = heldBack({ kind: 'not-accepted', detail: 'no connection' });
    const slow = submit();
    await first.sent;
    const second = heldBack({ kind: 'accepted', bankPaymentId: 'vrp-overtook', status: 'ACCC', reason: null });
    const later = submit();
    await second.sent;
    first.answer();
    expect(await slow).toEqual({ outcome: 'unknown', status: 'processing' });
    const cancel = payments.cancelPayment({ principal: anyKey, payment_id: payment.payment_id });
    expect(await refusal(cancel)).toMatchObject({ code: 'payment-not-pending' });
    second.answer();
    expect(await later).toEqual({ outcome: 'settled', status: 'completed' });
  });

  test('a payment never goes to the bank before its day', async () => {
    const { owner, payment, submit } = await aPayment({ execute_on: '2026-11-23' });
    for (const instant of ['2026-11-21T10:00:00Z', '2026-11-22T23:59:59.999Z']) {
      clock.set(instant);
      expect(await submit()).toEqual({ outcome: 'unavailable', status: 'pending' });
    }
    expect(bank.submitted.filter(({ paymentId }) => paymentId === payment.payment_id)).toEqual([]);
    expect(await balancesOf(services, owner)).toMatchObject({ in_flight: 40_000 });
    clock.set('2026-11-23T00:00:00Z');
    await submit();
    expect(bank.submitted.filter(({ paymentId }) => paymentId === payment.payment_id)).toHaveLength(1);
  });

  test('an unknown attempt is not sent', async () => {
    const { payment } = await aPayment();
    const ref = { payment_id: payment.payment_id, attempt: 2, settle_within_ms: 0 };
    expect(await payments.submitPayment(ref)).toEqual({ outcome: 'settled', status: 'processing' });
    expect(bank.submitted.filter(({ paymentId }) => paymentId === payment.payment_id)).toEqual([]);
  });

  test('a cancellation during the submission reports what really happens to the payment', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { payment, submit } = await aPayment();
      bank.answers = [{ kind: 'not-accepted', detail: 'away' }];
      await submit();
      bank.answers = [{ kind: 'accepted', bankPaymentId: `vrp-race-${round}`, status: 'ACCC', reason: null }];
      const sent = bank.submitted.length;
      const [cancel] = await Promise.all([
        refusal(payments.cancelPayment({ principal: anyKey, payment_id: payment.payment_id })),
        submit(),
      ]);
      const cancelled = cancel.code === 'nothing was refused';
      expect((await read(payment.payment_id)).status).toBe(cancelled ? 'cancelled' : 'completed');
      expect(bank.submitted.length - sent).toBe(cancelled ? 0 : 1);
    }
  });
});

describe('reports of the bank', () => {
  test('late and repeated messages never move a payment backwards', async () => {
    const { payment, ref, submit } = await aPayment();
    await submit();
    const words = ['ACSP', 'ACCC', 'ACSP', 'BLCK', 'RJCT DUPL', 'ACCC', 'PDNG'] as const;
    for (const word of words) {
      const [status, code] = word.split(' ') as [BankStatus, string | undefined];
      bank.says = { status, reason: code === undefined ? null : { code, detail: '' }, returned: null };
      await payments.checkPayment(ref);
    }
    const { status, timeline } = await read(payment.payment_id);
    expect(status).toBe('completed');
    expect(timeline.map((line) => line.status)).toEqual(['processing', 'completed']);
  });

  test('money that is returned after settlement goes back to the allocation', async () => {
    const { owner, payment, ref, submit } = await aPayment();
    await submit();
    bank.says = {
      status: 'ACCC',
      reason: null,
      returned: { at: '2026-11-21T12:00:05Z', reason: { code: 'RETN', detail: 'account closed' } },
    };
    expect(await payments.checkPayment(ref)).toBe('returned');
    expect((await read(payment.payment_id)).timeline.map((line) => line.status)).toEqual([
      'processing',
      'completed',
      'returned',
    ]);
    expect(await balancesOf(services, owner)).toMatchObject({ vault: 100_000, payees: 0, in_flight: 0 });
  });

  test('the late settlement of an earlier attempt flags the payment, and moves nothing', async () => {
    const { payment, ref, submit } = await aPayment();
    bank.answers = [
      { kind: 'accepted', bankPaymentId: 'vrp-first', status: 'RJCT', reason: { code: 'MS03', detail: '' } },
    ];
    await submit();
    await payments.retryPayment({ principal: anyKey, payment_id: payment.payment_id });
    bank.says = { status: 'ACCC', reason: null, returned: null };
    await payments.checkPayment(ref);
    expect(await read(payment.payment_id)).toMatchObject({ status: 'processing', attempt: 2, attention: true });
    const mine = async () =>
      (await listPaymentsNeedingAttention(services)).payments.filter((one) => one.payment_id === payment.payment_id);
    expect(await mine()).toMatchObject([{ reason: 'bank-contradicts', attempt: 2 }]);
    const mark = { payment_id: payment.payment_id, reason: 'the bank booked it back', actor: 'operator' };
    const cleared = { payment_id: payment.payment_id, attention: false };
    expect(await acknowledgePayment(services, mark)).toEqual(cleared);
    expect(await acknowledgePayment(services, mark)).toEqual(cleared);
    expect(await mine()).toEqual([]);
    const kinds = (await services.db.many(auditOf(payment.payment_id))).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'payment.acknowledged')).toHaveLength(1);
  });

  test('twenty simultaneous reports of one settlement settle the payment once', async () => {
    const { owner, payment, submit } = await aPayment();
    await submit();
    bank.says = { status: 'ACCC', reason: null, returned: null };
    const bank_payment_id = bankIdOf({ paymentId: payment.payment_id, attempt: 1 });
    const told = await Promise.all(Array.from({ length: 20 }, () => payments.recordBankEvent({ bank_payment_id })));
    expect(told.every(Boolean)).toBe(true);
    expect(await balancesOf(services, owner)).toMatchObject({ payees: 40_000 });
    expect(await payments.recordBankEvent({ bank_payment_id: 'vrp-of-somebody-else' })).toBe(false);
  });
});

describe('retryPayment', () => {
  async function failed(code = 'MS03') {
    const made = await aPayment();
    bank.answers = [
      {
        kind: 'accepted',
        bankPaymentId: `vrp-${made.payment.payment_id}`,
        status: 'RJCT',
        reason: { code, detail: '' },
      },
    ];
    await made.submit();
    bank.answers = [];
    return made;
  }

  test('takes the money again and counts the attempt', async () => {
    const { owner, payment } = await failed();
    expect(await payments.retryPayment({ principal: anyKey, payment_id: payment.payment_id })).toMatchObject({
      status: 'processing',
      attempt: 2,
    });
    expect(await balancesOf(services, owner)).toMatchObject({ vault: 60_000, in_flight: 40_000 });
    const { attempts, failure } = await read(payment.payment_id);
    expect(attempts).toMatchObject([
      { attempt: 1, status: 'failed', failure: { code: 'MS03' } },
      { attempt: 2, status: 'processing', failure: null },
    ]);
    expect(failure).toBeNull();
  });

  test('twenty at once start one attempt', async () => {
    const { payment } = await failed();
    const results = await Promise.all(
      Array.from({ length: 20 }, () =>
        refusal(payments.retryPayment({ principal: anyKey, payment_id: payment.payment_id })),
      ),
    );
    expect(results.filter(({ code }) => code === 'nothing was refused')).toHaveLength(1);
    expect((await read(payment.payment_id)).attempt).toBe(2);
  });

  test('is refused for a payment that has not failed, for a final reason, without the money, and after ten attempts', async () => {
    const { payment } = await aPayment();
    const retry = (payment_id: string) => refusal(payments.retryPayment({ principal: anyKey, payment_id }));
    expect(await retry(payment.payment_id)).toEqual({
      code: 'payment-not-failed',
      extra: { payment_status: 'processing' },
    });

    const forbidden = await failed('AG01');
    expect(await retry(forbidden.payment.payment_id)).toMatchObject({ code: 'payment-not-retryable' });

    const poor = await failed();
    await payments.executePayment({
      principal: anyKey,
      vault_allocation_id: poor.allocationId,
      amount: 70_000,
      currency: 'GBP',
      provider_id: 'prov_sandbox_instant',
    });
    expect(await retry(poor.payment.payment_id)).toEqual({
      code: 'insufficient-allocation',
      extra: { available: 30_000 },
    });

    const tired = await failed();
    for (let attempt = 2; attempt <= 10; attempt += 1) {
      expect(await retry(tired.payment.payment_id)).toMatchObject({ code: 'nothing was refused' });
      bank.answers = [
        {
          kind: 'accepted',
          bankPaymentId: `vrp-tired-${attempt}`,
          status: 'RJCT',
          reason: { code: 'MS03', detail: '' },
        },
      ];
      await payments.submitPayment({ payment_id: tired.payment.payment_id, attempt, settle_within_ms: 0 });
    }
    expect(await retry(tired.payment.payment_id)).toEqual({
      code: 'payment-attempts-exhausted',
      extra: { attempts: 10 },
    });
  });
});

describe('what the database refuses by itself', () => {
  test('every change of status that the rules do not allow', async () => {
    const { payment } = await aPayment();
    const changed = `update payments set status = %L where payment_id = '${payment.payment_id}'`;
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

  test('a payment that goes backwards', async () => {
    const { payment, submit } = await aPayment();
    bank.answers = [{ kind: 'accepted', bankPaymentId: 'vrp-forward', status: 'ACCC', reason: null }];
    await submit();
    await expect(services.db.run(backwards(payment.payment_id))).rejects.toThrow(
      /cannot go from completed to processing/,
    );
  });

  test('a changed timeline', async () => {
    await aPayment();
    await expect(services.db.run(rewrite())).rejects.toThrow('permission denied');
    await expect(ownerSql(services, rewrite().text)).rejects.toThrow(/append-only/);
  });
});

describe('reading', () => {
  test('a waiting request is answered as soon as the status changes', async () => {
    const { payment, submit } = await aPayment();
    bank.answers = [{ kind: 'accepted', bankPaymentId: 'vrp-held', status: 'ACCC', reason: null }];
    const held = payments.getPayment({ payment_id: payment.payment_id, wait_ms: 300_000 });
    await new Promise((resolve) => setTimeout(resolve, 200));
    await submit();
    const changed = performance.now();
    expect((await held).payment.status).toBe('completed');
    expect(performance.now() - changed).toBeLessThan(150_000);
  });

  test('pages hold every payment once, newest first', async () => {
    const { allocationId } = await fund(services, 'owner-pages', 10_000);
    const request = {
      principal: anyKey,
      vault_allocation_id: allocationId,
      amount: 1_000,
      currency: 'GBP',
      provider_id: 'prov_sandbox_instant',
    };
    const made: string[] = [];
    for (let n = 0; n < 7; n += 1) made.unshift((await payments.executePayment(request)).payment_id);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const list = await payments.listPayments({ principal: anyKey, user_id: 'owner-pages', limit: 3, cursor });
      seen.push(...list.items.map((item) => item.payment_id));
      cursor = list.next_cursor ?? undefined;
    } while (cursor);
    expect(seen).toEqual(made);
  });
});

const inDoubt = textQuery(
  'test.inDoubt',
  `update payment_attempts set submission = 'in_doubt', first_sent_at = now() where payment_id = $1`,
);
const longAgo = textQuery(
  'test.longAgo',
  `update payment_attempts set first_sent_at = now() - interval '24 hours' where payment_id = $1`,
);
const auditOf = textQuery<{ kind: string }>(
  'test.auditOf',
  'select kind from audit_events where subject = $1 order by subject_seq',
);
const backwards = textQuery('test.backwards', `update payments set status = 'processing' where payment_id = $1`);
const rewrite = textQuery('test.rewrite', `update payment_events set detail = ''`);
