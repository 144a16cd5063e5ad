import { postMovement as postExpected } from '../../activities/ledger.ts';
import type { Leg } from '../../domain/ledger.ts';
import { pence } from '../../domain/money.ts';
import { lockOne } from '../../infra/db/locked-owner.ts';
import { lockOwner } from '../../infra/db/queries/ledger.ts';
import { withDatabase } from '../helpers/database.ts';
import { ownerSql } from '../helpers/owner.ts';
import {
  addLot,
  balancesOf,
  changeLots,
  expectSoundLedger,
  fund,
  moveMoney,
  openVault,
  planted,
  postMovement,
} from '../helpers/money.ts';

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
  moveMoney(services, ownerId, { kind: 'allocation', subjectId: 'test', at, legs });

beforeEach(() => {
  at = new Date();
});
afterEach(() => expectSoundLedger(services));

describe('a movement', () => {
  test('changes balances leg by leg, and returns each balance afterwards', async () => {
    const { balances } = await post(owner(), [
      leg('employer', -10),
      leg('income', 10),
      leg('income', -10),
      leg('safe_to_spend', 10),
    ]);
    expect(balances).toEqual([-10, 10, 0, 10]);
  });

  test('that does not balance is refused before it reaches the database', async () => {
    await expect(post(owner(), [leg('employer', -10), leg('income', 9)])).rejects.toThrow('do not balance');
  });

  test('of £0 stores nothing', async () => {
    const ownerId = owner();
    await expect(post(ownerId, [leg('buffer', 0)])).resolves.toMatchObject({ balances: [] });
    expect(await sql('select 1 from ledger_transfers where owner_id = $1', [ownerId])).toEqual([]);
  });

  test('that overdraws an account moves nothing', async () => {
    const ownerId = owner();
    await post(ownerId, [leg('employer', -10), leg('safe_to_spend', 10)]);
    await expect(post(ownerId, [leg('safe_to_spend', -11), leg('buffer', 11)])).rejects.toMatchObject({
      constraint: 'ledger_accounts_not_overdrawn',
    });
    expect(await balancesOf(services, ownerId)).toEqual({ employer: -10, safe_to_spend: 10 });
  });

  test.each(['employer', 'interest'] as const)('back to %s never exceeds what payees received', async (source) => {
    await expect(post(owner(), [leg('payees', -1), leg(source, 1)])).rejects.toMatchObject({
      constraint: 'ledger_accounts_not_overdrawn',
    });
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
    expect(
      await sql('select allocation_id, amount, available from allocations where owner_id = $1 order by seq', [ownerId]),
    ).toEqual([
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
        const movement = { kind: 'allocation', subjectId: 'test', at, legs } as const;
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
    const movement = {
      kind: 'withdrawal',
      subjectId: 'test',
      at,
      legs: [leg('employer', -1), leg('buffer', 1)],
    } as const;
    const allocationChanges = [{ allocationId: other.allocationId, available: pence(-1) }];
    await expect(moveMoney(services, ownerId, { ...movement, allocationChanges })).rejects.toThrow('must exist');
    expect(await balancesOf(services, ownerId)).toEqual({});
  });
});

describe('vaults and lots', () => {
  test('a vault is opened once for an owner, type and label', async () => {
    const ownerId = owner();
    const vault = { vaultType: 'SAVINGS', label: 'Holiday', at } as const;
    const open = () =>
      services.db.transaction(async (tx) => {
        const { owner } = await lockOne(tx, lockOwner(ownerId, at));
        return (await openVault(owner, services, vault)).vaultId;
      });
    const ids = await Promise.all(Array.from({ length: 8 }, open));
    expect(new Set(ids).size).toBe(1);
  });

  test('a lot never holds less than zero or more than its first amount', async () => {
    const { allocationId } = await fund(services, owner(), 100);
    const change = (by: number) => changeLots(services, [{ allocationId, change: pence(by) }]);
    await expect(change(-101)).rejects.toMatchObject({ constraint: 'allocations_available' });
    await expect(change(1)).rejects.toMatchObject({ constraint: 'allocations_available' });
    await expect(changeLots(services, [{ allocationId: 'alloc_unknown', change: pence(1) }])).rejects.toThrow(
      'does not exist',
    );
  });

  test('a lot needs a vault', async () => {
    const lot = { ownerId: owner(), vaultId: 'vlt_unknown', source: 'allocation', amount: pence(1), at } as const;
    await expect(addLot(services, lot)).rejects.toThrow('in no vault of its owner');
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
      await postMovement(owner, services, {
        kind: 'allocation',
        subjectId: 'test',
        at,
        legs: [leg('safe_to_spend', -4), leg('buffer', 4)],
      });
      order.push('first');
    });
    expect(await second).toBe(6);
    expect(order).toEqual(['first', 'second']);
  });
});

