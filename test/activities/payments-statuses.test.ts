import type { PaymentStatus } from '../../domain/payments.ts';
import { SANDBOX_PAYEES } from '../../domain/sandbox-payees.ts';
import { queueDepths } from '../../infra/db/queries/admin.ts';
import { standing } from '../../infra/db/queries/watch.ts';
import { anyKey } from '../helpers/money.ts';
import { AMOUNT, BACK, codeOf, FUNDS, IN_FLIGHT, PAID, withPayments } from '../helpers/paying.ts';
import { textQuery } from '../helpers/text-query.ts';
import { ownerSql } from '../helpers/owner.ts';

// A check of the ledger after each case of the table would be slow.
const { clock, services, payments, pay } = withPayments({ checks: afterAll });
type Payment = Awaited<ReturnType<typeof pay>>;

type Place = 'in flight' | 'payee' | 'allocation';
type Standing = readonly [status: PaymentStatus, bankStatus: string | null, attention: boolean, money: Place];

// In the states `doubtful` and `blocked`, the payment's status is `processing`.
const BEFORE = {
  processing: ['processing', 'ACSP', false, 'in flight'],
  doubtful: ['processing', 'UNKNOWN', true, 'in flight'],
  blocked: ['processing', 'BLCK', true, 'in flight'],
  pending: ['pending', null, false, 'in flight'],
  completed: ['completed', 'ACCC', false, 'payee'],
  failed: ['failed', 'RJCT', false, 'allocation'],
  cancelled: ['cancelled', null, false, 'allocation'],
  returned: ['returned', 'ACCC', false, 'allocation'],
} as const satisfies Record<string, Standing>;
type State = keyof typeof BEFORE;

/** `statusOf` in the domain's tests says which statuses of the bank mean the same. */
const WORDS = ['PDNG', 'ACSC', 'RJCT MS03', 'RJCT DUPL', 'BLCK', 'CANC', 'ACCC returned'] as const;
type Word = (typeof WORDS)[number];

/** `audit` lists the kinds of new audit events. `told` lists the statuses in new messages to the workflow. */
interface Change {
  after: Standing;
  audit: readonly string[];
  told: readonly PaymentStatus[];
}

const mark = (after: Standing, audit: readonly string[] = [], told: readonly PaymentStatus[] = []): Change => ({
  after,
  audit,
  told,
});
const COMPLETED = ['completed', 'ACSC', false, 'payee'] as const;
const FAILED = ['failed', 'RJCT', false, 'allocation'] as const;
const RETURNED = ['returned', 'ACCC', false, 'allocation'] as const;
const DOUBTED = BEFORE.doubtful;
const blockedBy = (status: 'BLCK' | 'CANC') => ['processing', status, true, 'in flight'] as const;
const COMPLETES = mark(COMPLETED, ['completed'], ['completed']);
const FAILS = mark(FAILED, ['failed'], ['failed']);
const RETURNS = mark(RETURNED, ['completed', 'returned'], ['completed', 'returned']);
const isBlockedBy = (status: 'BLCK' | 'CANC') => mark(blockedBy(status), ['attention'], ['processing']);

/** A word that is not listed changes nothing. While a payment is pending, its workflow waits for no message. */
const CHANGES: Record<State, Partial<Record<Word, Change>>> = {
  processing: {
    PDNG: mark(['processing', 'PDNG', false, 'in flight']),
    ACSC: COMPLETES,
    'RJCT MS03': FAILS,
    'RJCT DUPL': mark(DOUBTED, ['contradiction']),
    BLCK: isBlockedBy('BLCK'),
    CANC: isBlockedBy('CANC'),
    'ACCC returned': RETURNS,
  },
  doubtful: {
    PDNG: mark(['processing', 'PDNG', true, 'in flight']),
    ACSC: COMPLETES,
    'RJCT MS03': FAILS,
    BLCK: isBlockedBy('BLCK'),
    CANC: isBlockedBy('CANC'),
    'ACCC returned': RETURNS,
  },
  blocked: {
    ACSC: COMPLETES,
    'RJCT MS03': FAILS,
    'RJCT DUPL': mark(BEFORE.blocked, ['contradiction']),
    CANC: mark(blockedBy('CANC')),
    'ACCC returned': RETURNS,
  },
  pending: {
    PDNG: mark(['processing', 'PDNG', false, 'in flight'], ['processing']),
    ACSC: mark(COMPLETED, ['processing', 'completed']),
    'RJCT MS03': mark(FAILED, ['processing', 'failed']),
    'RJCT DUPL': mark(DOUBTED, ['processing', 'contradiction']),
    BLCK: mark(blockedBy('BLCK'), ['processing', 'attention'], ['processing']),
    CANC: mark(blockedBy('CANC'), ['processing', 'attention'], ['processing']),
    'ACCC returned': mark(RETURNED, ['processing', 'completed', 'returned']),
  },
  completed: {
    'RJCT MS03': mark(['returned', 'RJCT', false, 'allocation'], ['returned']),
    'ACCC returned': mark(RETURNED, ['returned']),
  },
  failed: { ACSC: mark(['failed', 'RJCT', true, 'allocation'], ['contradiction']) },
  cancelled: { ACSC: mark(['cancelled', null, true, 'allocation'], ['contradiction']) },
  returned: {},
};

