import fc from 'fast-check';
import { allocate, transferBetweenVaults, withdraw } from '../../activities/allocations.ts';
import { calculatePaycheck } from '../../activities/paycheck/index.ts';
import { ledgerFaults } from '../../infra/db/queries/ledger.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import { DomainError } from '../../domain/errors.ts';
import { allocationsOf, paychecksOf } from '../helpers/activities.ts';
import { movableClock } from '../helpers/clock.ts';
import { openTestServices, withDatabase } from '../helpers/database.ts';
import { anyKey, expectSoundLedger } from '../helpers/money.ts';
import { commands, createModel, type Command, type Outcome } from '../helpers/money-model.ts';

const clock = movableClock();
const services = withDatabase({ clock });
const paychecks = paychecksOf(services);
const allocations = allocationsOf(services);

let count = 0;
async function owner(safeToSpend = 0): Promise<string> {
  const user_id = `owner-${(count += 1)}`;
  if (safeToSpend > 0) {
    const wage = { employee_id: user_id, gross_pay: safeToSpend, obligations: [], buffer_rate: '0' };
    await paychecks.calculatePaycheck({ principal: anyKey, ...wage });
  }
  return user_id;
}

const id = (prefix: string): unknown => expect.stringMatching(new RegExp(`^${prefix}_`));
const created_at = '2026-11-21T09:30:00.000Z';
const refused = (work: Promise<unknown>, code: string, extra = {}) =>
  expect(work).rejects.toMatchObject({ code, extra });

beforeEach(() => clock.set(created_at));

describe('allocate', () => {
  test('moves money from safe to spend into a new lot of the vault of that type and label', async () => {
    const user_id = await owner(1_000);
    const first = await allocations.allocate({ user_id, vault_type: 'SAVINGS', amount: 300, label: 'Holiday' });
    expect(first).toEqual({
      ...{ allocation_id: id('alloc'), user_id, vault_id: id('vlt'), vault_type: 'SAVINGS', label: 'Holiday' },
      ...{ amount: 300, available: 300, safe_to_spend_remaining: 700, created_at },
    });
    const second = await allocations.allocate({ user_id, vault_type: 'SAVINGS', amount: 700, label: 'Holiday' });
    expect(second).toMatchObject({ vault_id: first.vault_id, safe_to_spend_remaining: 0 });
    expect(second.allocation_id).not.toBe(first.allocation_id);
  });

  test('keeps vaults of other types, other labels and no label apart', async () => {
    const user_id = await owner(10);
    const vaults = [
      { vault_type: 'SAVINGS', label: 'A' },
      { vault_type: 'FIXED', label: 'A' },
      { vault_type: 'SAVINGS', label: 'a' },
      { vault_type: 'SAVINGS', label: null },
    ] as const;
    for (const vault of vaults) await allocations.allocate({ user_id, amount: 1, ...vault });
    await allocations.allocate({ user_id, amount: 1, vault_type: 'SAVINGS' });
    expect((await allocations.listVaults({ user_id })).vaults).toMatchObject([
      { ...vaults[0], balance: 1, annual_rate: '0.0410' },
      { ...vaults[1], balance: 1, annual_rate: '0' },
      { ...vaults[2], balance: 1, annual_rate: '0.0410' },
      { ...vaults[3], balance: 2, annual_rate: '0.0410' },
    ]);
  });
});

describe('withdraw', () => {
  async function twoLots() {
    const user_id = await owner(100);
    const old = await allocations.allocate({ user_id, vault_type: 'FIXED', amount: 60 });
    const young = await allocations.allocate({ user_id, vault_type: 'FIXED', amount: 40 });
    return { user_id, vault_id: old.vault_id, old: old.allocation_id, young: young.allocation_id };
  }

  test('returns money to safe to spend, from the oldest lots first', async () => {
    const { user_id, vault_id, old, young } = await twoLots();
    expect(await allocations.withdraw({ user_id, vault_id, amount: 70 })).toEqual({
      ...{ withdrawal_id: id('wdr'), vault_id, amount: 70, vault_balance: 30, safe_to_spend_remaining: 70, created_at },
    });
    const left = (allocation_id: string) =>
      allocations
        .withdraw({ user_id, vault_id, amount: 1_000, allocation_id })
        .catch((error: unknown) => (error as DomainError).extra);
    expect([await left(old), await left(young)]).toEqual([{ available: 0 }, { available: 30 }]);
  });

  test('takes from the named allocation only', async () => {
    const { user_id, vault_id, young } = await twoLots();
    const named = (amount: number) => allocations.withdraw({ user_id, vault_id, amount, allocation_id: young });
    expect(await named(40)).toMatchObject({ vault_balance: 60 });
    await refused(named(1), 'insufficient-vault-balance', { available: 0 });
  });

  test('refuses more than the vault holds, and does not find what belongs to another owner or vault', async () => {
    const [{ user_id, vault_id }, theirs] = [await twoLots(), await twoLots()];
    const withdraw = (more: object) => allocations.withdraw({ user_id, vault_id, amount: 1, ...more });
    await refused(withdraw({ amount: 101 }), 'insufficient-vault-balance', { available: 100 });
    const transfer = { user_id, from_vault_id: vault_id, to_vault_type: 'SAVINGS', amount: 1 } as const;
    const { to_allocation_id } = await allocations.transferBetweenVaults(transfer);
    for (const other of [theirs.vault_id, 'vlt_unknown']) await refused(withdraw({ vault_id: other }), 'not-found');
    for (const allocation_id of [theirs.old, to_allocation_id, 'alloc_unknown'])
      await refused(withdraw({ allocation_id }), 'unknown-allocation');
  });
});

