import type { Principal } from '../../domain/auth.ts';
import { SCOPES } from '../../domain/auth.ts';
import type { VaultType } from '../../domain/ledger.ts';
import { pence, type Pence } from '../../domain/money.ts';
import { ledgerFaults, lockOwner, movedBy, type LotSource, type Movement } from '../../activities/ledger.ts';
import { query } from '../../infra/db/sql.ts';
import { moveFrom, movedValues } from '../../infra/db/statements/ledger.ts';
import type { Services } from '../../infra/services.ts';
import { TEST_FAMILY } from './database.ts';

/** An API key's principal with every scope. */
export const anyKey: Principal = {
  kind: 'api_key',
  keyId: 'key_test',
  appId: 'app_test',
  lineage: 'key_test',
  environment: 'sandbox',
  scopes: SCOPES,
};

/** A user's principal with every scope. */
export const userOf = (userId: string): Principal => ({ kind: 'user', userId, familyId: TEST_FAMILY, scopes: SCOPES });

const move = query<{ balances: string[] }>('test.move', `select ${moveFrom(1)} as balances`);

/** Posts a movement for an owner of whom nothing was read. @returns its id and the balance after each leg that moved something. */
export async function postMovement(
  services: Pick<Services, 'db' | 'newId'>,
  movement: Movement,
): Promise<{ transferId: string; balances: Pence[] }> {
  const moved = movedBy(services, movement);
  const { balances } = await services.db.one(move, movedValues([moved]));
  return { transferId: moved.transferId, balances: balances.map((balance) => pence(Number(balance))) };
}

/** Gives an owner an allocation of that many pence in a vault for bills. @returns its ids. */
export async function fund(
  services: Services,
  ownerId: string,
  amount: number,
): Promise<{ allocationId: string; vaultId: string }> {
  return services.db.transaction(async () => {
    const at = await services.clock.now();
    await lockOwner(services, ownerId, at);
    const { vaultId } = await openVault(services, { ownerId, vaultType: 'FIXED', label: 'bills', at });
    await postMovement(services, {
      ownerId,
      kind: 'paycheck',
      subjectId: 'calc_test',
      at,
      legs: [
        { account: 'employer', kind: 'allocation', amount: pence(-amount) },
        { account: 'vault', vaultId, kind: 'allocation', amount: pence(amount) },
      ],
    });
    const allocationId = await addLot(services, { ownerId, vaultId, source: 'paycheck', amount: pence(amount), at });
    return { allocationId, vaultId };
  });
}

const balances = query<{ kind: string; balance: number }>(
  'test.balances',
  'select kind, sum(balance)::bigint as balance from ledger_accounts where owner_id = $1 group by kind',
);

/** An owner's pence by kind of account. */
export async function balancesOf(services: Services, ownerId: string): Promise<Record<string, number>> {
  const rows = await services.db.many(balances, [ownerId]);
  return Object.fromEntries(rows.map(({ kind, balance }) => [kind, balance]));
}

/** @throws when the ledger's own rules find anything wrong. */
export async function expectSoundLedger(services: Services): Promise<void> {
  expect(await ledgerFaults(services)).toEqual([]);
}

const vaultByName = query<{ vault_id: string }>(
  'test.vaultByName',
  'select vault_id from vaults where owner_id = $1 and vault_type = $2 and label = $3',
);
const insertVault = query(
  'test.insertVault',
  'insert into vaults (vault_id, owner_id, vault_type, label, created_at) values ($1, $2, $3, $4, $5)',
);
const insertLot = query(
  'test.insertLot',
  `insert into allocations (allocation_id, owner_id, vault_id, source, amount, available, created_at)
   values ($1, $2, $3, $4, $5, $5, $6)`,
);
const changeAvailable = query(
  'test.changeLots',
  `update allocations l set available = l.available + change.amount
     from unnest($1::text[], $2::bigint[]) as change (allocation_id, amount)
    where l.allocation_id = change.allocation_id`,
);

/** The owner's vault of that type and label, made step by step if it is not there. The owner is locked. */
export async function openVault(
  { db, newId }: Services,
  vault: { ownerId: string; vaultType: VaultType; label: string; at: Date },
): Promise<{ vaultId: string }> {
  const found = await db.maybe(vaultByName, [vault.ownerId, vault.vaultType, vault.label]);
  if (found) return { vaultId: found.vault_id };
  const vaultId = newId('vlt');
  await db.run(insertVault, [vaultId, vault.ownerId, vault.vaultType, vault.label, vault.at]);
  return { vaultId };
}

/** A lot written straight into the table, for what the table itself must refuse. @returns its `alloc_` id. */
export async function addLot(
  { db, newId }: Services,
  lot: { ownerId: string; vaultId: string; source: LotSource; amount: Pence; at: Date },
): Promise<string> {
  const allocationId = newId('alloc');
  await db.run(insertLot, [allocationId, lot.ownerId, lot.vaultId, lot.source, lot.amount, lot.at]);
  return allocationId;
}

/** Lots changed straight in the table. @throws when one is not there. */
export async function changeLots(
  { db }: Services,
  changes: readonly { allocationId: string; change: Pence }[],
): Promise<void> {
  const changed = await db.run(changeAvailable, [
    changes.map(({ allocationId }) => allocationId),
    changes.map(({ change }) => change),
  ]);
  if (changed !== changes.length) throw new Error('a lot of money that must exist does not');
}
