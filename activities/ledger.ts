import { balanced, balancesAfter, type Leg, type TransferKind, type VaultType } from '../domain/ledger.ts';
import { pence, type Pence } from '../domain/money.ts';
import * as statements from '../infra/db/statements/ledger.ts';
import type { Moved } from '../infra/db/statements/ledger.ts';
import type { Services } from '../infra/services.ts';

/** An owner whose row is locked until the transaction ends: nobody else moves its money meanwhile. */
export interface LockedOwner {
  ownerId: string;
  bufferRate: string | null;
  safeToSpend: Pence;
  buffer: Pence;
  inFlight: Pence;
}

/** A vault that a movement makes. */
export interface NewVault {
  vaultId: string;
  vaultType: VaultType;
  label: string;
}

/** A lot that a movement fills. */
export interface NewLot {
  allocationId: string;
  vaultId: string;
  source: LotSource;
  amount: Pence;
}

/** What becomes of a lot: `available` changes by money that comes or goes, `amount` only when a paycheck is revised. */
export interface LotChange {
  allocationId: string;
  available: Pence;
  amount?: Pence;
}

export type LotSource = 'paycheck' | 'allocation' | 'transfer' | 'interest';

/**
 * A movement to post: what it is, what caused it (an id of ours), its legs, and the vaults and lots that it makes or changes.
 * All of it is one statement.
 */
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

type Ledger = Pick<Services, 'db' | 'newId'>;

/**
 * Locks an owner, making it known if it is new. Every movement starts here, so that an owner's movements come one
 * after the other and the figures read after it hold until the commit.
 */
export async function lockOwner({ db }: Ledger, ownerId: string, at: Date): Promise<LockedOwner> {
  const row = await db.one(statements.lockOwner(ownerId, at));
  return {
    ownerId,
    bufferRate: row.buffer_rate,
    safeToSpend: pence(row.safe_to_spend),
    buffer: pence(row.buffer),
    inFlight: pence(row.in_flight),
  };
}

/**
 * Posts a movement: balances change by its legs, in their order, and the entries are there for ever. Where no leg moves
 * anything there is no transfer. It is for an owner whose balances were read under the lock, and does not wait for the database,
 * which refuses the whole transaction should the balances after it be others than those told here. `before` is what the account
 * of a leg holds.
 * @returns the balance after each leg that moved something.
 */
export async function postMovementAhead(
  ledger: Ledger,
  movement: Movement,
  before: (leg: Leg) => Pence,
): Promise<Pence[]> {
  const told = balancesAfter(movement.legs, before);
  await ledger.db.send(statements.post(movedBy(ledger, movement, told)));
  return told;
}

/** What a movement does, as the database takes it: with the balance that each leg tells, where these are known beforehand. */
export function movedBy(
  { newId }: Pick<Services, 'newId'>,
  { ownerId, kind, subjectId, at, legs, newVaults = [], newLots = [], lotChanges = [] }: Movement,
  told?: readonly Pence[],
): Moved {
  return {
    transferId: newId('mov'),
    ownerId,
    kind,
    subjectId,
    at,
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

/** What the ledger's own rules find wrong; an empty list is what must come back. Reads every entry. */
export async function ledgerFaults({ db }: Pick<Services, 'db'>): Promise<{ fault: string; subject: string }[]> {
  return db.many(statements.ledgerFaults());
}
