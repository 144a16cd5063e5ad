import fc from 'fast-check';
import { DomainError } from '../../domain/errors.ts';
import { balanced, VAULT_TYPES, type VaultType } from '../../domain/ledger.ts';
import { exact, pence, sum, type Pence } from '../../domain/money.ts';
import {
  comparePaychecks,
  explainPaycheck,
  MAX_RECEIVED,
  paycheckLegs,
  planPaycheck,
  requirePayDate,
  requireWithinLimit,
  splitPaycheck,
  type BookedPaycheck,
  type Obligation,
  type Split,
} from '../../domain/paycheck.ts';
import { refusalOf } from '../helpers/refusal.ts';

const rates = fc
  .integer({ min: 0, max: 10_000 })
  .map((tenThousandths) => exact(tenThousandths).dividedBy(10_000).toFixed(4));
const obligation = fc.record({
  type: fc.constantFrom('Rent', 'Energy', 'Holiday'),
  category: fc.constantFrom(...VAULT_TYPES),
  amount: fc.integer({ min: 1, max: 100_000 }).map(pence),
});
const wages = fc
  .tuple(fc.array(obligation, { maxLength: 12 }), fc.integer({ min: 1, max: 400_000 }), rates)
  .map(([obligations, more, rate]) => ({
    obligations,
    rate,
    gross: pence(sum(obligations.map((o) => o.amount)) + more),
  }));

const bill = (amount: number, type = 'Rent', category: VaultType = 'FIXED'): Obligation => ({
  type,
  category,
  amount: pence(amount),
});

