import { type PaycheckRequest } from '../../activities/paycheck/index.ts';
import type { VaultType } from '../../domain/ledger.ts';
import { pence } from '../../domain/money.ts';
import { allocationsOf, paychecksOf } from '../helpers/activities.ts';
import { textQuery } from '../helpers/text-query.ts';
import { movableClock } from '../helpers/clock.ts';
import { openTestServices, withDatabase } from '../helpers/database.ts';
import { anyKey, balancesOf, expectSoundLedger, moveMoney } from '../helpers/money.ts';
import { watched } from '../helpers/watched-database.ts';

const clock = movableClock();
const services = withDatabase({ clock });
const paychecks = paychecksOf(services);
const allocations = allocationsOf(services);

let count = 0;
const owner = () => `emp-${(count += 1)}`;
const bill = (amount: number, type = 'Rent', category: VaultType = 'FIXED') => ({ type, amount, category });
const wage = (employee_id: string, changes: Partial<PaycheckRequest> = {}): PaycheckRequest => ({
  principal: anyKey,
  employee_id,
  gross_pay: 300_000,
  obligations: [bill(120_000), bill(20_000, 'Holiday', 'SAVINGS')],
  ...changes,
});
const trace = textQuery<{ rows: number }>(
  'test.trace',
  `select (select count(*) from owners where owner_id = $1) + (select count(*) from ledger_accounts where owner_id = $1)
        + (select count(*) from vaults where owner_id = $1) + (select count(*) from calculations where owner_id = $1) as rows`,
);
const setRate = textQuery('test.setRate', 'update owners set buffer_rate = $2 where owner_id = $1');
const movements = textQuery<{ kind: string; subject_id: string }>(
  'test.movements',
  'select kind, subject_id from ledger_transfers where owner_id = $1 order by seq',
);

beforeEach(() => clock.set('2026-11-21T09:30:00.000Z'));
afterEach(() => expectSoundLedger(services));

describe('a first calculation', () => {
  test('returns the split, and moves exactly these amounts', async () => {
    const employee_id = owner();
    const calculation = await paychecks.calculatePaycheck(wage(employee_id));
    expect(calculation).toEqual({
      id: expect.stringMatching(/^calc_/) as unknown,
      employee_id,
      pay_date: '2026-11-21',
      revision: 1,
      gross_income: 300_000,
      locked_for_bills: 140_000,
      locked_buffer: 30_000,
      clean_safe_to_spend: 130_000,
      vaults: [
        {
          ...bill(120_000),
          vault_id: expect.stringMatching(/^vlt_/) as unknown,
          allocation_id: expect.stringMatching(/^alloc_/) as unknown,
        },
        {
          ...bill(20_000, 'Holiday', 'SAVINGS'),
          vault_id: expect.stringMatching(/^vlt_/) as unknown,
          allocation_id: expect.stringMatching(/^alloc_/) as unknown,
        },
      ],
      buffer_rate: '0.10',
      income_evidence: 'asserted',
      calculated_at: '2026-11-21T09:30:00.000Z',
    });
    expect(await balancesOf(services, employee_id)).toEqual({
      employer: -300_000,
      income: 0,
      vault: 140_000,
      buffer: 30_000,
      safe_to_spend: 130_000,
    });
    expect(await services.db.many(movements(employee_id))).toEqual([{ kind: 'paycheck', subject_id: calculation.id }]);
  });

  test('gives obligations of one category and type one vault, and a lot each', async () => {
    const employee_id = owner();
    const { vaults } = await paychecks.calculatePaycheck(
      wage(employee_id, { obligations: [bill(1), bill(2), bill(3, 'Rent', 'SAVINGS')] }),
    );
    expect(vaults[0]!.vault_id).toBe(vaults[1]!.vault_id);
    expect(vaults[2]!.vault_id).not.toBe(vaults[0]!.vault_id);
    expect(new Set(vaults.map(({ allocation_id }) => allocation_id)).size).toBe(3);
    const { vaults: balances } = await allocations.listVaults({ user_id: employee_id });
    expect(balances.map(({ vault_type, label, balance }) => [vault_type, label, balance])).toEqual([
      ['FIXED', 'Rent', 3],
      ['SAVINGS', 'Rent', 3],
    ]);
  });

  test('of another pay date is new income, into the same vaults', async () => {
    const employee_id = owner();
    const first = await paychecks.calculatePaycheck(wage(employee_id, { pay_date: '2026-10-31' }));
    const second = await paychecks.calculatePaycheck(wage(employee_id, { pay_date: '2026-11-30' }));
    expect(second.revision).toBe(1);
    expect(second.vaults.map(({ vault_id }) => vault_id)).toEqual(first.vaults.map(({ vault_id }) => vault_id));
    expect(second.vaults[0]!.allocation_id).not.toBe(first.vaults[0]!.allocation_id);
    expect(await balancesOf(services, employee_id)).toMatchObject({
      employer: -600_000,
      vault: 280_000,
      safe_to_spend: 260_000,
    });
  });

  test('accepts no obligations, and obligations as large as the income', async () => {
    expect(await paychecks.calculatePaycheck(wage(owner(), { obligations: [] }))).toMatchObject({
      vaults: [],
      clean_safe_to_spend: 270_000,
    });
    expect(await paychecks.calculatePaycheck(wage(owner(), { obligations: [bill(300_000)] }))).toMatchObject({
      locked_buffer: 0,
      clean_safe_to_spend: 0,
    });
  });

  test('that the income does not cover stores nothing', async () => {
    const employee_id = owner();
    await expect(paychecks.calculatePaycheck(wage(employee_id, { gross_pay: 139_999 }))).rejects.toMatchObject({
      code: 'obligations-exceed-income',
      extra: { shortfall: 1 },
    });
    expect(await services.db.one(trace(employee_id))).toEqual({ rows: 0 });
  });
});