describe('the database itself refuses', () => {
  let ownerId = '';
  let accountId = 0;
  beforeAll(async () => {
    ownerId = owner();
    await post(ownerId, [leg('employer', -10), leg('safe_to_spend', 10)]);
    const [account] = await sql(
      `select account_id from ledger_accounts where owner_id = $1 and kind = 'safe_to_spend'`,
      [ownerId],
    );
    accountId = account!.account_id as number;
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
    await refused(raw([[5, 15]]), [ownerId, accountId]).toThrow('does not balance');
    await refused(
      raw([
        [5, 15],
        [-4, 11],
      ]),
      [ownerId, accountId],
    ).toThrow('does not balance');
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
  test('an account that begins with money', async () => {
    await refused(`insert into ledger_accounts (owner_id, kind, balance) values ($1, 'buffer', 5)`, [ownerId]).toThrow(
      'by a ledger entry only',
    );
  });
  test('an account of a kind that is not known, and a vault account without its vault', async () => {
    await refused(`insert into ledger_accounts (owner_id, kind) values ($1, 'pocket')`, [ownerId]).toMatchObject({
      constraint: 'ledger_accounts_kind',
    });
    await refused(`insert into ledger_accounts (owner_id, kind) values ($1, 'vault')`, [ownerId]).toMatchObject({
      constraint: 'ledger_accounts_vault',
    });
  });
  test('an account that changes its owner or kind', async () => {
    for (const change of [`kind = 'buffer'`, `owner_id = 'somebody-else'`, `vault_id = 'vlt_x'`])
      await refused(`update ledger_accounts set ${change} where account_id = $1`, [accountId]).toThrow(
        'stays what it was made as',
      );
  });
  test('an account that is deleted', async () => {
    await refused('delete from ledger_accounts where account_id = $1', [accountId]).toThrow('by a ledger entry only');
  });
  test.each(['ledger_entries', 'ledger_transfers', 'calculations', 'vaults', 'audit_events'])(
    'any change of a row in %s',
    async (table) => {
      await refused(`delete from ${table}`).toThrow('append-only');
      await refused(`truncate ${table} cascade`).toThrow('append-only');
      const [column] = await sql(`select column_name from information_schema.columns where table_name = $1 limit 1`, [
        table,
      ]);
      const name = column!.column_name as string;
      await refused(`update ${table} set ${name} = ${name}`).toThrow('append-only');
    },
  );
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
  test('a truncation of accounts', async () => {
    await refused('truncate ledger_accounts cascade').toThrow('by a ledger entry only');
  });
  test('and none of these attempts moved money', async () => {
    expect(await balancesOf(services, ownerId)).toEqual({ employer: -10, safe_to_spend: 10 });
  });
});

describe('ledgerFaults', () => {
  test('reports a balance that the schema’s owner changed without an entry', async () => {
    const ownerId = owner();
    await fund(services, ownerId, 100);
    const change = (by: number) =>
      sql(`update ledger_accounts set balance = balance + $2 where owner_id = $1 and kind = 'vault'`, [ownerId, by]);
    await change(1);
    const faults = await sql('select fault from ledger_faults() order by fault');
    expect(faults.map(({ fault }) => fault)).toEqual([
      'balance is not the sum of its entries',
      'owner does not add up to nothing',
      'vault is not the sum of its lots',
    ]);
    await change(-1);
  });

  test('reports a vault whose lots do not add up to its balance', async () => {
    const { allocationId, vaultId } = await fund(services, owner(), 100);
    await sql('update allocations set available = 99 where allocation_id = $1', [allocationId]);
    const faults = await sql('select fault, subject from ledger_faults()');
    expect(faults).toEqual([{ fault: 'vault is not the sum of its lots', subject: vaultId }]);
    await sql('update allocations set available = 100 where allocation_id = $1', [allocationId]);
  });

  test('reports a lot that is in no vault of its owner', async () => {
    const allocationId = services.newId('alloc');
    await sql('alter table allocations disable trigger allocations_in_vaults');
    await sql(
      `insert into allocations (allocation_id, owner_id, vault_id, source, amount, available, created_at)
       values ($1, 'nobody', 'nowhere', 'allocation', 1, 1, now())`,
      [allocationId],
    );
    await sql('alter table allocations enable trigger allocations_in_vaults');
    const faults = await sql('select fault, subject from ledger_faults()');
    expect(faults).toEqual([{ fault: 'lot is in no vault of its owner', subject: allocationId }]);
    await sql('delete from allocations where allocation_id = $1', [allocationId]);
  });
});
