import fc from 'fast-check';
import { PAYMENT_STATUSES } from '../../domain/payments.ts';
import { countPunctuality, dayOf, deadlineOf, punctualityOf, type PaymentPast } from '../../domain/reliability.ts';

const payment = (changes: Partial<PaymentPast> = {}): PaymentPast => ({
  status: 'completed',
  due_date: '2026-11-20',
  execute_on: null,
  initiated_at: '2026-11-18T12:00:00.000Z',
  completed_at: null,
  attempt: 1,
  attempted_at: '2026-11-18T12:00:00.000Z',
  ...changes,
});
const LATER = new Date('2026-12-24T12:00:00Z');

test.each([
  [{}, '2026-11-20', '2026-11-21T00:00:00.000Z'],
  [{ due_date: null }, '2026-11-18', '2026-11-20T00:00:00.000Z'],
  [{ due_date: null, execute_on: '2026-11-25' }, '2026-11-25', '2026-11-27T00:00:00.000Z'],
  [{ due_date: '2026-11-24', execute_on: '2026-11-25' }, '2026-11-24', '2026-11-25T00:00:00.000Z'],
  // In summer London's day ends at 23:00 UTC; 23:30 UTC is the next day.
  [{ due_date: '2026-07-01' }, '2026-07-01', '2026-07-01T23:00:00.000Z'],
  [{ due_date: null, initiated_at: '2026-07-01T23:30:00.000Z' }, '2026-07-02', '2026-07-03T23:00:00.000Z'],
])('of %p the day is %s and the deadline %s', (changes, day, deadline) => {
  expect(dayOf(payment(changes))).toBe(day);
  expect(deadlineOf(payment(changes)).toISOString()).toBe(deadline);
});

describe('a completed payment', () => {
  test.each([
    ['2026-11-18T12:00:01.000Z', 'on-time'],
    ['2026-11-20T23:59:59.999Z', 'on-time'],
    ['2026-11-21T00:00:00.000Z', 'missed'],
  ])('settled at %s is %s', (completed_at, end) => {
    expect(punctualityOf(payment({ completed_at }), LATER)).toBe(end);
  });

  test('that was retried and settled in time is on time, and one settled by a late retry is missed', () => {
    const retried = { attempt: 2, attempted_at: '2026-11-20T10:00:00.000Z' };
    expect(punctualityOf(payment({ ...retried, completed_at: '2026-11-20T10:00:02.000Z' }), LATER)).toBe('on-time');
    expect(punctualityOf(payment({ ...retried, completed_at: '2026-11-22T10:00:02.000Z' }), LATER)).toBe('missed');
  });
});

describe('a failed payment', () => {
  test('is open until its deadline, because it may be retried, and missed from then on', () => {
    const failed = payment({ status: 'failed' });
    expect(punctualityOf(failed, new Date('2026-11-20T23:59:59.999Z'))).toBe('open');
    expect(punctualityOf(failed, new Date('2026-11-21T00:00:00.000Z'))).toBe('missed');
  });

  test('that was retried after its deadline stays missed while in flight', () => {
    const late = { attempt: 2, attempted_at: '2026-11-21T00:00:00.000Z' };
    expect(punctualityOf(payment({ status: 'processing', ...late }), LATER)).toBe('missed');
    expect(punctualityOf(payment({ status: 'pending', ...late }), LATER)).toBe('missed');
    expect(punctualityOf(payment({ status: 'processing', attempt: 2 }), LATER)).toBe('open');
  });
});

test.each(['processing', 'pending', 'cancelled', 'returned'] as const)('a %s payment is not concluded', (status) => {
  expect(punctualityOf(payment({ status }), LATER)).toBe('open');
});

test('a concluded payment is on time or missed, and never changes', () => {
  const instants = fc
    .date({ min: new Date('2026-11-01T00:00:00Z'), max: new Date('2026-12-20T00:00:00Z'), noInvalidDate: true })
    .map((date) => date.toISOString());
  const payments = fc.array(
    fc.record({
      status: fc.constantFrom(...PAYMENT_STATUSES),
      due_date: fc.option(instants.map((instant) => instant.slice(0, 10))),
      execute_on: fc.option(instants.map((instant) => instant.slice(0, 10))),
      initiated_at: instants,
      completed_at: fc.option(instants),
      attempt: fc.integer({ min: 1, max: 10 }),
      attempted_at: instants,
    }),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(payments, instants, instants, (past, one, other) => {
      const [earlier, later] = one < other ? [one, other] : [other, one];
      const counted = countPunctuality({ payments: past, now: new Date(later) });
      expect(counted.concluded).toBe(counted.onTime + counted.missed);
      expect(counted.concluded).toBeLessThanOrEqual(past.length);
      for (const each of past) {
        const then = punctualityOf(each, new Date(earlier));
        if (then !== 'open') expect(punctualityOf(each, new Date(later))).toBe(then);
      }
    }),
  );
});