describe('the buffer rate', () => {
  test('is the request’s, else the profile’s, else 0.10; also when simulating', async () => {
    const employee_id = owner();
    const rates = async (buffer_rate?: string) => {
      const request = wage(employee_id, buffer_rate === undefined ? {} : { buffer_rate });
      const simulated = await paychecks.simulatePaycheck(request);
      const calculated = await paychecks.calculatePaycheck(request);
      expect(simulated.locked_buffer).toBe(calculated.locked_buffer);
      return [simulated.buffer_rate, calculated.buffer_rate, calculated.locked_buffer];
    };
    expect(await rates()).toEqual(['0.10', '0.10', 30_000]);
    await services.db.run(setRate(employee_id, '0.05'));
    expect(await rates()).toEqual(['0.05', '0.05', 15_000]);
    expect(await rates('0.2')).toEqual(['0.2', '0.2', 60_000]);
  });
});

describe('the pay date', () => {
  test('defaults to today in London', async () => {
    clock.set('2026-06-30T23:30:00.000Z');
    expect(await paychecks.calculatePaycheck(wage(owner()))).toMatchObject({ pay_date: '2026-07-01' });
  });

  test.each([
    ['2016-11-20', { code: 'invalid-request', extra: { errors: [{ pointer: '/pay_date' }] } }],
    ['2026-12-23', { code: 'pay-date-too-far', extra: { latest: '2026-12-22' } }],
  ])('is refused if it is as far away as %s', async (pay_date, refusal) => {
    await expect(paychecks.calculatePaycheck(wage(owner(), { pay_date }))).rejects.toMatchObject(refusal);
    await expect(paychecks.simulatePaycheck(wage(owner(), { pay_date }))).rejects.toMatchObject(refusal);
  });
});

