import { postMovement as postExpected } from '../../activities/ledger.ts';
import type { Leg } from '../../domain/ledger.ts';
import { pence } from '../../domain/money.ts';
import { lockOne } from '../../infra/db/locked-owner.ts';
import { lockOwner } from '../../infra/db/queries/ledger.ts';
import { withDatabase } from '../helpers/database.ts';
import { ownerSql } from '../helpers/owner.ts';
import { balancesOf, expectSoundLedger, fund, moveMoney, planted, postMovement } from '../helpers/money.ts';

const services = withDatabase();
let at = new Date();
let count = 0;

const sql = (text: string, values: unknown[] = []) => ownerSql(services, text, values);
const refused = (text: string, values: unknown[] = []) => expect(sql(text, values)).rejects;
const owner = () => `owner-${(count += 1)}`;
const leg = (account: Leg['account'], amount: number, vaultId?: string): Leg => ({
  account,
  kind: 'allocation',
  amount: pence(amount),
  ...(vaultId === undefined ? {} : { vaultId }),
});
const post = (ownerId: string, legs: Leg[]) =>
  moveMoney(services, ownerId, { kind: 'paycheck', subjectId: 'test', at, legs });

beforeEach(() => {
  at = new Date();
});
afterEach(() => expectSoundLedger(services));

describe('a movement', () => {
  test('changes balances leg by leg, and returns each balance afterwards', async () => {
    const legs = [leg('employer', -10), leg('income', 10), leg('income', -10), leg('safe_to_spend', 10)];
    expect((await post(owner(), legs)).balances).toEqual([-10, 10, 0, 10]);
  });

  test('of £0 stores nothing', async () => {
    const ownerId = owner();
    await expect(post(ownerId, [leg('buffer', 0)])).resolves.toMatchObject({ balances: [] });
    expect(await sql('select 1 from ledger_transfers where owner_id = $1', [ownerId])).toEqual([]);
  });

  test('back from payees never exceeds what they received', async () => {
    const legs = [leg('payees', -1), leg('safe_to_spend', 1)];
    const returned = moveMoney(services, owner(), { kind: 'payment_returned', subjectId: 'test', at, legs });
    await expect(returned).rejects.toMatchObject({ constraint: 'ledger_accounts_not_overdrawn' });
  });

  test('makes its vaults and lots, and changes lots, in the same statement', async () => {
    const ownerId = owner();
    const { vaultId, allocationId } = await fund(services, ownerId, 100);
    const newVault = services.newId('vlt');
    const newLot = services.newId('alloc');
    await moveMoney(services, ownerId, {
      kind: 'transfer',
      subjectId: 'test',
      at,
      legs: [leg('vault', -30, vaultId), leg('vault', 30, newVault)],
      newVaults: [{ vaultId: newVault, vaultType: 'SAVINGS', label: 'new' }],
      newAllocations: [{ allocationId: newLot, vaultId: newVault, source: 'transfer', amount: pence(30) }],
      allocationChanges: [{ allocationId, available: pence(-30) }],
    });
    const lots = 'select allocation_id, amount, available from allocations where owner_id = $1 order by seq';
    expect(await sql(lots, [ownerId])).toEqual([
      { allocation_id: allocationId, amount: 100, available: 70 },
      { allocation_id: newLot, amount: 30, available: 30 },
    ]);
  });

  test('that leaves balances other than expected is refused as a whole', async () => {
    const ownerId = owner();
    await fund(services, ownerId, 100);
    const before = await balancesOf(services, ownerId);
    const legs = [leg('employer', -1), leg('buffer', 1)];
    const ahead = (told: (leg: Leg) => number) =>
      services.db.transaction(async (tx) => {
        const { owner } = await lockOne(tx, lockOwner(ownerId, at));
        const movement = { kind: 'paycheck', subjectId: 'test', at, legs } as const;
        return postExpected(owner, services, movement, (of) => pence(told(of)));
      });
    const held = ({ account }: Leg) => before[account] ?? 0;
    await expect(ahead((of) => held(of) + 1)).rejects.toThrow('does not tell the balance after it');
    expect(await balancesOf(services, ownerId)).toEqual(before);
    expect(await ahead(held)).toEqual(legs.map((of) => held(of) + of.amount));
    const posted = await sql('select transfer_id from ledger_transfers where owner_id = $1', [ownerId]);
    for (const { transfer_id } of posted) planted.add(transfer_id as string);
  });

  test('that names another owner’s lot is refused as a whole', async () => {
    const ownerId = owner();
    const other = await fund(services, owner(), 100);
    const legs = [leg('employer', -1), leg('buffer', 1)];
    const movement = { kind: 'paycheck_revision', subjectId: 'test', at, legs } as const;
    const allocationChanges = [{ allocationId: other.allocationId, available: pence(-1) }];
    await expect(moveMoney(services, ownerId, { ...movement, allocationChanges })).rejects.toThrow('must exist');
    expect(await balancesOf(services, ownerId)).toEqual({});
  });
});