/** What the bank says about an older attempt moves no money. It flags the payment if that attempt may have paid. */
function ofAnOlderAttempt(state: State, word: Word): Change {
  const [status, bankStatus, attention, money] = BEFORE[state] as Standing;
  const isOpen = status === 'processing' || status === 'pending';
  const mayHavePaid = word === 'ACSC' || (word === 'RJCT DUPL' && isOpen);
  return mark([status, bankStatus, attention || mayHavePaid, money], mayHavePaid ? ['contradiction'] : []);
}

const ABOUT = ['the first attempt', 'a later attempt', 'an older attempt'] as const;

async function bringTo(state: State, attempt: number): Promise<Payment> {
  const payment = await pay();
  if (attempt === 2) {
    await payment.submitTo('RJCT MS03');
    await payment.retry();
  }
  const unsent = { pending: 'no connection', cancelled: 'no connection' };
  const first: Partial<Record<State, string>> = { ...unsent, completed: 'ACCC', returned: 'ACCC', failed: 'RJCT MS03' };
  await payment.submitTo(first[state] ?? 'ACSP', attempt);
  if (state === 'cancelled') await payment.cancel();
  const THEN: Partial<Record<State, string>> = { doubtful: 'RJCT DUPL', blocked: 'BLCK', returned: 'ACCC returned' };
  // The bank knows the attempt, so that its events reach the payment.
  if (THEN[state] !== undefined) await payment.tell(THEN[state], attempt);
  return payment;
}

async function standingOf({ read, balances }: Payment): Promise<Standing> {
  const { status, bank_status, attention } = await read();
  const { vault, in_flight, payees } = await balances();
  const places = { 'in flight': in_flight, payee: payees, allocation: vault! - (FUNDS - AMOUNT) };
  const holding = (Object.keys(places) as Place[]).filter((place) => places[place] === AMOUNT);
  expect(holding).toHaveLength(1);
  return [status, bank_status, attention, holding[0]!];
}

const recordOf = async (payment: Payment) => ({
  standing: await standingOf(payment),
  audit: await payment.audited(),
  told: await payment.told(),
});

describe.each(ABOUT)('what the bank says about %s', (about) => {
  describe.each(Object.keys(BEFORE) as State[])('of a payment that is %s', (state) => {
    test.each(WORDS)('%s', async (word) => {
      const payment = await bringTo(state, about === 'the first attempt' ? 1 : 2);
      const before = await recordOf(payment);
      expect(before.standing).toEqual(BEFORE[state]);
      const attempt = about === 'a later attempt' ? 2 : 1;
      const usual = CHANGES[state][word] ?? mark(BEFORE[state]);
      const { after, audit, told } = about === 'an older attempt' ? ofAnOlderAttempt(state, word) : usual;
      const expected = { standing: after, audit: [...before.audit, ...audit], told: [...before.told, ...told] };
      // The bank names the payment, because it can have a payment whose id the service never got.
      const tell = () => payment.tell(word, attempt);
      expect(await tell()).toBe(true);
      expect(await recordOf(payment)).toEqual(expected);
      // Banks sometimes repeat a response.
      await tell();
      expect(await recordOf(payment)).toEqual(expected);
    });
  });
});

