import { addDays, isCalendarDate, startOfLondonDay } from './dates.ts';
import { DomainError, exactlyOne, invalidInput, requireNoFaults, type InputFault } from './errors.ts';
import { drawFrom, insufficientBalance, move, type Allocation, type Leg, type VaultType } from './ledger.ts';
import { sum, type Pence } from './money.ts';

export type Destination = { vaultId: string } | { vaultType: VaultType; label: string };

/** A missing label counts as the empty string. */
export function destinationOf(named: {
  to_vault_id?: string;
  to_vault_type?: VaultType;
  to_label?: string | null;
}): Destination {
  requireNoFaults(destinationFaults(named));
  const { to_vault_id: vaultId, to_vault_type: vaultType, to_label: label } = named;
  return vaultId === undefined ? { vaultType: vaultType!, label: label ?? '' } : { vaultId };
}

/** Looks at which fields are present, not at their values. */
export function destinationFaults(named: {
  to_vault_id?: unknown;
  to_vault_type?: unknown;
  to_label?: unknown;
}): InputFault[] {
  const { to_vault_id, to_vault_type, to_label } = named;
  const faults = exactlyOne({ to_vault_id, to_vault_type });
  if (to_vault_id === undefined || to_label === undefined) return faults;
  const detail = 'cannot be combined with to_vault_id; send to_label only with to_vault_type';
  return [...faults, { pointer: '/to_label', detail }];
}

export function allocationLegs(amount: Pence, vaultId: string, safeToSpend: Pence): Leg[] {
  if (amount > safeToSpend) {
    throw new DomainError(
      'exceeds-safe-to-spend',
      `Only ${safeToSpend} pence are safe to spend, but the request is for ${amount} pence.`,
      { safe_to_spend_available: safeToSpend },
    );
  }
  return move(
    amount,
    { account: 'safe_to_spend', kind: 'allocation' },
    { account: 'vault', vaultId, kind: 'allocation' },
  );
}

/** Also call `drawFrom`, which chooses the allocations that the money comes from. */
export function withdrawalLegs(amount: Pence, vaultId: string): Leg[] {
  return move(
    amount,
    { account: 'vault', vaultId, kind: 'withdrawal' },
    { account: 'safe_to_spend', kind: 'withdrawal' },
  );
}

export function transferLegs(amount: Pence, fromVaultId: string, toVaultId: string): Leg[] {
  if (fromVaultId === toVaultId) {
    throw new DomainError('same-vault', 'Both vaults are the same. Name a different vault to transfer the money to.');
  }
  return move(
    amount,
    { account: 'vault', vaultId: fromVaultId, kind: 'transfer_out' },
    { account: 'vault', vaultId: toVaultId, kind: 'transfer_in' },
  );
}

/** Real people have far fewer. Reading an owner's balances or interest reads all vaults, and closed ones too. */
export const MOST_VAULTS = 500;
export const MOST_VAULTS_EVER = 2_000;

export type VaultsHeld = readonly [open: number, ever: number];

export function requireWithinVaultLimit([open, ever]: VaultsHeld, more: number): void {
  if (more === 0) return;
  requireRoom(open, more, MOST_VAULTS, 'open vaults');
  requireRoom(ever, more, MOST_VAULTS_EVER, 'vaults, of which closed ones count too');
}

function requireRoom(held: number, more: number, limit: number, what: string): void {
  if (held + more <= limit) return;
  throw new DomainError(
    'too-many-vaults',
    `An owner can have at most ${limit} ${what}. This owner has ${held}, and the request would make ${more} more.`,
    { limit },
  );
}

export function labelTaken(vaultId: string): DomainError {
  return new DomainError('label-taken', 'Another open vault of the owner has this type and label.', {
    vault_id: vaultId,
  });
}

/** In pence. `inFlight` left the vault in payments that can still fail, and `unposted` is interest. */
export interface VaultMoney {
  balance: Pence;
  inFlight: Pence;
  unposted: Pence;
}

export function requireEmptyVault({ balance, inFlight, unposted }: VaultMoney): void {
  if (balance === 0 && inFlight === 0 && unposted === 0) return;
  throw new DomainError(
    'vault-not-empty',
    `The vault holds ${balance} pence, ${inFlight} pence are on their way in payments, and ${unposted} pence of interest are not posted yet.`,
    { balance, in_flight: inFlight, unposted },
  );
}

/** The SQL function `allocations_to_take` returns at most so many allocations. */
export const MOST_ALLOCATIONS_TAKEN = 1_000;

/**
 * The changes returned are negative. `allocations` are the oldest allocations of the vault.
 * @throws DomainError `insufficient-vault-balance` or `too-many-allocations`, both with `available`.
 */
export function drawFromVault(allocations: readonly Allocation[], amount: Pence, balance: Pence): Allocation[] {
  if (amount > balance) throw insufficientBalance(balance, amount);
  const available = sum(allocations.map((allocation) => allocation.available));
  if (amount > available) {
    throw new DomainError(
      'too-many-allocations',
      `One request can take money from at most ${MOST_ALLOCATIONS_TAKEN} allocations. The oldest ${allocations.length} allocations of this vault hold ${available} pence.`,
      { limit: MOST_ALLOCATIONS_TAKEN, available },
    );
  }
  return drawFrom(allocations, amount);
}

/** Both ends are inclusive. A date means the whole London day. `end` is the first instant after the period. */
export function periodOf(from: string | undefined, to: string | undefined): { start: Date | null; end: Date | null } {
  return {
    start: from === undefined ? null : isDay(from, '/query/from') ? startOfLondonDay(from) : new Date(from),
    end:
      to === undefined
        ? null
        : isDay(to, '/query/to')
          ? startOfLondonDay(addDays(to, 1))
          : new Date(Date.parse(to) + 1),
  };
}

function isDay(text: string, pointer: string): boolean {
  const day = text.slice(0, 10);
  if (!isCalendarDate(day)) throw invalidInput(pointer, 'must be a date that exists');
  if (text === day) return true;
  if (Number.isNaN(Date.parse(text))) throw invalidInput(pointer, 'must be a time that exists');
  return false;
}