describe('a revision', () => {
  test('moves the differences only, and keeps vaults and allocations of the same obligations', async () => {
    const employee_id = owner();
    const first = await paychecks.calculatePaycheck(wage(employee_id));
    const revised = await paychecks.calculatePaycheck(
      wage(employee_id, {
        gross_pay: 310_000,
        obligations: [bill(20_001, 'Holiday', 'SAVINGS'), bill(7, 'Water'), bill(119_000)],
      }),
    );
    expect(revised).toMatchObject({
      revision: 2,
      locked_for_bills: 139_008,
      locked_buffer: 31_000,
      clean_safe_to_spend: 139_992,
    });
    const idsOf = (type: string, { vaults }: typeof first) => {
      const { vault_id, allocation_id } = vaults.find((entry) => entry.type === type)!;
      return { vault_id, allocation_id };
    };
    expect(idsOf('Rent', revised)).toEqual(idsOf('Rent', first));
    expect(idsOf('Holiday', revised)).toEqual(idsOf('Holiday', first));
    expect(await balancesOf(services, employee_id)).toEqual({
      employer: -310_000,
      income: 0,
      vault: 139_008,
      buffer: 31_000,
      safe_to_spend: 139_992,
    });
    const { items } = await allocations.listAllocationHistory({ user_id: employee_id, limit: 3 });
    expect(items.map(({ kind, label, amount }) => [kind, label, amount])).toEqual([
      ['withdrawal', 'Rent', -1_000],
      ['allocation', 'Water', 7],
      ['allocation', 'Holiday', 1],
    ]);
    expect((await services.db.many(movements(employee_id))).map(({ kind }) => kind)).toEqual([
      'paycheck',
      'paycheck_revision',
    ]);
  });

  test('with the same figures moves nothing, and is still a revision', async () => {
    const employee_id = owner();
    await paychecks.calculatePaycheck(wage(employee_id));
    expect(await paychecks.calculatePaycheck(wage(employee_id))).toMatchObject({ revision: 2 });
    expect(await services.db.many(movements(employee_id))).toHaveLength(1);
  });

  test('removes an obligation and adds it again, with a new allocation in the same vault', async () => {
    const employee_id = owner();
    const first = await paychecks.calculatePaycheck(wage(employee_id));
    await paychecks.calculatePaycheck(wage(employee_id, { obligations: [] }));
    expect(await balancesOf(services, employee_id)).toMatchObject({ vault: 0, safe_to_spend: 270_000 });
    const third = await paychecks.calculatePaycheck(wage(employee_id));
    expect(third.vaults[0]!.vault_id).toBe(first.vaults[0]!.vault_id);
    expect(third.vaults[0]!.allocation_id).not.toBe(first.vaults[0]!.allocation_id);
    expect(await balancesOf(services, employee_id)).toMatchObject({ vault: 140_000, safe_to_spend: 130_000 });
  });

  test('that no longer covers the spent money is refused with the figures, and changes nothing', async () => {
    const employee_id = owner();
    const { vaults } = await paychecks.calculatePaycheck(wage(employee_id));
    await allocations.withdraw({ user_id: employee_id, vault_id: vaults[0]!.vault_id, amount: 50_000 });
    await allocations.allocate({ user_id: employee_id, vault_type: 'DISCRETIONARY', amount: 170_000 });
    const before = await allocations.listVaults({ user_id: employee_id });
    // The revised paycheck would have 49,000 for the rent (50,000 used) and 51,000 safe to spend (120,000 used).
    const asked = wage(employee_id, { gross_pay: 100_000, obligations: [bill(49_000)], buffer_rate: '0' });
    await expect(paychecks.calculatePaycheck(asked)).rejects.toMatchObject({
      code: 'paycheck-already-committed',
      extra: { committed: 170_000, shortfall: 1_000 + 69_000 },
    });
    expect(await allocations.listVaults({ user_id: employee_id })).toEqual(before);
    expect((await paychecks.listPaychecks({ employee_id })).items).toHaveLength(1);
  });

  test('that covers exactly the spent money is accepted', async () => {
    const employee_id = owner();
    const { vaults } = await paychecks.calculatePaycheck(wage(employee_id, { buffer_rate: '0' }));
    await allocations.withdraw({ user_id: employee_id, vault_id: vaults[0]!.vault_id, amount: 50_000 });
    await allocations.allocate({ user_id: employee_id, vault_type: 'DISCRETIONARY', amount: 210_000 });
    const revised = wage(employee_id, { gross_pay: 210_000, obligations: [bill(50_000)], buffer_rate: '0' });
    expect(await paychecks.calculatePaycheck(revised)).toMatchObject({ revision: 2, clean_safe_to_spend: 160_000 });
    expect(await balancesOf(services, employee_id)).toEqual({
      employer: -210_000,
      income: 0,
      vault: 210_000,
      safe_to_spend: 0,
    });
  });

  test('does not change other paychecks of the owner', async () => {
    const employee_id = owner();
    await paychecks.calculatePaycheck(wage(employee_id, { pay_date: '2026-10-31' }));
    await paychecks.calculatePaycheck(wage(employee_id, { pay_date: '2026-11-30' }));
    await paychecks.calculatePaycheck(wage(employee_id, { pay_date: '2026-11-30', gross_pay: 140_000 }));
    expect(await balancesOf(services, employee_id)).toMatchObject({
      employer: -440_000,
      vault: 280_000,
      safe_to_spend: 130_000,
    });
  });

  test('many simultaneous revisions from two processes run in turn: each number once, and the last is current', async () => {
    const employee_id = owner();
    const other = await openTestServices(services.config.database.url, { clock });
    try {
      const engines = [paychecks, paychecksOf(other)];
      const results = await Promise.all(
        Array.from({ length: 24 }, (_, index) =>
          engines[index % 2]!.calculatePaycheck(
            wage(employee_id, {
              gross_pay: 200_000 + index,
              obligations: [bill(100_000 + index), bill(1 + index, `Bill ${index % 3}`)],
            }),
          ),
        ),
      );
      const inOrder = results.toSorted((a, b) => a.revision - b.revision);
      expect(inOrder.map(({ revision }) => revision)).toEqual(Array.from({ length: 24 }, (_, index) => index + 1));
      expect(new Set(results.map(({ vaults }) => vaults[0]!.allocation_id)).size).toBe(1);
      const last = inOrder.at(-1)!;
      expect(await balancesOf(services, employee_id)).toMatchObject({
        employer: 0 - last.gross_income,
        vault: last.locked_for_bills,
        buffer: last.locked_buffer,
        safe_to_spend: last.clean_safe_to_spend,
      });
    } finally {
      await other.close();
    }
  });
});

