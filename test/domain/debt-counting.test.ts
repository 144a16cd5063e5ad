import fc from 'fast-check';
import { activityOf, historyBy, type CompletedPayment, type PlanFacts } from '../../domain/debt/counting.ts';
import { addDays, londonDateOf } from '../../domain/dates.ts';
import { owed, standingOn, type Paid, type Revision } from '../../domain/debt/standing.ts';
import { pence } from '../../domain/money.ts';

const START = '2026-01-01';
const instant = (day: number) => `${addDays(START, day)}T12:00:00.000Z`;
const revision = (day: number, balances: readonly number[]): Revision => ({
  strategy: 'avalanche',
  monthlyBudget: pence(1_000),
  startsOn: addDays(START, day),
  madeOn: addDays(START, day),
  at: instant(day),
  debts: balances.map((balance, place) => ({
    name: `debt ${place}`,
    balance: pence(balance),
    rate: 2_400 * place,
    minimum: pence(0),
    accrued: pence(0),
    providerId: 'prov',
    isGiven: true,
  })),
});

const day = fc.integer({ min: 0, max: 400 });
const amount = fc.integer({ min: 1, max: 3_000 });
const facts = fc
  .record({
    balances: fc.array(fc.tuple(day, fc.integer({ min: 0, max: 5_000 })), { maxLength: 4 }),
    recorded: fc.array(fc.tuple(day, fc.integer({ min: 0, max: 60 }), amount), { maxLength: 6 }),
    payments: fc.array(fc.tuple(day, amount, fc.option(fc.integer({ min: 1, max: 90 }))), {
      minLength: 1,
      maxLength: 25,
    }),
  })
  .map(({ balances, recorded, payments }) => {
    const revisions = balances.toSorted(([a], [b]) => a - b).map(([on, balance]) => revision(on, [balance, 500]));
    const records = recorded
      .toSorted(([a], [b]) => a - b)
      .map(([on, back, sum], place): Paid => {
        const paidOn = addDays(START, Math.max(0, on - back));
        return { on: paidOn, at: instant(on), amount: pence(sum), to: { debt: `debt ${place % 2}` } };
      });
    const completed = payments.toSorted(([a], [b]) => a - b);
    return {
      revisions: [revision(0, [2_000, 1_000]), ...revisions] as const,
      recorded: records,
      payments: completed.map(([on, sum, back], place): CompletedPayment => {
        const returned = back === null ? null : on + back;
        const place_ = (at: number, n: number) => at * 100 + n;
        return {
          providerId: 'prov',
          amount: pence(sum),
          completedAt: instant(on),
          completed: place_(on, place),
          returned: returned === null ? null : place_(returned, 50 + place),
        };
      }),
    };
  });

// Active means that some debt remained, as far as was known when the payment completed.
function wasActive(plan: PlanFacts, { completedAt, completed }: CompletedPayment): boolean {
  const [first, ...later] = plan.revisions;
  const counted = plan.counted
    .filter((payment) => payment.completed < completed)
    .map((payment) => ({
      ...payment,
      returned: (payment.returned ?? completed) < completed ? payment.returned : null,
    }));
  const known = {
    revisions: [first, ...later.filter(({ at }) => at <= completedAt)] as const,
    recorded: plan.recorded.filter(({ at }) => at <= completedAt),
    counted,
  };
  return owed(standingOn(historyBy(known), londonDateOf(new Date(completedAt)))) > 0;
}

describe('whether a plan was active when a payment completed', () => {
  test('depends on the debts known at that time', () => {
    fc.assert(
      fc.property(facts, ({ payments, ...known }) => {
        const counted: CompletedPayment[] = [];
        const isActive = activityOf({ ...known, counted });
        for (const payment of payments) {
          const expected = wasActive({ ...known, counted }, payment);
          expect(isActive(payment)).toBe(expected);
          if (expected) counted.push(payment);
        }
      }),
    );
  });

  test('does not depend on later events', () => {
    fc.assert(
      fc.property(facts, fc.nat(), ({ payments, ...known }, choice) => {
        const asked = payments[choice % payments.length]!;
        const counted = payments.filter((payment) => payment.completed < asked.completed);
        const then = activityOf({ ...known, counted })(asked);
        const [first, ...later] = known.revisions;
        const muchLater = [...later, revision(500, [9, 9])];
        const more = { on: START, at: instant(500), amount: pence(9_000), to: { debt: 'debt 0' } };
        const facts = { revisions: [first, ...muchLater] as const, recorded: [...known.recorded, more] };
        expect(activityOf({ ...facts, counted: payments })(asked)).toBe(then);
      }),
    );
  });
});