async function blocked(status: 'BLCK' | 'CANC' = 'BLCK') {
  const payment = await pay();
  await payment.submit();
  await payment.tell(status);
  return payment;
}

describe('a payment that the bank blocks', () => {
  test.each(['BLCK', 'CANC'] as const)('by %s is flagged for an operator, who cannot acknowledge it', async (by) => {
    const payment = await blocked(by);
    const told = { status: 'processing', detail: expect.stringContaining('blocked') as string };
    expect(await payment.read()).toMatchObject({ failure: null, timeline: [{ status: 'processing' }, told] });
    expect(await payment.listed()).toEqual(['bank-blocked']);
    expect(await payment.acknowledge()).toBe('invalid-request');
  });

  test('can be neither retried nor cancelled, and its money pays nothing else', async () => {
    const payment = await blocked();
    expect(await codeOf(payment.retry())).toBe('payment-not-failed');
    expect(await codeOf(payment.cancel())).toBe('payment-not-pending');
    const more = payments.executePayment({ ...payment.order, amount: FUNDS });
    expect(await codeOf(more)).toBe('insufficient-allocation');
  });

  test('is not submitted again by a restarted workflow, which waits at once', async () => {
    const { payment_id, sent } = await blocked();
    const began = performance.now();
    const again = await payments.submitPayment({ payment_id, attempt: 1, settle_within_ms: 60_000 });
    expect(again).toEqual({ outcome: 'accepted', status: 'processing' });
    expect(performance.now() - began).toBeLessThan(60_000);
    expect(sent()).toBe(1);
    expect(await payments.readBlocked({ payment_id, attempt: 1 })).toBe(true);
  });

  test('does not count as silent, because it waits for an operator', async () => {
    const silent = async () => (await services.db.one(standing(new Date('2026-11-25T12:00:00Z')))).payments_silent;
    const payment = await pay();
    await payment.submit();
    const before = await silent();
    await payment.tell('BLCK');
    expect(await silent()).toBe(before - 1);
  });

  test('does not prevent the restart of a later stalled payment', async () => {
    const older = await blocked();
    clock.set('2026-11-24T12:30:00Z');
    const younger = await pay();
    await younger.submit();
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
    expect(await payment.resolve(as)).toBe('done');
    expect(await payment.read()).toMatchObject({ status: as, attention: false });
    expect(await payment.balances()).toMatchObject(balances);
    expect(await payment.audited()).toEqual(['processing', 'attention', 'resolved', as]);
    expect(await payment.listed()).toEqual([]);
  });

  test('is refused for a payment that the bank has neither blocked nor lost', async () => {
    const payment = await pay();
    await payment.submit();
    expect(await payment.resolve('failed')).toBe('payment-not-unknown');
    expect(await payment.balances()).toMatchObject(IN_FLIGHT);
  });

  test('ten times at once, for both outcomes, settles the payment once', async () => {
    const payment = await blocked();
    const outcomes = Array.from({ length: 10 }, (_, n) => payment.resolve(n % 2 ? 'completed' : 'failed'));
    const refusals = (await Promise.all(outcomes)).filter((code) => code !== 'done');
    expect(refusals).toEqual(Array(9).fill('payment-not-unknown'));
    const { status } = await payment.read();
    expect(await payment.balances()).toMatchObject(status === 'completed' ? PAID : BACK);
  });

  test.each([
    ['failed', 'ACSC', ['failed', true], ['completed', false]],
    ['completed', 'ACSC', ['completed', false], ['completed', false]],
    ['completed', 'RJCT', ['returned', false], ['failed', false]],
    ['failed', 'RJCT', ['failed', false], ['failed', false]],
  ] as const)(
    'as %s while the bank says %s moves the money once, and hides no contradiction',
    async (as, said, operatorFirst, bankFirst) => {
      for (let round = 0; round < 8; round += 1) {
        const payment = await blocked();
        const [outcome] = await Promise.all([payment.resolve(as), payment.tell(said)]);
        const { status, attention } = await payment.read();
        expect([status, attention]).toEqual(outcome === 'done' ? operatorFirst : bankFirst);
        expect(await payment.balances()).toMatchObject(status === 'completed' ? PAID : BACK);
      }
    },
  );

  test('ignores late reports of the block, and a contradicting bank flags the payment or takes the money back', async () => {
    const failed = await blocked();
    await failed.resolve('failed');
    for (const word of ['BLCK', 'CANC', 'ACSP', 'RJCT']) await failed.tell(word);
    expect(await failed.read()).toMatchObject({ status: 'failed', attention: false });
    await failed.tell('ACSC');
    expect(await failed.listed()).toEqual(['bank-contradicts']);
    expect(await failed.balances()).toMatchObject(BACK);

    const completed = await blocked();
    await completed.resolve('completed');
    for (const word of ['BLCK', 'CANC', 'ACSP', 'ACSC', 'RJCT AM05']) await completed.tell(word);
    expect(await completed.read()).toMatchObject({ status: 'completed', attention: false });
    await completed.tell('RJCT AC04');
    const { status, attention, timeline } = await completed.read();
    expect([status, attention]).toEqual(['returned', false]);
    expect(timeline.at(-1)!.detail).toBe('The bank returned the money: AC04.');
  });
});