describe('include_history', () => {
  test('adds nothing by default, null before the first calculation, and then the latest one with the differences', async () => {
    const employee_id = owner();
    const asked = (changes: Partial<PaycheckRequest>) => wage(employee_id, { include_history: true, ...changes });
    expect(await paychecks.simulatePaycheck(asked({}))).toMatchObject({ previous: null, comparison: null });
    const first = await paychecks.calculatePaycheck(asked({ pay_date: '2026-11-30' }));
    expect(first).toMatchObject({ previous: null, comparison: null });
    const stored = (await paychecks.explainPaycheck({ id: first.id })).calculation;
    expect(first).toEqual({ ...stored, previous: null, comparison: null });
    const comparison = { gross_income: 10_000, locked_for_bills: 0, locked_buffer: 1_000, clean_safe_to_spend: 9_000 };
    const next = asked({ gross_pay: 310_000, pay_date: '2026-10-31' });
    expect(await paychecks.simulatePaycheck(next)).toMatchObject({ previous: stored, comparison });
    const second = await paychecks.calculatePaycheck(next);
    expect(second).toMatchObject({ previous: stored, comparison });
    expect(await paychecks.calculatePaycheck(wage(employee_id))).not.toHaveProperty('previous');
  });
});

describe('a simulation', () => {
  test('returns what a calculation would, and stores nothing, not even the owner', async () => {
    const employee_id = owner();
    const simulated = await paychecks.simulatePaycheck(wage(employee_id));
    expect(await services.db.one(trace(employee_id))).toEqual({ rows: 0 });
    const { id, vaults, ...calculated } = await paychecks.calculatePaycheck(wage(employee_id));
    expect(id).toMatch(/^calc_/);
    expect(simulated).toEqual({
      ...calculated,
      simulated: true,
      vaults: vaults.map(({ type, amount, category }) => ({ type, amount, category })),
    });
    expect(await paychecks.simulatePaycheck(wage(employee_id))).toMatchObject({ revision: 2 });
  });

  test('is refused if the income does not cover the obligations', async () => {
    await expect(paychecks.simulatePaycheck(wage(owner(), { gross_pay: 1 }))).rejects.toMatchObject({
      code: 'obligations-exceed-income',
      extra: { shortfall: 139_999 },
    });
  });
});

