import type { DomainError } from '../../domain/errors.ts';
import { allocationsOf, interestOf, paychecksOf } from '../helpers/activities.ts';
import { openTestServices } from '../helpers/database.ts';
import { anyKey } from '../helpers/money.ts';
import { AMOUNT, codeOf, FUNDS, newOwner, refusal, withPayments } from '../helpers/paying.ts';
import { textQuery } from '../helpers/text-query.ts';

const { bank, clock, services, pay } = withPayments();
const allocations = allocationsOf(services);
const paychecks = paychecksOf(services);

const principal = anyKey;
const audited = textQuery<{ kind: string; data: object }>(
  'test.vaultAudited',
  'select kind, data from audit_events where subject = $1 order by subject_seq',
);
const vaultsOf = async (user_id: string) => (await allocations.listVaults({ user_id })).vaults;
const rename = (vault_id: string, label: string | null) => allocations.renameVault({ principal, vault_id, label });
const close = (vault_id: string) => allocations.closeVault({ principal, vault_id });
const calculate = (employee_id: string, rent: number) =>
  paychecks.calculatePaycheck({
    ...{ principal, employee_id, gross_pay: 1_000, pay_date: '2026-11-20', buffer_rate: '0' },
    obligations: [{ type: 'Rent', amount: rent, category: 'FIXED' }],
  });

/** An owner with `safe` pence that are safe to spend, and one penny in the FIXED vault Rent. */
async function saver(safe = 999) {
  const user_id = newOwner();
  const rent = [{ type: 'Rent', amount: 1, category: 'FIXED' as const }];
  const wage = { employee_id: user_id, gross_pay: safe + 1, buffer_rate: '0', obligations: rent };
  const [vault] = (await paychecks.calculatePaycheck({ principal, ...wage })).vaults;
  const { vault_id } = vault!;
  const put = (label: string | null = 'Rent', amount = 1) =>
    allocations.allocate({ user_id, vault_type: 'FIXED', amount, label });
  const empty = (amount = 1, id = vault_id) => allocations.withdraw({ user_id, vault_id: id, amount });
  return { user_id, vault_id, put, empty };
}

describe('renameVault', () => {
  test('gives a vault and its history a new label, and is audited without it; money for the old label opens a vault', async () => {
    const { user_id, vault_id, put } = await saver();
    const home = { vault_id, vault_type: 'FIXED', label: 'Home', balance: 1, annual_rate: '0' };
    expect(await rename(vault_id, 'Home')).toEqual(home);
    expect(await rename(vault_id, 'Home')).toEqual(home);
    const { items } = await allocations.listAllocationHistory({ user_id });
    expect(items).toMatchObject([{ vault_id, label: 'Home' }]);
    expect((await put()).vault_id).not.toBe(vault_id);
    expect((await put('Home')).vault_id).toBe(vault_id);
    const data = { owner_id: user_id, vault_type: 'FIXED' };
    expect(await services.db.many(audited(vault_id))).toEqual([{ kind: 'allocations.vault-renamed', data }]);
    expect(await rename(vault_id, null)).toMatchObject({ label: null });
  });

  test('refuses the label of another open vault of the type, and any label for a closed vault', async () => {
    const { user_id, vault_id, put, empty } = await saver();
    const food = await put('Food');
    await allocations.allocate({ user_id, vault_type: 'SAVINGS', amount: 1, label: 'Trip' });
    expect(await refusal(rename(vault_id, 'Food'))).toEqual({ code: 'label-taken', vault_id: food.vault_id });
    expect(await rename(vault_id, 'Trip')).toMatchObject({ label: 'Trip' });
    await empty(1, food.vault_id);
    await close(food.vault_id);
    expect(await rename(vault_id, 'Food')).toMatchObject({ label: 'Food' });
    expect(await codeOf(rename(food.vault_id, 'New'))).toBe('vault-closed');
  });

  test('keeps the allocations of a paycheck: a revision changes them where they are, and makes no vault', async () => {
    const user_id = newOwner();
    const { vault_id, allocation_id } = (await calculate(user_id, 500)).vaults[0]!;
    await rename(vault_id, 'Home');
    expect((await calculate(user_id, 300)).vaults).toMatchObject([{ vault_id, allocation_id }]);
    expect(await vaultsOf(user_id)).toMatchObject([{ vault_id, label: 'Home', balance: 300 }]);
  });

  test('a revision puts no more money into a vault that was closed', async () => {
    const user_id = newOwner();
    const { vault_id } = (await calculate(user_id, 500)).vaults[0]!;
    await allocations.withdraw({ user_id, vault_id, amount: 500 });
    await close(vault_id);
    expect(await codeOf(calculate(user_id, 600))).toBe('vault-closed');
    expect((await calculate(user_id, 500)).vaults).toMatchObject([{ vault_id }]);
    expect(await vaultsOf(user_id)).toEqual([]);
  });

  test('loses no penny of forty allocations that two processes make meanwhile, and no label is open twice', async () => {
    const { user_id, vault_id, put } = await saver(40);
    const other = await openTestServices(services.config.database.url, { clock, bank });
    const there = allocationsOf(other);
    const changes = ['A', 'Rent', 'B'].map((label) => there.renameVault({ principal, vault_id, label }));
    const done = await Promise.allSettled([...Array.from({ length: 40 }, () => put()), ...changes]);
    await other.close();
    const refused = done.flatMap((one) => (one.status === 'rejected' ? [(one.reason as DomainError).code] : []));
    expect(refused.filter((code) => code !== 'label-taken')).toEqual([]);
    const vaults = await vaultsOf(user_id);
    expect(vaults.reduce((sum, { balance }) => sum + balance, 0)).toBe(41);
    expect(new Set(vaults.map(({ label }) => label)).size).toBe(vaults.length);
  });
});