describe('an earlier attempt that the bank paid after all', () => {
  test.each(['the bank', 'an operator'])('needs an operator after %s settles the blocked one', async (who) => {
    const payment = await bringTo('blocked', 2);
    await payment.tell('ACSC', 1);
    expect(await payment.listed()).toEqual(['bank-blocked']);
    if (who === 'the bank') await payment.tell('ACSC', 2);
    else expect(await payment.resolve('completed')).toBe('done');
    expect(await payment.read()).toMatchObject({ status: 'completed', attention: true });
    expect(await payment.listed()).toEqual(['bank-contradicts']);
    for (let times = 0; times < 2; times += 1) expect(await payment.acknowledge()).toBe('done');
    expect(await payment.listed()).toEqual([]);
    expect((await payment.audited()).filter((kind) => kind === 'acknowledged')).toHaveLength(1);
  });
});

const foundMissing = textQuery(
  'test.foundMissing',
  `with found as (
     insert into reconciliations (payment_id, owner_id, number_hash, status, problem, checked_at)
     select payment_id, owner_id, '', 'missing', 'missing', now() from payments where payment_id = $1)
   update payments set attention = true where payment_id = $1`,
);

test('a payment that reconciliation misses still needs an operator when its money comes back', async () => {
  const payment = await bringTo('completed', 1);
  await services.db.run(foundMissing(payment.payment_id));
  await payment.tell('ACCC returned');
  expect([(await payment.read()).status, await payment.listed()]).toEqual(['returned', ['missing']]);
  expect([await payment.acknowledge(), await payment.listed()]).toEqual(['done', []]);
});

test('a failed payment that the bank reports as paid is not retried before an operator has settled it', async () => {
  const payment = await bringTo('failed', 1);
  await payment.tell('ACSC');
  const forOperator = async () => (await services.db.one(queueDepths())).payments_for_operator;
  const counted = await forOperator();
  expect(await codeOf(payment.retry())).toBe('payment-not-retryable');
  expect(await payment.acknowledge()).toBe('done');
  expect(await forOperator()).toBe(counted - 1);
  expect(await codeOf(payment.retry())).toBe('done');
});

test('a sandbox that lacks payees gets them at the next start, and keeps its own', async () => {
  const all = async () => (await payments.listProviders({ principal: anyKey, limit: 50 })).items;
  await ownerSql(services, `delete from payees where provider_id = 'prov_sandbox_blocked'`);
  const before = await all();
  expect(before).toHaveLength(SANDBOX_PAYEES.length - 1);
  await payments.ensureSandboxPayees();
  const after = await all();
  expect(after.map(({ provider_id }) => provider_id)).toContain('prov_sandbox_blocked');
  expect(after).toEqual(expect.arrayContaining(before));
});

const forgetOthers = textQuery(
  'test.forgetOthers',
  `update payments set updated_at = '2030-01-01' where payment_id <> all ($1::text[])`,
);
const lastStarted = textQuery<{ workflow_id: string }>(
  'test.lastStarted',
  `select workflow_id from outbox_messages where kind = 'payment.start' order by message_id desc limit 1`,
);