describe('the breakdown', () => {
  test('shows the requested revision', async () => {
    const employee_id = owner();
    const first = await paychecks.calculatePaycheck(wage(employee_id));
    await paychecks.calculatePaycheck(wage(employee_id, { gross_pay: 400_000 }));
    const breakdown = await paychecks.explainPaycheck({ id: first.id });
    expect(breakdown).toEqual({
      calculation: first,
      steps: [
        { label: 'Gross income', amount: 300_000, remaining: 300_000 },
        { label: 'Rent', amount: 120_000, remaining: 180_000 },
        { label: 'Holiday', amount: 20_000, remaining: 160_000 },
        { label: 'Safety buffer', amount: 30_000, remaining: 130_000 },
      ],
      obligations: [
        { ...bill(120_000), share_of_income: '0.4000' },
        { ...bill(20_000, 'Holiday', 'SAVINGS'), share_of_income: '0.0667' },
      ],
      buffer: { rate: '0.10', requested: 30_000, locked: 30_000, capped: false },
    });
    expect(await paychecks.explainPaycheck({ id: first.id })).toEqual(breakdown);
    await expect(paychecks.explainPaycheck({ id: 'calc_unknown' })).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('the history', () => {
  test('lists every calculation once, newest first, in pages, and by pay date', async () => {
    const employee_id = owner();
    const days = ['2026-01-31', '2026-02-28', '2026-03-31', '2026-02-28', '2026-04-30'];
    const ids: string[] = [];
    for (const [index, pay_date] of days.entries()) {
      ids.unshift((await paychecks.calculatePaycheck(wage(employee_id, { pay_date, gross_pay: 300_000 + index }))).id);
    }
    await paychecks.calculatePaycheck(wage(owner()));

    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await paychecks.listPaychecks({
        employee_id,
        limit: 2,
        ...(cursor === undefined ? {} : { cursor }),
      });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(ids);

    const within = await paychecks.listPaychecks({ employee_id, from: '2026-02-28', to: '2026-03-31' });
    expect(within.items.map(({ pay_date, revision }) => [pay_date, revision])).toEqual([
      ['2026-02-28', 2],
      ['2026-03-31', 1],
      ['2026-02-28', 1],
    ]);
    expect(within.next_cursor).toBeNull();
    expect(await paychecks.listPaychecks({ employee_id: owner() })).toEqual({ items: [], next_cursor: null });
  });

  test.each(['x', '', 'MA', 'LTE', 'MS41', 'OTAwNzE5OTI1NDc0MDk5Mg', 'MQ=='])(
    'refuses the invalid cursor "%s"',
    async (cursor) => {
      await expect(paychecks.listPaychecks({ employee_id: 'any', cursor })).rejects.toMatchObject({
        code: 'invalid-request',
        extra: { errors: [{ pointer: '/query/cursor' }] },
      });
    },
  );
});

describe('limits', () => {
  test("an owner's total income has a limit: more is refused, and nothing moves", async () => {
    const employee_id = owner();
    await paychecks.calculatePaycheck(wage(employee_id, { gross_pay: 1, obligations: [] }));
    const much = 8_999_999_999_999_998;
    await moveMoney(services, employee_id, {
      kind: 'paycheck',
      subjectId: 'test',
      at: new Date(),
      legs: [
        { account: 'employer', kind: 'allocation', amount: pence(-much) },
        { account: 'safe_to_spend', kind: 'allocation', amount: pence(much) },
      ],
    });
    const one = { gross_pay: 1, obligations: [], buffer_rate: '0' };
    await paychecks.calculatePaycheck(wage(employee_id, { ...one, pay_date: '2026-01-01' }));
    await expect(
      paychecks.calculatePaycheck(wage(employee_id, { ...one, pay_date: '2026-01-02' })),
    ).rejects.toMatchObject({
      code: 'balance-limit',
    });
    expect(await allocations.listVaults({ user_id: employee_id })).toMatchObject({ safe_to_spend: 9e15 });
  });

  test('a hundred obligations of the largest amounts are calculated and revised in two statements each', async () => {
    const employee_id = owner();
    const statements: string[] = [];
    const engine = paychecksOf(watched(services, { query: (name) => void statements.push(name) }));
    const obligations = Array.from({ length: 100 }, (_, index) => bill(999_999_999 + (index % 2), `Bill ${index}`));
    await engine.calculatePaycheck(wage(employee_id, { gross_pay: 100_000_000_000, obligations }));
    expect(statements).toEqual(['paycheck.open', 'paycheck.book']);
    await engine.calculatePaycheck(
      wage(employee_id, { gross_pay: 100_000_000_000, obligations: obligations.slice(1) }),
    );
    expect(statements).toHaveLength(4);
    expect(await balancesOf(services, employee_id)).toMatchObject({
      employer: -100_000_000_000,
      vault: 98_999_999_901 + 50,
    });
  });
});