describe('transferBetweenVaults', () => {
  async function funded() {
    const user_id = await owner(100);
    const { vault_id } = await allocations.allocate({ user_id, vault_type: 'FIXED', amount: 80, label: 'From' });
    return { user_id, from_vault_id: vault_id };
  }

  const transfer = (from: { user_id: string; from_vault_id: string }, to: object, amount: number) =>
    allocations.transferBetweenVaults({ ...from, ...to, amount });

  test('makes a new allocation in the other vault, and opens that vault if it is given by type and label', async () => {
    const from = await funded();
    const { user_id, from_vault_id } = from;
    const first = await transfer(from, { to_vault_type: 'SAVINGS', to_label: 'To' }, 30);
    expect(first).toEqual({
      ...{ transfer_id: id('tra'), from_vault_id, to_vault_id: id('vlt'), to_allocation_id: id('alloc') },
      ...{ amount: 30, from_balance: 50, to_balance: 30, created_at },
    });
    const { to_vault_id } = first;
    expect(await transfer(from, { to_vault_id }, 50)).toMatchObject({ from_balance: 0, to_balance: 80 });
    const back = await transfer(
      { user_id, from_vault_id: to_vault_id },
      { to_vault_type: 'FIXED', to_label: 'From' },
      80,
    );
    expect(back).toMatchObject({ to_vault_id: from_vault_id, from_balance: 0, to_balance: 80 });
  });

  test('does not find another owner’s vault as source or destination', async () => {
    const [mine, theirs] = [await funded(), await funded()];
    const stolen = { ...mine, from_vault_id: theirs.from_vault_id };
    for (const to of [{ to_vault_id: theirs.from_vault_id }, { to_vault_id: 'vlt_unknown' }])
      await refused(transfer(mine, to, 1), 'not-found');
    for (const to of [{ to_vault_id: mine.from_vault_id }, { to_vault_type: 'FIXED' }])
      await refused(transfer(stolen, to, 1), 'not-found');
  });
});

describe('the history', () => {
  test('shows every vault entry, newest first, with the balance after it', async () => {
    const employee_id = await owner();
    const obligations = [{ type: 'Rent', amount: 400, category: 'FIXED' as const }];
    const wage = { principal: anyKey, employee_id, gross_pay: 1_000, obligations };
    const { vaults } = await paychecks.calculatePaycheck(wage);
    const user_id = employee_id;
    const rent = { vault_id: vaults[0]!.vault_id, vault_type: 'FIXED', label: 'Rent' };
    clock.set('2026-11-22T00:00:00.000Z');
    await allocations.withdraw({ user_id, vault_id: rent.vault_id, amount: 100 });
    clock.set('2026-11-23T00:00:00.000Z');
    const { to_vault_id } = await allocations.transferBetweenVaults({
      ...{ user_id, from_vault_id: rent.vault_id, to_vault_type: 'SAVINGS', amount: 50 },
    });
    const savings = { vault_id: to_vault_id, vault_type: 'SAVINGS', label: null };

    const { items, next_cursor } = await allocations.listAllocationHistory({ user_id });
    expect(items.map(({ entry_id, ...item }) => (entry_id.startsWith('ent_') ? item : null))).toEqual([
      { ...savings, kind: 'transfer_in', amount: 50, balance_after: 50, created_at: '2026-11-23T00:00:00.000Z' },
      { ...rent, kind: 'transfer_out', amount: -50, balance_after: 250, created_at: '2026-11-23T00:00:00.000Z' },
      { ...rent, kind: 'withdrawal', amount: -100, balance_after: 300, created_at: '2026-11-22T00:00:00.000Z' },
      { ...rent, kind: 'allocation', amount: 400, balance_after: 400, created_at: '2026-11-21T09:30:00.000Z' },
    ]);
    expect(next_cursor).toBeNull();

    const kinds = async (filter: object) =>
      (await allocations.listAllocationHistory({ user_id, ...filter })).items.map(({ kind }) => kind);
    expect(await kinds({ kind: 'withdrawal' })).toEqual(['withdrawal']);
    expect(await kinds({ vault_id: to_vault_id })).toEqual(['transfer_in']);
    expect(await kinds({ vault_id: to_vault_id, kind: 'withdrawal' })).toEqual([]);
    expect(await kinds({ from: '2026-11-22', to: '2026-11-22' })).toEqual(['withdrawal']);
    expect(await kinds({ to: '2026-11-22T00:00:00Z' })).toEqual(['withdrawal', 'allocation']);
    expect(await kinds({ from: '2026-11-23T00:00:00.001Z' })).toEqual([]);
    const strangers = await allocations.listAllocationHistory({ user_id: await owner(5), vault_id: rent.vault_id });
    expect(strangers).toEqual({ items: [], next_cursor: null });
  });

  test('pages without a gap or a repeat while new entries come in', async () => {
    const user_id = await owner(100);
    for (let amount = 1; amount <= 7; amount += 1) await allocations.allocate({ user_id, vault_type: 'FIXED', amount });
    const seen: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await allocations.listAllocationHistory({ user_id, limit: 3, ...(cursor && { cursor }) });
      seen.push(...page.items.map(({ amount }) => amount));
      cursor = page.next_cursor ?? undefined;
      await allocations.allocate({ user_id, vault_type: 'FIXED', amount: 10 });
    } while (cursor !== undefined);
    expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1]);
  });
});

