import type { Principal } from '../../domain/auth.ts';
import { SCOPES } from '../../domain/auth.ts';
import { pence } from '../../domain/money.ts';
import { addLot, ledgerFaults, lockOwner, openVault, postMovement } from '../../activities/ledger.ts';
import { query } from '../../infra/db/sql.ts';
import type { Services } from '../../infra/services.ts';

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
export const userOf = (userId: string): Principal => ({ kind: 'user', userId, familyId: 'fam_test', scopes: SCOPES });

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
