import fc from 'fast-check';
import { BANK_STATUSES, type BankStatus } from '../../domain/bank/payments.ts';
import type { DomainError } from '../../domain/errors.ts';
import {
  effectOf,
  estimatedCompletion,
  failureOf,
  isSettled,
  mayBecome,
  msUntilDue,
  PAYMENT_STATUSES,
  provesNothingMoved,
  requireRetryable,
  scheduleOf,
  statusOf,
  type PaymentStatus,
} from '../../domain/payments.ts';
import { backoffMs } from '../../domain/retry.ts';

describe('statusOf', () => {
  test.each([
    ['processing', ['RCVD', 'PDNG', 'ACTC', 'ACCP', 'ACFC', 'ACSP', 'ACWC', 'ACWP', 'BLCK', 'CANC']],
    ['completed', ['ACSC', 'ACCC']],
    ['failed', ['RJCT']],
  ] as const)('%s for %s', (status, codes) => {
    expect(BANK_STATUSES.filter((code) => statusOf(code) === status).sort()).toEqual([...codes].sort());
  });
});

describe('mayBecome', () => {
  const allowed = [
    'processing completed',
    'processing failed',
    'processing pending',
    'pending processing',
    'pending cancelled',
    'failed processing',
    'completed returned',
  ];
  test.each(PAYMENT_STATUSES.flatMap((from) => PAYMENT_STATUSES.map((to) => [from, to] as const)))(
    '%s to %s',
    (from, to) => {
      expect(mayBecome(from, to)).toBe(allowed.includes(`${from} ${to}`));
    },
  );
});

const news = fc.record({
  bankStatus: fc.constantFrom<BankStatus>(...BANK_STATUSES),
  reasonCode: fc.constantFrom(null, 'AC04', 'AG01', 'DU04', 'U013'),
  returned: fc.boolean(),
  isCurrentAttempt: fc.boolean(),
});

describe('effectOf', () => {
  test('any reports in any order cause only allowed steps of a payment', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<PaymentStatus>(...PAYMENT_STATUSES),
        fc.array(news, { maxLength: 30 }),
        (first, messages) => {
          let current = first;
          for (const message of messages) {
            for (const step of effectOf({ current, ...message }).steps) {
              expect(mayBecome(current, step)).toBe(true);
              current = step;
            }
          }
        },
      ),
    );
  });

  test('a repeated report has no effect', () => {
    fc.assert(
      fc.property(fc.constantFrom<PaymentStatus>(...PAYMENT_STATUSES), news, (first, message) => {
        const settled = effectOf({ current: first, ...message }).steps.at(-1) ?? first;
        expect(effectOf({ current: settled, ...message }).steps).toEqual([]);
      }),
    );
  });

  test('a final payment never changes', () => {
    fc.assert(
      fc.property(fc.constantFrom<PaymentStatus>('cancelled', 'returned'), news, (current, message) => {
        expect(effectOf({ current, ...message }).steps).toEqual([]);
      }),
    );
  });

  test('a transfer against the record is a contradiction, not a step', () => {
    const said = { bankStatus: 'ACCC', reasonCode: null, returned: false } as const;
    const contradiction = { steps: [], blocked: false, contradiction: true };
    expect(effectOf({ current: 'failed', isCurrentAttempt: true, ...said })).toEqual(contradiction);
    expect(effectOf({ current: 'processing', isCurrentAttempt: false, ...said })).toEqual(contradiction);
  });

  test('a refusal as a duplicate does not return the money', () => {
    const said = { bankStatus: 'RJCT', reasonCode: 'DU04', returned: false, isCurrentAttempt: true } as const;
    expect(effectOf({ current: 'processing', ...said })).toEqual({ steps: [], blocked: false, contradiction: true });
  });

  test('a return before the report of the settlement passes through both steps', () => {
    const said = { bankStatus: 'ACCC', reasonCode: null, returned: true, isCurrentAttempt: true } as const;
    expect(effectOf({ current: 'processing', ...said }).steps).toEqual(['completed', 'returned']);
  });
});

describe('provesNothingMoved', () => {
  test.each([
    ['AC04', true],
    ['AG01', true],
    ['DU04', false],
    ['AM05', false],
    ['U008', false],
    ['1100', false],
  ])('%s: %s', (code, proof) => {
    expect(provesNothingMoved({ code, detail: '' })).toBe(proof);
  });
});

test.each([
  ['AG01', false],
  ['AC07', false],
  ['MS03', true],
  ['AC06', true],
])('a failure for %s is retryable: %s', (code, retryable) => {
  expect(failureOf({ code, detail: 'x' })).toEqual({ code, detail: 'x', retryable });
});

describe('execution dates', () => {
  const winter = new Date('2026-11-21T23:30:00Z');
  const summer = new Date('2026-06-30T23:30:00Z');

  test('today in London means at once, even if it is another day in UTC', () => {
    expect(scheduleOf('2026-07-01', summer)).toBe('2026-07-01');
    expect(msUntilDue('2026-07-01', summer)).toBe(0);
    for (const day of ['2026-06-30', '2027-07-02'] as const)
      expect(() => scheduleOf(day, summer)).toThrow('execute_on must be a date from 2026-07-01 to 2027-07-01.');
    expect(scheduleOf('2027-07-01', summer)).toBe('2027-07-01');
  });

  test.each([
    ['2026-11-22', winter, 1_800_000],
    ['2026-07-02', summer, 86_400_000 - 1_800_000],
    [null, winter, 0],
  ])('%s is %i ms after %s', (day, now, ms) => {
    expect(msUntilDue(day, now)).toBe(ms);
  });

  test('the estimate is two hours after the payment can start', () => {
    expect(estimatedCompletion(null, winter).toISOString()).toBe('2026-11-22T01:30:00.000Z');
    expect(estimatedCompletion('2026-11-23', winter).toISOString()).toBe('2026-11-23T02:00:00.000Z');
  });
});

test('a payment has at most ten attempts', () => {
  const failed = { status: 'failed', failure: failureOf(null), attention: false } as const;
  expect(() => requireRetryable({ ...failed, attempt: 9 })).not.toThrow();
  const exhausted = { code: 'payment-attempts-exhausted' as const, extra: { attempts: 10 } };
  const refused = expect.objectContaining<Partial<DomainError>>(exhausted);
  expect(() => requireRetryable({ ...failed, attempt: 10 })).toThrow(refused);
});

test('settled is everything that is neither processing nor pending', () => {
  expect(PAYMENT_STATUSES.filter(isSettled)).toEqual(['completed', 'failed', 'cancelled', 'returned']);
});

test('waiting times double and stay below their limit', () => {
  expect([0, 1, 2, 3, 9, 1_000].map((failures) => backoffMs(failures, { first: 1_000, most: 300_000 }))).toEqual([
    1_000, 2_000, 4_000, 8_000, 300_000, 300_000,
  ]);
});