describe('at the same time, from two processes', () => {
  /** Calls the activities of each process in turn. */
  async function atOnce<T>(count: number, work: (by: ReturnType<typeof allocationsOf>, index: number) => Promise<T>) {
    const other = await openTestServices(services.config.database.url, { clock });
    const both = [allocations, allocationsOf(other)];
    const calls = Array.from({ length: count }, (_, index) => work(both[(index >> 1) % 2]!, index));
    return Promise.allSettled(calls).finally(() => other.close());
  }
  const isDone = ({ status }: PromiseSettledResult<unknown>) => status === 'fulfilled';

  test('of 40 allocations that together exceed what is safe to spend, exactly those that fit succeed', async () => {
    const user_id = await owner(1_000);
    const results = await atOnce(40, (by, index) =>
      by.allocate({ user_id, vault_type: 'SAVINGS', amount: 70, label: `V${index % 3}` }),
    );
    const remaining = results.flatMap((result) =>
      result.status === 'fulfilled' ? [result.value.safe_to_spend_remaining] : [],
    );
    expect(remaining.toSorted((a, b) => b - a)).toEqual(Array.from({ length: 14 }, (_, index) => 930 - 70 * index));
    for (const result of results) {
      if (result.status === 'rejected')
        expect(result.reason).toMatchObject({ code: 'exceeds-safe-to-spend', extra: { safe_to_spend_available: 20 } });
    }
    const { safe_to_spend, vaults } = await allocations.listVaults({ user_id });
    expect(safe_to_spend).toBe(20);
    expect(vaults.map(({ balance }) => balance).reduce((a, b) => a + b)).toBe(980);
    expect(vaults).toHaveLength(3);
    await expectSoundLedger(services);
  });

  test('withdrawals from one vault never exceed its balance', async () => {
    const user_id = await owner(100);
    const { vault_id } = await allocations.allocate({ user_id, vault_type: 'FIXED', amount: 100 });
    const results = await atOnce(20, (by) => by.withdraw({ user_id, vault_id, amount: 9 }));
    expect(results.filter(isDone)).toHaveLength(11);
    expect(await allocations.listVaults({ user_id })).toMatchObject({ safe_to_spend: 99, vaults: [{ balance: 1 }] });
    await expectSoundLedger(services);
  });

  test('transfers in opposite directions all succeed without a deadlock', async () => {
    const user_id = await owner(2_000);
    const [left, right] = await Promise.all(
      ['left', 'right'].map((label) => allocations.allocate({ user_id, vault_type: 'FIXED', amount: 1_000, label })),
    );
    const results = await atOnce(40, (by, index) => {
      const [from, to] = index % 2 === 0 ? [left!, right!] : [right!, left!];
      const transfer = { user_id, from_vault_id: from.vault_id, to_vault_id: to.vault_id, amount: 7 };
      return by.transferBetweenVaults(transfer);
    });
    expect(results.every(isDone)).toBe(true);
    const { vaults } = await allocations.listVaults({ user_id });
    expect(vaults).toMatchObject([{ balance: 1_000 }, { balance: 1_000 }]);
    await expectSoundLedger(services);
  });

  test('first allocations of a new owner into a new vault open it once', async () => {
    const user_id = await owner(100);
    await atOnce(10, (by) => by.allocate({ user_id, vault_type: 'SAVINGS', amount: 10, label: 'New' }));
    expect((await allocations.listVaults({ user_id })).vaults).toMatchObject([{ label: 'New', balance: 100 }]);
  });
});

