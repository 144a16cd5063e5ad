import fc from 'fast-check';
import { balanced, balancesAfter, drawFrom, move, type Leg, type Allocation } from '../../domain/ledger.ts';
import { pence, sum } from '../../domain/money.ts';
import { refusalOf } from '../helpers/refusal.ts';

const lots = (amounts: readonly number[]): Allocation[] =>
  amounts.map((amount, index) => ({ allocationId: `alloc_${index}`, available: pence(amount) }));
const allocations = fc.array(fc.integer({ min: 0, max: 1_000_000 }), { maxLength: 30 }).map(lots);

describe('movements', () => {
  const leg = (amount: number): Leg => ({ account: 'safe_to_spend', kind: 'allocation', amount: pence(amount) });

  test('legs that do not add up to zero are refused', () => {
    expect(() => balanced([leg(1), leg(-2)])).toThrow(RangeError);
    expect(() => balanced([leg(1)])).toThrow(RangeError);
  });
  test('legs of zero are left out', () => {
    expect(balanced([leg(0), leg(5), leg(-5), leg(0)])).toEqual([leg(5), leg(-5)]);
    expect(balanced([])).toEqual([]);
  });
  test('the balance after each leg includes earlier legs on the same account', () => {
    const other: Leg = { account: 'vault', vaultId: 'v', kind: 'allocation', amount: pence(-3) };
    const held = ({ account }: Leg) => pence(account === 'vault' ? 10 : 100);
    expect(balancesAfter([leg(5), leg(0), other, leg(-2)], held)).toEqual([105, 7, 103]);
  });
  test('money that leaves one account enters the other', () => {
    const legs = move(pence(7), { account: 'buffer', kind: 'allocation' }, { account: 'in_flight', kind: 'payment' });
    expect(legs.map(({ account, amount }) => [account, amount])).toEqual([
      ['buffer', -7],
      ['in_flight', 7],
    ]);
    expect(balanced(legs)).toEqual(legs);
  });
});

describe('taking from allocations', () => {
  test('the oldest allocations pay first, and only the last one in part', () => {
    fc.assert(
      fc.property(allocations, fc.integer({ min: 1, max: 5_000_000 }), (held, asked) => {
        const total = sum(held.map(({ available }) => available));
        const amount = pence(total === 0 ? 0 : 1 + (asked % total));
        const taken = drawFrom(held, amount);
        expect(0 - sum(taken.map((part) => part.available))).toBe(amount);
        const giving = held.filter(({ available }) => available > 0).slice(0, taken.length);
        expect(taken.map(({ allocationId }) => allocationId)).toEqual(giving.map(({ allocationId }) => allocationId));
        taken.slice(0, -1).forEach((part, index) => expect(0 - part.available).toBe(giving[index]!.available));
        taken.forEach((part, index) => {
          expect(part.available).toBeLessThan(0);
          expect(0 - part.available).toBeLessThanOrEqual(giving[index]!.available);
        });
      }),
      { examples: [[lots([0, 10]), 4]] },
    );
  });

  test('more than the allocations hold is refused with their total', () => {
    fc.assert(
      fc.property(allocations, fc.integer({ min: 1, max: 1000 }), (held, more) => {
        const available = sum(held.map((allocation) => allocation.available));
        const refusal = refusalOf(() => drawFrom(held, pence(available + more)));
        expect(refusal).toMatchObject({ code: 'insufficient-vault-balance', extra: { available } });
      }),
      // A penny too much is the least that must be refused.
      { examples: [[[{ allocationId: 'alloc_1', available: pence(5) }], 1]] },
    );
  });
});