describe('splitPaycheck', () => {
  test.each([
    { gross: 300_000, bills: [120_000, 20_000], rate: '0.10', buffer: 30_000, safe: 130_000 },
    { gross: 300_000, bills: [], rate: '0', buffer: 0, safe: 300_000 },
    { gross: 300_000, bills: [], rate: '1', buffer: 300_000, safe: 0 },
    { gross: 300_000, bills: [280_000], rate: '0.10', buffer: 20_000, safe: 0 },
    { gross: 300_000, bills: [300_000], rate: '0.10', buffer: 0, safe: 0 },
    { gross: 5, bills: [], rate: '0.1', buffer: 1, safe: 4 },
    { gross: 4, bills: [], rate: '0.1', buffer: 0, safe: 4 },
    { gross: 123_45, bills: [1], rate: '0.3333', buffer: 4_115, safe: 8_229 },
    { gross: 100_000_000_000, bills: [1], rate: '0.9999', buffer: 99_990_000_000, safe: 9_999_999 },
  ])(
    'of $gross with bills $bills at $rate, $buffer is buffer and $safe is safe to spend',
    ({ gross, bills, rate, buffer, safe }) => {
      const obligations = bills.map((amount) => bill(amount));
      const split = { grossIncome: gross, lockedBuffer: buffer, safeToSpend: safe };
      expect(splitPaycheck(pence(gross), obligations, rate)).toMatchObject(split);
    },
  );

  test('obligations beyond the income are refused with the shortfall', () => {
    const refusal = refusalOf(() => splitPaycheck(pence(100), [bill(60), bill(41)], '0.10'));
    expect(refusal).toMatchObject({ code: 'obligations-exceed-income', extra: { shortfall: 1 } });
  });

  test('nothing is created or lost, and no part is negative', () => {
    fc.assert(
      fc.property(wages, ({ gross, obligations, rate }) => {
        const split = splitPaycheck(gross, obligations, rate);
        expect(split.lockedForBills + split.lockedBuffer + split.safeToSpend).toBe(gross);
        expect(Math.min(split.lockedForBills, split.lockedBuffer, split.safeToSpend)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('explainPaycheck', () => {
  test('the steps start at gross pay, each subtracts its amount, and they end at safe to spend', () => {
    fc.assert(
      fc.property(wages, ({ gross, obligations, rate }) => {
        const split = splitPaycheck(gross, obligations, rate);
        const { steps, buffer } = explainPaycheck(split, obligations, rate);
        expect(steps[0]).toEqual({ label: 'Gross income', amount: gross, remaining: gross });
        steps.slice(1).forEach((step, index) => expect(step.remaining).toBe(steps[index]!.remaining - step.amount));
        expect(steps.at(-1)!.remaining).toBe(split.safeToSpend);
        expect(buffer.capped).toBe(buffer.locked < buffer.requested);
        expect(buffer.locked).toBe(split.lockedBuffer);
      }),
    );
  });

  test.each([
    ['shares of the income with four decimals', [100_000, 1], ['0.3333', '0.0000'], 30_000, false],
    ['a buffer that the bills reduce as capped', [290_000], ['0.9667'], 10_000, true],
  ])('shows %s', (_what, amounts, shares, locked, capped) => {
    const obligations = amounts.map((amount) => bill(amount));
    const explained = explainPaycheck(splitPaycheck(pence(300_000), obligations, '0.10'), obligations, '0.10');
    expect(explained.obligations.map((entry) => entry.share_of_income)).toEqual(shares);
    expect(explained.buffer).toEqual({ rate: '0.10', requested: 30_000, locked, capped });
  });
});

describe('planPaycheck', () => {
  test('a first calculation moves everything', () => {
    const obligations = [bill(50), bill(20, 'Energy')];
    const plan = planPaycheck(null, splitPaycheck(pence(100), obligations, '0.10'), obligations, held(0, 0));
    expect(paycheckLegs(plan, ['v1', 'v2']).map((leg) => [leg.account, leg.vaultId, leg.kind, leg.amount])).toEqual([
      ['employer', undefined, 'allocation', -100],
      ['income', undefined, 'allocation', 100],
      ['income', undefined, 'allocation', -100],
      ['vault', 'v1', 'allocation', 50],
      ['vault', 'v2', 'allocation', 20],
      ['buffer', undefined, 'allocation', 10],
      ['safe_to_spend', undefined, 'allocation', 20],
    ]);
  });

  test('the k-th obligation of a category and type matches the previous k-th one', () => {
    const before = [bill(10), bill(20), bill(30, 'Energy'), bill(40, 'Rent', 'SAVINGS')];
    const after = [bill(41, 'Rent', 'SAVINGS'), bill(11), bill(5, 'Water'), bill(21), bill(31)];
    const plan = planPaycheck(bookedOf(before), splitPaycheck(pence(1000), after, '0'), after, held(900, 0));
    expect(plan.obligations.map(({ allocation, change }) => [allocation?.allocationId ?? null, change])).toEqual([
      ['alloc_3', 1],
      ['alloc_0', 1],
      [null, 5],
      ['alloc_1', 1],
      [null, 31],
    ]);
    expect(plan.removed.map(({ allocation, change }) => [allocation!.allocationId, change])).toEqual([
      ['alloc_2', -30],
    ]);
  });

  test('with a removed obligation and safe to spend both used, committed and shortfall are totals', () => {
    // The booked rent of 400 has 150 used, energy of 100 has all used, and safe to spend of 500 has 300 used.
    const before = [bill(400), bill(100, 'Energy')];
    const booked = bookedOf(before, { available: [250, 0] });
    const split = splitPaycheck(pence(500), [bill(300)], '0');
    const refusal = refusalOf(() => planPaycheck(booked, split, [bill(300)], held(200, 0)));
    // Committed: safe to spend 300, rent 150, energy 100. Planned: safe to spend 200, rent 300, energy 0.
    expect(refusal).toMatchObject({ code: 'paycheck-already-committed', extra: { committed: 550, shortfall: 200 } });
  });

  test('a revision that leaves exactly the committed amounts is accepted', () => {
    const booked = bookedOf([bill(400)], { available: [250] });
    const split = splitPaycheck(pence(450), [bill(150)], '0');
    const plan = planPaycheck(booked, split, [bill(150)], held(300, 0));
    expect(plan).toMatchObject({ gross: -550, safeToSpend: -300, buffer: 0 });
    expect(plan.obligations[0]).toMatchObject({ change: -250 });
    const outside = legsOf(plan).slice(-3);
    expect(outside.map(({ account, amount }) => [account, amount])).toEqual([
      ['income', 550],
      ['income', -550],
      ['employer', 550],
    ]);
  });

  test('differences balance, and no pot gives more than it has, for any use before', () => {
    const used = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(wages, wages, used, fc.integer({ min: 0, max: 100 }), (first, second, usedPercent, spentPercent) => {
        const split = splitPaycheck(first.gross, first.obligations, first.rate);
        const available = first.obligations.map(
          ({ amount }, i) => amount - Math.floor((amount * usedPercent[i]!) / 100),
        );
        const booked = bookedOf(first.obligations, { available, split });
        const safe = split.safeToSpend - Math.floor((split.safeToSpend * spentPercent) / 100);
        const next = splitPaycheck(second.gross, second.obligations, second.rate);
        let plan;
        try {
          plan = planPaycheck(booked, next, second.obligations, held(safe, split.lockedBuffer));
        } catch (error) {
          if (!(error instanceof DomainError)) throw error;
          expect(error.extra.shortfall).toBeGreaterThan(0);
          expect(error.extra.committed).toBeGreaterThanOrEqual(error.extra.shortfall as number);
          return;
        }
        const legs = legsOf(plan);
        expect(() => balanced(legs)).not.toThrow();
        expect(sum(legs.filter(({ account }) => account === 'employer').map(({ amount }) => amount)) + 0).toBe(
          split.grossIncome - second.gross,
        );
        for (const { allocation, change } of [...plan.obligations, ...plan.removed])
          expect((allocation?.available ?? 0) + change).toBeGreaterThanOrEqual(0);
        expect(safe + plan.safeToSpend).toBeGreaterThanOrEqual(0);
        expect(split.lockedBuffer + plan.buffer).toBeGreaterThanOrEqual(0);
        // The movement must put money into `income` before it takes money out.
        let income = 0;
        for (const leg of legs) {
          if (leg.account !== 'income') continue;
          income += leg.amount;
          expect(income).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });

  test('the same calculation again changes nothing', () => {
    fc.assert(
      fc.property(wages, ({ gross, obligations, rate }) => {
        const split = splitPaycheck(gross, obligations, rate);
        const balances = held(split.safeToSpend, split.lockedBuffer);
        const plan = planPaycheck(bookedOf(obligations, { split }), split, obligations, balances);
        expect(balanced(legsOf(plan))).toEqual([]);
      }),
    );
  });
});

test('a comparison is the new amount minus the previous one', () => {
  const split = (gross: number) => splitPaycheck(pence(gross), [bill(50)], '0.10');
  expect(comparePaychecks(split(200), split(300))).toEqual({
    grossIncome: -100,
    lockedForBills: 0,
    lockedBuffer: -10,
    safeToSpend: -90,
  });
});

test.each([
  ['2016-11-21', '2026-11-21', null],
  ['2016-11-20', '2026-11-21', 'invalid-request'],
  ['2026-12-22', '2026-11-21', null],
  ['2026-12-23', '2026-11-21', 'pay-date-too-far'],
  ['2018-02-28', '2028-02-29', null],
  ['2018-02-27', '2028-02-29', 'invalid-request'],
  ['2028-03-31', '2028-02-29', null],
  ['2028-04-01', '2028-02-29', 'pay-date-too-far'],
])('a pay date of %s on %s is refused with: %p', (payDate, today, code) => {
  const check = () => requirePayDate(payDate, today);
  if (code === null) expect(check).not.toThrow();
  else expect(refusalOf(check)).toMatchObject({ code });
});

test('an owner cannot receive more than exact numbers allow', () => {
  expect(() => requireWithinLimit(pence(MAX_RECEIVED - 1), pence(1))).not.toThrow();
  expect(() => requireWithinLimit(MAX_RECEIVED, pence(-1))).not.toThrow();
  expect(refusalOf(() => requireWithinLimit(MAX_RECEIVED, pence(1)))).toMatchObject({ code: 'balance-limit' });
});

function legsOf(plan: ReturnType<typeof planPaycheck>) {
  const vaults = plan.obligations.map(({ allocation }) => allocation?.vaultId ?? 'new');
  return paycheckLegs(plan, vaults);
}

function held(safeToSpend: number, buffer: number) {
  return { safeToSpend: pence(safeToSpend), buffer: pence(buffer) };
}

// By default 1000 pence without a buffer, with none of the money used.
function bookedOf(
  obligations: readonly Obligation[],
  { available, split }: { available?: number[]; split?: Split } = {},
): BookedPaycheck {
  const booked = split ?? splitPaycheck(pence(1000), obligations, '0');
  return {
    grossIncome: booked.grossIncome,
    lockedBuffer: booked.lockedBuffer,
    safeToSpend: booked.safeToSpend,
    obligations: obligations.map((entry, index) => ({
      ...entry,
      vaultId: `vlt_${entry.category}_${entry.type}`,
      allocationId: `alloc_${index}`,
      available: (available?.[index] ?? entry.amount) as Pence,
    })),
  };
}
