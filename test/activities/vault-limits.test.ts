import { addDays } from '../../domain/dates.ts';
import type { DomainError } from '../../domain/errors.ts';
import type { VaultType } from '../../domain/ledger.ts';
import { allocationsOf, interestOf, paychecksOf } from '../helpers/activities.ts';
import { movableClock } from '../helpers/clock.ts';
import { withDatabase } from '../helpers/database.ts';
import { anyKey, expectSoundLedger, moveMoney } from '../helpers/money.ts';

const clock = movableClock();
const services = withDatabase({ clock });
const paychecks = paychecksOf(services);
const allocations = allocationsOf(services);
const interest = interestOf(services);

const MOST_VAULTS = 500;
const MOST_LOTS = 1_000;

const calculate = (employee_id: string, pay_date: string, types: readonly string[], gross_pay = types.length + 10) =>
  paychecks.calculatePaycheck({
    principal: anyKey,
    employee_id,
    gross_pay,
    pay_date,
    buffer_rate: '0',
    obligations: types.map((type) => ({ type, amount: 1, category: 'FIXED' })),
  });
const names = (count: number, first = 0) => Array.from({ length: count }, (_, index) => `Bill ${first + index}`);
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => ({ code: (error as DomainError).code, ...(error as DomainError).extra }),
  );
const vaultsOf = async (user_id: string) => (await allocations.listVaults({ user_id })).vaults;

/** Makes so many vaults, with a penny each. With `type`, one vault with so many lots of a penny. */
async function withVaults(owner: string, count: number, type?: string): Promise<void> {
  for (let made = 0; made < count; made += 100) {
    const types = names(Math.min(100, count - made), made).map((name) => type ?? name);
    await calculate(owner, addDays('2026-01-01', made / 100), types);
  }
}

async function withLots(owner: string, count: number): Promise<string> {
  await withVaults(owner, count, 'Rent');
  return (await vaultsOf(owner))[0]!.vault_id;
}

beforeEach(() => clock.set('2026-02-01T09:30:00.000Z'));
afterEach(() => expectSoundLedger(services));

describe('an owner with as many vaults as an owner can have', () => {
  const owner = 'collector';
  const full = { code: 'too-many-vaults', limit: MOST_VAULTS };
  beforeAll(() => withVaults(owner, MOST_VAULTS));

  test('gets no further vault, whatever would make it, and nothing moves', async () => {
    const before = await allocations.listVaults({ user_id: owner });
    const from_vault_id = before.vaults[0]!.vault_id;
    const to = { to_vault_type: 'SAVINGS' as VaultType, to_label: 'New' };
    const attempts = [
      calculate(owner, '2026-01-20', ['New']),
      allocations.allocate({ user_id: owner, vault_type: 'SAVINGS', amount: 1, label: 'New' }),
      allocations.transferBetweenVaults({ user_id: owner, from_vault_id, amount: 1, ...to }),
    ];
    expect(await Promise.all(attempts.map(refusal))).toEqual([full, full, full]);
    expect(await allocations.listVaults({ user_id: owner })).toEqual(before);
  });

  test('can still use the vaults it has', async () => {
    const [first, second] = await vaultsOf(owner);
    await calculate(owner, '2026-01-21', names(100));
    await allocations.allocate({ user_id: owner, vault_type: 'FIXED', amount: 1, label: 'Bill 0' });
    const move = { user_id: owner, from_vault_id: first!.vault_id, amount: 1 };
    await allocations.transferBetweenVaults({ ...move, to_vault_type: 'FIXED', to_label: 'Bill 1' });
    await allocations.withdraw({ user_id: owner, vault_id: second!.vault_id, amount: 1 });
    expect(await vaultsOf(owner)).toHaveLength(MOST_VAULTS);
  });

  test('gets no further vault from the database itself', async () => {
    const newVaults = [{ vaultId: services.newId('vlt'), vaultType: 'FIXED' as const, label: 'New' }];
    const at = await services.clock.now(services.db);
    const movement = { kind: 'allocation' as const, subjectId: 'none', at, newVaults, legs: [] };
    await expect(moveMoney(services, owner, movement)).rejects.toThrow(/at most 500 open vaults/);
  });

  test('gets a forecast and a summary of its interest', async () => {
    const forecast = await interest.forecastYield({ user_id: owner, horizon_months: 60 });
    expect(forecast.monthly_breakdown).toHaveLength(60);
    expect((await interest.aggregateYield({ user_id: owner })).by_vault).toHaveLength(MOST_VAULTS);
  });

  test('gets another vault after one is closed', async () => {
    const { vault_id, balance: amount } = (await vaultsOf(owner)).at(-1)!;
    await allocations.withdraw({ user_id: owner, vault_id, amount });
    await allocations.closeVault({ principal: anyKey, vault_id });
    await allocations.allocate({ user_id: owner, vault_type: 'FIXED', amount: 1, label: 'New' });
    expect(await vaultsOf(owner)).toHaveLength(MOST_VAULTS);
  });
});

test('of paychecks at once that would go beyond the limit, the first are calculated and the others are refused', async () => {
  const owner = 'hurried';
  await withVaults(owner, 400);
  const work = names(8).map((_, place) =>
    calculate(owner, addDays('2026-01-20', -place), names(50, 1_000 + place * 50)),
  );
  const codes = (await Promise.all(work.map(refusal))).map((refused) => refused?.code ?? 'calculated');
  expect(codes.filter((code) => code === 'calculated')).toHaveLength(2);
  expect(codes.filter((code) => code === 'too-many-vaults')).toHaveLength(6);
  expect(await vaultsOf(owner)).toHaveLength(MOST_VAULTS);
});

test('a vault with more allocations than one request can take gives up to the limit, and the rest in the next', async () => {
  const owner = 'hoarder';
  const vault_id = await withLots(owner, 1_300);
  const refused = { code: 'too-many-allocations', limit: MOST_LOTS, available: MOST_LOTS };
  const take = (amount: number) => allocations.withdraw({ user_id: owner, vault_id, amount });
  expect(await refusal(take(1_001))).toEqual(refused);
  const to = { to_vault_type: 'SAVINGS' as const, to_label: null };
  const move = { user_id: owner, from_vault_id: vault_id, amount: 1_300, ...to };
  expect(await refusal(allocations.transferBetweenVaults(move))).toEqual(refused);
  expect(await refusal(take(1_301))).toEqual({ code: 'insufficient-vault-balance', available: 1_300 });
  expect(await take(1_000)).toMatchObject({ vault_balance: 300 });
  expect(await take(300)).toMatchObject({ vault_balance: 0 });
});
