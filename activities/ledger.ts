import { balanced, balancesAfter, type Leg, type TransferKind, type VaultType } from '../domain/ledger.ts';
import type { Pence } from '../domain/money.ts';
import { post, type Moved } from '../infra/db/statements/ledger.ts';
import type { Services } from '../infra/services.ts';

export interface NewVault {
  vaultId: string;
  vaultType: VaultType;
  label: string;
}

export interface NewLot {
  allocationId: string;
  vaultId: string;
  source: LotSource;
  amount: Pence;
}

/** Signed changes, in pence. A revision of the paycheck also changes `amount`. */
export interface LotChange {
  allocationId: string;
  available: Pence;
  amount?: Pence;
}

export type LotSource = 'paycheck' | 'allocation' | 'transfer' | 'interest';

export interface Movement {
  ownerId: string;
  kind: TransferKind;
  subjectId: string;
  at: Date;
  legs: readonly Leg[];
  newVaults?: readonly NewVault[];
  newLots?: readonly NewLot[];
  lotChanges?: readonly LotChange[];
}

/**
 * Lock the owner before reading the balances. Does not wait for the database, which rolls the transaction back if the
 * balances are not as expected.
 * @param before returns the balance of a leg's account before the movement.
 * @returns the balance after each leg that moved money.
 */
export async function postMovementAhead(
  ledger: Pick<Services, 'db' | 'newId'>,
  movement: Movement,
  before: (leg: Leg) => Pence,
): Promise<Pence[]> {
  const told = balancesAfter(movement.legs, before);
  await ledger.db.send(post(movedBy(ledger, movement, told)));
  return told;
}

/** `told` has the balance after each leg, if the balances are known. */
export function movedBy(
  { newId }: Pick<Services, 'newId'>,
  { legs, newVaults = [], newLots = [], lotChanges = [], ...movement }: Movement,
  told?: readonly Pence[],
): Moved {
  return {
    ...movement,
    transferId: newId('mov'),
    legs: balanced(legs).map((leg, place) => ({
      entryId: newId('ent'),
      account: leg.account,
      vaultId: leg.vaultId ?? '',
      kind: leg.kind,
      amount: leg.amount,
      balance: told?.[place] ?? null,
    })),
    vaults: newVaults,
    lots: newLots,
    changes: lotChanges.map(({ allocationId, amount = 0, available }) => ({ allocationId, amount, available })),
  };
}
