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

const refused = (work: Promise<unknown>, code: string, extra = {}) =>
  expect(work).rejects.toMatchObject({ code, extra });

beforeEach(() => clock.set('2026-11-21T09:30:00.000Z'));
afterEach(() => expectSoundLedger(services));

describe('a first calculation', () => {
  test('returns the split, and moves exactly these amounts', async () => {
    const employee_id = owner();
    const calculation = await paychecks.calculatePaycheck(wage(employee_id));
    const ids = {
      ...{
        vault_id: expect.stringMatching(/^vlt_/) as unknown,
        allocation_id: expect.stringMatching(/^alloc_/) as unknown,
      },
    };
    expect(calculation).toEqual({
      ...{ id: expect.stringMatching(/^calc_/) as unknown, employee_id, pay_date: '2026-11-21', revision: 1 },
      ...{ gross_income: 300_000, locked_for_bills: 140_000, locked_buffer: 30_000, clean_safe_to_spend: 130_000 },
      vaults: [bill(120_000), bill(20_000, 'Holiday', 'SAVINGS')].map((vault) => ({ ...vault, ...ids })),
      ...{ buffer_rate: '0.10', income_evidence: 'asserted', calculated_at: '2026-11-21T09:30:00.000Z' },
    });
    const balances = { employer: -300_000, income: 0, vault: 140_000, buffer: 30_000, safe_to_spend: 130_000 };
    expect(await balancesOf(services, employee_id)).toEqual(balances);
    expect(await services.db.many(movements(employee_id))).toEqual([{ kind: 'paycheck', subject_id: calculation.id }]);
  });

  test('gives obligations of one category and type one vault, and a lot each', async () => {
    const employee_id = owner();
    const obligations = [bill(1), bill(2), bill(3, 'Rent', 'SAVINGS')];
    const { vaults } = await paychecks.calculatePaycheck(wage(employee_id, { obligations }));
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
    const balances = { employer: -600_000, vault: 280_000, safe_to_spend: 260_000 };
    expect(await balancesOf(services, employee_id)).toMatchObject(balances);
  });

  test('that the income does not cover stores nothing', async () => {
    const employee_id = owner();
    for (const run of [paychecks.calculatePaycheck, paychecks.simulatePaycheck])
      await refused(run(wage(employee_id, { gross_pay: 139_999 })), 'obligations-exceed-income', { shortfall: 1 });
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
});

describe('a revision', () => {
  test('moves the differences only, and keeps vaults and allocations of the same obligations', async () => {
    const employee_id = owner();
    const first = await paychecks.calculatePaycheck(wage(employee_id));
    const obligations = [bill(20_001, 'Holiday', 'SAVINGS'), bill(7, 'Water'), bill(119_000)];
    const revised = await paychecks.calculatePaycheck(wage(employee_id, { gross_pay: 310_000, obligations }));
    const split = { locked_for_bills: 139_008, locked_buffer: 31_000, clean_safe_to_spend: 139_992 };
    expect(revised).toMatchObject({ revision: 2, ...split });
    const idsOf = (type: string, { vaults }: typeof first) => {
      const { vault_id, allocation_id } = vaults.find((entry) => entry.type === type)!;
      return { vault_id, allocation_id };
    };
    for (const type of ['Rent', 'Holiday']) expect(idsOf(type, revised)).toEqual(idsOf(type, first));
    const balances = { employer: -310_000, income: 0, vault: 139_008, buffer: 31_000, safe_to_spend: 139_992 };
    expect(await balancesOf(services, employee_id)).toEqual(balances);
    const { items } = await allocations.listAllocationHistory({ user_id: employee_id, limit: 3 });
    expect(items.map(({ kind, label, amount }) => [kind, label, amount])).toEqual([
      ['withdrawal', 'Rent', -1_000],
      ['allocation', 'Water', 7],
      ['allocation', 'Holiday', 1],
    ]);
    const kinds = (await services.db.many(movements(employee_id))).map(({ kind }) => kind);
    expect(kinds).toEqual(['paycheck', 'paycheck_revision']);
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
    const figures = { committed: 170_000, shortfall: 1_000 + 69_000 };
    await refused(paychecks.calculatePaycheck(asked), 'paycheck-already-committed', figures);
    expect(await allocations.listVaults({ user_id: employee_id })).toEqual(before);
    expect((await paychecks.listPaychecks({ employee_id })).items).toHaveLength(1);
  });

  test('many simultaneous revisions from two processes run in turn: each number once, and the last is current', async () => {
    const employee_id = owner();
    const other = await openTestServices(services.config.database.url, { clock });
    const engines = [paychecks, paychecksOf(other)];
    const results = await Promise.all(
      Array.from({ length: 24 }, (_, index) => {
        const obligations = [bill(100_000 + index), bill(1 + index, `Bill ${index % 3}`)];
        return engines[index % 2]!.calculatePaycheck(wage(employee_id, { gross_pay: 200_000 + index, obligations }));
      }),
    ).finally(() => other.close());
    const inOrder = results.toSorted((a, b) => a.revision - b.revision);
    expect(inOrder.map(({ revision }) => revision)).toEqual(Array.from({ length: 24 }, (_, index) => index + 1));
    expect(new Set(results.map(({ vaults }) => vaults[0]!.allocation_id)).size).toBe(1);
    const last = inOrder.at(-1)!;
    expect(await balancesOf(services, employee_id)).toMatchObject({
      ...{ employer: 0 - last.gross_income, vault: last.locked_for_bills },
      ...{ buffer: last.locked_buffer, safe_to_spend: last.clean_safe_to_spend },
    });
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
});

describe('the breakdown', () => {
  test('shows the requested revision', async () => {
    const employee_id = owner();
    const first = await paychecks.calculatePaycheck(wage(employee_id));
    await paychecks.calculatePaycheck(wage(employee_id, { gross_pay: 400_000 }));
    expect(await paychecks.explainPaycheck({ id: first.id })).toMatchObject({
      calculation: first,
      steps: [{ amount: 300_000 }, { label: 'Rent' }, { label: 'Holiday' }, {}],
      obligations: [bill(120_000), bill(20_000, 'Holiday', 'SAVINGS')],
      buffer: { rate: '0.10', requested: 30_000, locked: 30_000, capped: false },
    });
    await refused(paychecks.explainPaycheck({ id: 'calc_unknown' }), 'not-found');
  });
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
    const beyond = paychecks.calculatePaycheck(wage(employee_id, { ...one, pay_date: '2026-01-02' }));
    await refused(beyond, 'balance-limit');
    expect(await allocations.listVaults({ user_id: employee_id })).toMatchObject({ safe_to_spend: 9e15 });
  });

  test('a hundred obligations of the largest amounts are calculated and revised in two statements each', async () => {
    const employee_id = owner();
    const statements: string[] = [];
    const engine = paychecksOf(watched(services, { query: (name) => void statements.push(name) }));
    const obligations = Array.from({ length: 100 }, (_, index) => bill(999_999_999 + (index % 2), `Bill ${index}`));
    const gross_pay = 100_000_000_000;
    await engine.calculatePaycheck(wage(employee_id, { gross_pay, obligations }));
    expect(statements).toEqual(['paycheck.open', 'paycheck.book']);
    await engine.calculatePaycheck(wage(employee_id, { gross_pay, obligations: obligations.slice(1) }));
    expect(statements).toHaveLength(4);
    const balances = { employer: -gross_pay, vault: 98_999_999_901 + 50 };
    expect(await balancesOf(services, employee_id)).toMatchObject(balances);
  });
});