describe('vaults and lots', () => {
  test('a lot never holds less than zero or more than its first amount', async () => {
    const { allocationId } = await fund(services, owner(), 100);
    const text = 'update allocations set available = available + $2 where allocation_id = $1';
    const change = (by: number) => sql(text, [allocationId, by]);
    await expect(change(-101)).rejects.toMatchObject({ constraint: 'allocations_available' });
    await expect(change(1)).rejects.toMatchObject({ constraint: 'allocations_available' });
  });
});

describe('lockOwner', () => {
  test('creates an unknown owner once, with zero balances', async () => {
    const ownerId = owner();
    const lock = () => services.db.transaction((tx) => lockOne(tx, lockOwner(ownerId, at)));
    const locked = await Promise.all(Array.from({ length: 8 }, lock));
    for (const { owner: _owner, ...figures } of locked) {
      expect(figures).toEqual({ buffer_rate: null, safe_to_spend: 0, buffer: 0, in_flight: 0 });
    }
  });

  test('makes others wait until the transaction ends, and then gives them the new balances', async () => {
    const ownerId = owner();
    await post(ownerId, [leg('employer', -10), leg('safe_to_spend', 10)]);
    const order: string[] = [];
    const another = () =>
      services.db.transaction(async (tx) => {
        const { safe_to_spend } = await lockOne(tx, lockOwner(ownerId, at));
        order.push('second');
        return safe_to_spend;
      });
    let second: Promise<number> | undefined;
    await services.db.transaction(async (tx) => {
      const { owner } = await lockOne(tx, lockOwner(ownerId, at));
      second = another();
      await new Promise((resolve) => setTimeout(resolve, 100));
      const legs = [leg('safe_to_spend', -4), leg('buffer', 4)];
      await postMovement(owner, services, { kind: 'paycheck', subjectId: 'test', at, legs });
      order.push('first');
    });
    expect(await second).toBe(6);
    expect(order).toEqual(['first', 'second']);
  });
});