describe('closeVault', () => {
  test('takes an empty vault from the list, once; its history stays, and its label opens a new vault', async () => {
    const { user_id, vault_id, put, empty } = await saver();
    expect(await refusal(close(vault_id))).toEqual({ code: 'vault-not-empty', balance: 1, in_flight: 0, unposted: 0 });
    await empty();
    await Promise.all([close(vault_id), close(vault_id)]);
    await close(vault_id);
    expect(await vaultsOf(user_id)).toEqual([]);
    expect((await allocations.listAllocationHistory({ user_id, vault_id })).items).toHaveLength(2);
    const { by_vault } = await interestOf(services).aggregateYield({ user_id });
    expect(by_vault).toMatchObject([{ vault_id, closed_at: '2026-11-21T12:00:00.000Z' }]);
    expect(await services.db.many(audited(vault_id))).toMatchObject([{ kind: 'allocations.vault-closed' }]);
    const again = await put();
    expect(again.vault_id).not.toBe(vault_id);
    const move = { user_id, from_vault_id: again.vault_id, to_vault_id: vault_id, amount: 1 };
    expect(await codeOf(allocations.transferBetweenVaults(move))).toBe('vault-closed');
  });

  test('waits for the payments from the vault; what comes back later is in the list until it is moved', async () => {
    const scheduled = await pay({ execute_on: '2026-12-01' });
    const { owner: user_id, vaultId: vault_id } = scheduled;
    await allocations.withdraw({ user_id, vault_id, amount: FUNDS - AMOUNT });
    const inFlight = { code: 'vault-not-empty', balance: 0, in_flight: AMOUNT, unposted: 0 };
    expect(await refusal(close(vault_id))).toEqual(inFlight);
    await scheduled.cancel();
    await allocations.withdraw({ user_id, vault_id, amount: AMOUNT });
    const sent = await pay({ owner: user_id });
    await allocations.withdraw({ user_id, vault_id, amount: FUNDS - AMOUNT });
    expect(await refusal(close(vault_id))).toEqual(inFlight);
    await sent.submitTo('ACSC');
    await close(vault_id);
    expect(await vaultsOf(user_id)).toEqual([]);
    await sent.tell('ACCC returned');
    const closed_at = '2026-11-21T12:00:00.000Z';
    expect(await vaultsOf(user_id)).toMatchObject([{ vault_id, balance: AMOUNT, closed_at }]);
    await allocations.withdraw({ user_id, vault_id, amount: AMOUNT });
    expect(await vaultsOf(user_id)).toEqual([]);
  });

  test('leaves no money behind while forty allocations come and go', async () => {
    const { user_id, vault_id, put, empty } = await saver(40);
    await empty();
    const comeAndGo = async () => {
      const made = await put();
      await allocations.withdraw({ ...made, amount: 1 });
      return codeOf(close(made.vault_id));
    };
    const codes = await Promise.all([codeOf(close(vault_id)), ...Array.from({ length: 40 }, comeAndGo)]);
    expect(codes.filter((code) => code !== 'done' && code !== 'vault-not-empty')).toEqual([]);
    const { safe_to_spend, vaults } = await allocations.listVaults({ user_id });
    expect([safe_to_spend, vaults.filter(({ closed_at }) => closed_at !== undefined)]).toEqual([41, []]);
  });

  // Must be last, because the interest ends after the day on which other tests begin.
  test('waits for interest that is not posted', async () => {
    const user_id = newOwner();
    const wage = { employee_id: user_id, gross_pay: 1_000_000, buffer_rate: '0', obligations: [] };
    await paychecks.calculatePaycheck({ principal, ...wage });
    const { vault_id } = await allocations.allocate({ user_id, vault_type: 'SAVINGS', amount: 1_000_000 });
    clock.set('2026-11-23T12:00:00Z');
    await allocations.withdraw({ user_id, vault_id, amount: 1_000_000 });
    expect(await refusal(close(vault_id))).toEqual({
      ...{ code: 'vault-not-empty', balance: 0, in_flight: 0, unposted: 225 },
    });
    await interestOf(services).accrueYield({ vault_id });
    await allocations.withdraw({ user_id, vault_id, amount: 225 });
    await close(vault_id);
    expect(await vaultsOf(user_id)).toEqual([]);
  });
});
