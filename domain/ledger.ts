import { DomainError } from './errors.ts';
import { least, pence, sum, type Pence } from './money.ts';

/** The first five accounts belong to the owner and are never negative. The last three stand for the outside world. */
export type AccountKind =
  'income' | 'safe_to_spend' | 'buffer' | 'vault' | 'in_flight' | 'employer' | 'payees' | 'interest';

export const ENTRY_KINDS = [
  'allocation',
  'withdrawal',
  'transfer_in',
  'transfer_out',
  'payment',
  'payment_returned',
  'interest',
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

export type TransferKind =
  | 'paycheck'
  | 'paycheck_revision'
  | 'allocation'
  | 'withdrawal'
  | 'transfer'
  | 'payment'
  | 'payment_completed'
  | 'payment_failed'
  | 'payment_cancelled'
  | 'payment_returned'
  | 'interest';

export const VAULT_TYPES = ['FIXED', 'SAVINGS', 'DISCRETIONARY'] as const;
export type VaultType = (typeof VAULT_TYPES)[number];

/** Positive amounts enter the account. Only `vault` accounts have a `vaultId`. */
export interface Leg {
  account: AccountKind;
  vaultId?: string;
  kind: EntryKind;
  amount: Pence;
}

export function move(amount: Pence, from: Omit<Leg, 'amount'>, to: Omit<Leg, 'amount'>): Leg[] {
  return [
    { ...from, amount: pence(0 - amount) },
    { ...to, amount },
  ];
}

/** Removes legs of zero pence. @throws RangeError if the legs do not add up to zero. */
export function balanced(legs: readonly Leg[]): Leg[] {
  if (sum(legs.map((leg) => leg.amount)) !== 0) throw new RangeError('the legs of a movement do not balance');
  return legs.filter((leg) => leg.amount !== 0);
}

/** For each non-zero leg. `before` gives an account's balance before the movement. */
export function balancesAfter(legs: readonly Leg[], before: (leg: Leg) => Pence): Pence[] {
  const held = new Map<string, Pence>();
  return balanced(legs).map((leg) => {
    const account = `${leg.account} ${leg.vaultId ?? ''}`;
    const after = sum([held.get(account) ?? before(leg), leg.amount]);
    held.set(account, after);
    return after;
  });
}

export interface Allocation {
  allocationId: string;
  available: Pence;
}

export function insufficientBalance(available: Pence, amount: Pence): DomainError {
  return new DomainError(
    'insufficient-vault-balance',
    `Only ${available} pence are available, but the request is for ${amount} pence.`,
    { available },
  );
}

/** `allocations` must be oldest first. The changes returned are negative. @throws DomainError `insufficient-vault-balance`. */
export function drawFrom(allocations: readonly Allocation[], amount: Pence): Allocation[] {
  const available = sum(allocations.map((allocation) => allocation.available));
  if (available < amount) throw insufficientBalance(available, amount);
  const changes: Allocation[] = [];
  let missing = amount;
  for (const allocation of allocations) {
    if (missing === 0) break;
    const part = least(allocation.available, missing);
    if (part > 0) changes.push({ allocationId: allocation.allocationId, available: pence(0 - part) });
    missing = pence(missing - part);
  }
  return changes;
}