describe('the database itself refuses', () => {
  const ownerId = 'owner-of-money';
  const ownAccount = `select account_id from ledger_accounts where owner_id = '${ownerId}' and kind = 'safe_to_spend'`;
  let accountId = 0;
  beforeAll(async () => {
    await post(ownerId, [leg('employer', -10), leg('safe_to_spend', 10)]);
    accountId = (await sql(ownAccount))[0]!.account_id as number;
  });
  const raw = (entries: [amount: number, balanceAfter: number][], transferOf = '$1') =>
    `with t as (insert into ledger_transfers (transfer_id, owner_id, kind, subject_id, created_at)
                values ('raw', ${transferOf}, 'allocation', 'x', now()) returning transfer_id)
     insert into ledger_entries (entry_id, transfer_id, account_id, owner_id, kind, amount, balance_after, created_at)
     select 'raw' || place, t.transfer_id, $2, $1, 'allocation', amount, balance, now()
       from t, unnest(array[${entries.map(([amount]) => amount).join(',')}]::bigint[],
                      array[${entries.map(([, balance]) => balance).join(',')}]::bigint[])
               with ordinality as given (amount, balance, place)`;

  test('entries that do not balance', async () => {
    const [more, less] = [[5, 15] as [number, number], [-4, 11] as [number, number]];
    for (const entries of [[more], [more, less]])
      await refused(raw(entries), [ownerId, accountId]).toThrow('does not balance');
  });
  test('an entry that overdraws an account, even if the next one fills it up again', async () => {
    const there = [-11, -1] as [number, number];
    const overdrawn = { constraint: 'ledger_accounts_not_overdrawn' };
    await refused(raw([there, [11, 10]]), [ownerId, accountId]).toMatchObject(overdrawn);
    const legs = [leg('safe_to_spend', -11), leg('safe_to_spend', 11)];
    await expect(post(ownerId, legs)).rejects.toMatchObject(overdrawn);
  });
  test('an entry with a wrong balance afterwards', async () => {
    const lie = [5, 16] as [number, number];
    await refused(raw([lie, [-5, 10]]), [ownerId, accountId]).toThrow('does not tell the balance');
  });
  test('an entry of £0', async () => {
    await refused(raw([[0, 10]]), [ownerId, accountId]).toMatchObject({ constraint: 'ledger_entries_not_nothing' });
  });
  test('an entry on the account of another owner', async () => {
    const entries: [number, number][] = [
      [5, 15],
      [-5, 10],
    ];
    await refused(raw(entries), ['somebody-else', accountId]).toThrow('on no account of its owner');
    await refused(raw(entries, `'somebody-else'`), [ownerId, accountId]).toThrow('no transfer of its owner');
  });

  const insert = (columns: string, values: string) => `insert into ledger_accounts (${columns}) values (${values})`;
  const change = (set: string) => `update ledger_accounts set ${set} where account_id = (${ownAccount})`;
  test.each([
    [
      'an account that begins with money',
      insert('owner_id, kind, balance', `'o', 'buffer', 5`),
      'by a ledger entry only',
    ],
    ['an account of an unknown kind', insert('owner_id, kind', `'o', 'pocket'`), 'ledger_accounts_kind'],
    ['an account of no named vault', insert('owner_id, kind', `'o', 'vault'`), 'names it, or neither'],
    ['an account that changes its kind', change(`kind = 'buffer'`), 'stays what it was made as'],
    ['an account that changes its owner', change(`owner_id = 'somebody-else'`), 'stays what it was made as'],
    ['an account that changes its vault', change(`vault_id = 'vlt_x'`), 'stays what it was made as'],
    [
      'an account that is deleted',
      `delete from ledger_accounts where account_id = (${ownAccount})`,
      'by a ledger entry only',
    ],
    ['an account that is truncated', 'truncate ledger_accounts cascade', 'by a ledger entry only'],
  ])('%s', async (_what, text, message) => {
    await refused(text).toThrow(message);
  });

  test.each('ledger_entries ledger_transfers calculations audit_events debt_plan_revisions debt_payments'.split(' '))(
    'any change of a row in %s',
    async (table) => {
      await refused(`delete from ${table}`).toThrow('append-only');
      await refused(`truncate ${table} cascade`).toThrow('append-only');
      const columns = 'select column_name from information_schema.columns where table_name = $1 limit 1';
      const name = (await sql(columns, [table]))[0]!.column_name as string;
      await refused(`update ${table} set ${name} = ${name}`).toThrow('append-only');
    },
  );
  test('a vault that goes, changes more than its label, holds money when it is closed, or is opened again', async () => {
    const { vaultId } = await fund(services, owner(), 100);
    const set = (what: string) => refused(`update vaults set ${what} where vault_id = $1`, [vaultId]);
    await refused('delete from vaults').toThrow('append-only');
    for (const what of [`vault_type = 'SAVINGS'`, `owner_id = 'somebody-else'`, 'created_at = now()'])
      await set(what).toThrow('only the label');
    await set('closed_at = now()').toThrow('holds money');
    const [empty] = await sql(
      `insert into vaults (vault_id, owner_id, vault_type, label, created_at, closed_at)
       select 'vlt_empty', owner_id, vault_type, label, now(), now() from vaults where vault_id = $1 returning vault_id`,
      [vaultId],
    );
    for (const what of ['closed_at = null', `label = 'Other'`])
      await refused(`update vaults set ${what} where vault_id = $1`, [empty!.vault_id]).toThrow('only the label');
  });

  test('a lot without a vault or in another owner’s vault, and a lot that changes its vault', async () => {
    const [mine, other] = await Promise.all([fund(services, owner(), 100), fund(services, owner(), 100)]);
    const lot = `insert into allocations (allocation_id, owner_id, vault_id, source, amount, available, created_at)
                 select $1, l.owner_id, $2, 'allocation', 1, 1, now() from allocations l where l.allocation_id = $3`;
    for (const vaultId of ['nowhere', other.vaultId])
      await refused(lot, [services.newId('alloc'), vaultId, mine.allocationId]).toThrow('in no vault of its owner');
    await refused('update allocations set vault_id = $1 where allocation_id = $2', [
      other.vaultId,
      mine.allocationId,
    ]).toThrow('stays in its vault');
  });
  test('and none of these attempts moved money', async () => {
    expect(await balancesOf(services, ownerId)).toEqual({ employer: -10, safe_to_spend: 10 });
  });
});

describe('ledgerFaults', () => {
  const faults = () => sql('select fault, subject from ledger_faults() order by fault');
  // Runs the statement, reports the faults, and undoes it.
  async function faultsAfter(change: string, undo: string) {
    await sql(change);
    return faults().finally(() => sql(undo));
  }

  test('reports a balance that the schema’s owner changed without an entry', async () => {
    const ownerId = owner();
    await fund(services, ownerId, 100);
    const change = (by: string) =>
      `update ledger_accounts set balance = balance ${by} where owner_id = '${ownerId}' and kind = 'vault'`;
    expect((await faultsAfter(change('+ 1'), change('- 1'))).map(({ fault }) => fault)).toEqual([
      'balance is not the sum of its entries',
      'owner does not add up to nothing',
      'vault is not the sum of its lots',
    ]);
  });

  test('reports a vault whose lots do not add up to its balance', async () => {
    const { allocationId, vaultId } = await fund(services, owner(), 100);
    const change = (to: number) => `update allocations set available = ${to} where allocation_id = '${allocationId}'`;
    const fault = { fault: 'vault is not the sum of its lots', subject: vaultId };
    expect(await faultsAfter(change(99), change(100))).toEqual([fault]);
  });

  test('reports a lot that is in no vault of its owner', async () => {
    await sql('alter table allocations disable trigger allocations_in_vaults');
    const insert = `insert into allocations (allocation_id, owner_id, vault_id, source, amount, available, created_at)
                    values ('alloc_lost', 'nobody', 'nowhere', 'allocation', 1, 1, now())`;
    const fault = { fault: 'lot is in no vault of its owner', subject: 'alloc_lost' };
    expect(await faultsAfter(insert, `delete from allocations where allocation_id = 'alloc_lost'`)).toEqual([fault]);
    await sql('alter table allocations enable trigger allocations_in_vaults');
  });
});
