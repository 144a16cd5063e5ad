import { balanced, balancesAfter, type Leg, type TransferKind, type VaultType } from '../domain/ledger.ts';
import type { Pence } from '../domain/money.ts';
import type { LockedOwner } from '../infra/db/locked-owner.ts';
import { post, type Moved } from '../infra/db/queries/ledger.ts';
import type { Services } from '../infra/services.ts';

export interface NewVault {
  vaultId: string;
  vaultType: VaultType;
  label: string;
}

export interface NewAllocation {
  allocationId: string;
  vaultId: string;
  source: AllocationSource;
  amount: Pence;
}

/** Signed changes, in pence. A revision of the paycheck also changes `amount`. */
export interface AllocationChange {
  allocationId: string;
  available: Pence;
  amount?: Pence;
}

export type AllocationSource = 'paycheck' | 'allocation' | 'transfer' | 'interest';

export interface Movement {
  kind: TransferKind;
  subjectId: string;
  at: Date;
  legs: readonly Leg[];
  newVaults?: readonly NewVault[];
  newAllocations?: readonly NewAllocation[];
  allocationChanges?: readonly AllocationChange[];
}

/**
 * Does not wait for the database, which rolls the transaction back if the balances are not as expected.
 * @param before returns the balance of a leg's account before the movement, as read under the owner's lock.
 * @returns the balance after each leg that moved money.
 */
export function postMovement(
  owner: LockedOwner,
  services: Pick<Services, 'newId'>,
  movement: Movement,
  before: (leg: Leg) => Pence,
): Pence[] {
  const balances = balancesAfter(movement.legs, before);
  void owner.run(post(movedBy(owner, services, movement, balances)));
  return balances;
}

/** `balances` has the balance after each leg, if the balances are known. */
export function movedBy(
  owner: LockedOwner,
  { newId }: Pick<Services, 'newId'>,
  { kind, subjectId, at, legs, newVaults = [], newAllocations = [], allocationChanges = [] }: Movement,
  balances?: readonly Pence[],
): Moved {
  return {
    transfer_id: newId('mov'),
    owner_id: owner.id,
    kind,
    subject_id: subjectId,
    at,
    legs: balanced(legs).map((leg, index) => ({
      entry_id: newId('ent'),
      account: leg.account,
      vault_id: leg.vaultId ?? '',
      kind: leg.kind,
      amount: leg.amount,
      balance: balances?.[index] ?? null,
    })),
    vaults: newVaults.map(({ vaultId, vaultType, label }) => ({ vault_id: vaultId, vault_type: vaultType, label })),
    allocations: newAllocations.map(({ allocationId, vaultId, source, amount }) => {
      return { allocation_id: allocationId, vault_id: vaultId, source, amount };
    }),
    changes: allocationChanges.map(({ allocationId, amount = 0, available }) => {
      return { allocation_id: allocationId, amount, available };
    }),
  };
}