describe('any commands in any order', () => {
  test('balances, lots and refusals are those of a simple model, and the ledger is sound after every step', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(commands, { minLength: 1, maxLength: 20 }), async (history) => {
        const user_id = await owner();
        const model = createModel();
        const ids = new Map<string, string>();
        for (const command of history) {
          const expected = model.apply(command);
          expect(await outcomeOf(user_id, command, ids)).toEqual(expected);
          expect(await balancesOf(user_id)).toEqual(model.balances());
          expect(await services.db.many(ledgerFaults())).toEqual([]);
        }
      }),
      { numRuns: 40 },
    );
  });

  test('the same is true for several owners whose movements share transactions', async () => {
    const histories = fc.array(fc.array(commands, { minLength: 1, maxLength: 8 }), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(histories, async (all) => {
        const owners = all.map((history) => ({
          history,
          user_id: `owner-${(count += 1)}`,
          model: createModel(),
          ids: new Map<string, string>(),
        }));
        for (let step = 0; step < 8; step += 1) {
          await Promise.all(
            owners.map(async ({ history, user_id, model, ids }) => {
              const command = history[step];
              if (command === undefined) return;
              const expected = model.apply(command);
              const move = () => services.db.groupTransaction((tx) => outcomeOrRefusal(tx, user_id, command, ids));
              expect(await move().catch(refusalOf)).toEqual(expected);
            }),
          );
        }
        for (const { user_id, model } of owners) expect(await balancesOf(user_id)).toEqual(model.balances());
        expect(await services.db.many(ledgerFaults())).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });

  test('of many simultaneous movements of the same money, as many succeed as there is money for', async () => {
    const [first, second] = [await owner(20), await owner(7)];
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, index) => {
        const user_id = index % 2 === 0 ? first : second;
        const one = { user_id, vault_type: 'SAVINGS', amount: 1, label: 'A' } as const;
        return services.db.groupTransaction((tx) => allocate(tx, services, one)).then(() => user_id, refusalOf);
      }),
    );
    expect(outcomes.filter((outcome) => outcome === first)).toHaveLength(20);
    expect(outcomes.filter((outcome) => outcome === second)).toHaveLength(7);
    const refused = outcomes.filter((outcome) => typeof outcome === 'object');
    expect(refused).toEqual(Array(33).fill({ code: 'exceeds-safe-to-spend', safe_to_spend_available: 0 }));
    await expectSoundLedger(services);
  });

  async function balancesOf(user_id: string) {
    const { vaults, safe_to_spend, buffer, in_flight } = await allocations.listVaults({ user_id });
    const held = vaults.map((vault) => [`${vault.vault_type} ${vault.label ?? ''}`, vault.balance]);
    return { safe_to_spend, buffer, in_flight, vaults: Object.fromEntries(held) as Record<string, number> };
  }

  const outcomeOf = (user_id: string, command: Command, ids: Map<string, string>) =>
    services.db.transaction((tx) => outcomeOrRefusal(tx, user_id, command, ids)).catch(refusalOf);

  function refusalOf(error: unknown): Outcome {
    if (error instanceof DomainError) return { code: error.code, ...error.extra };
    throw error;
  }

  async function outcomeOrRefusal(
    tx: Tx,
    user_id: string,
    command: Command,
    ids: Map<string, string>,
  ): Promise<Outcome> {
    const idOf = (vault: string) => ids.get(vault) ?? 'vlt_unknown';
    if (command.kind === 'calculate') {
      const { kind: _kind, ...wage } = command;
      const { vaults } = await calculatePaycheck(tx, services, { principal: anyKey, employee_id: user_id, ...wage });
      for (const vault of vaults) ids.set(`${vault.category} ${vault.type}`, vault.vault_id);
    } else if (command.kind === 'allocate') {
      const { vault_type, label, amount } = command;
      const { vault_id } = await allocate(tx, services, { user_id, vault_type, label, amount });
      ids.set(`${vault_type} ${label}`, vault_id);
    } else if (command.kind === 'withdraw') {
      await withdraw(tx, services, { user_id, vault_id: idOf(command.vault), amount: command.amount });
    } else {
      const { vault_type: to_vault_type, label: to_label, amount } = command;
      const from = { user_id, from_vault_id: idOf(command.vault) };
      const moved = await transferBetweenVaults(tx, services, { ...from, to_vault_type, to_label, amount });
      ids.set(`${to_vault_type} ${to_label}`, moved.to_vault_id);
    }
    return 'done';
  }
});
