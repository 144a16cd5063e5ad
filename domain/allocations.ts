import { addDays, isCalendarDate, startOfLondonDay } from './dates.ts';
import { DomainError, invalidInput, requireNoFaults, type InputFault } from './errors.ts';
import { move, takeFromLots, type Leg, type Lot } from './ledger.ts';
import { pence, type Pence } from './money.ts';

/** The destination vault of a transfer, given by its id, or by its type and label. */
export type Destination<VaultType extends string> = { vaultId: string } | { vaultType: VaultType; label: string };

/** The destination of a transfer. A missing label counts as the empty string. @throws DomainError `invalid-request`. */
export function destinationOf<VaultType extends string>(named: {
  to_vault_id?: string;
  to_vault_type?: VaultType;
  to_label?: string | null;
}): Destination<VaultType> {
  requireNoFaults(destinationFaults(named));
  const { to_vault_id: vaultId, to_vault_type: vaultType, to_label: label } = named;
  return vaultId === undefined ? { vaultType: vaultType!, label: label ?? '' } : { vaultId };
}

/** Checks that a destination is named in exactly one way. Looks only at which fields are present. */
export function destinationFaults(named: {
  to_vault_id?: unknown;
  to_vault_type?: unknown;
  to_label?: unknown;
}): InputFault[] {
  const { to_vault_id: vaultId, to_vault_type: vaultType, to_label: label } = named;
  if (vaultId === undefined) {
    const none = { pointer: '/to_vault_id', detail: 'is required, unless you send to_vault_type' };
    return vaultType === undefined ? [none] : [];
  }
  const beside = [
    vaultType !== undefined && {
      pointer: '/to_vault_type',
      detail: 'cannot be combined with to_vault_id',
    },
    label !== undefined && {
      pointer: '/to_label',
      detail: 'cannot be combined with to_vault_id; send to_label only with to_vault_type',
    },
  ];
  return beside.filter((fault) => fault !== false);
}

/**
 * Builds the legs that move money into a vault.
 * @throws DomainError `exceeds-safe-to-spend` with `safe_to_spend_available`.
 */
export function allocationLegs(amount: Pence, vaultId: string, safeToSpend: Pence): Leg[] {
  if (amount > safeToSpend) {
    throw new DomainError(
      'exceeds-safe-to-spend',
      `Only ${safeToSpend} pence are safe to spend, but the request is for ${amount} pence.`,
      {
        safe_to_spend_available: safeToSpend,
      },
    );
  }
  return move(
    amount,
    { account: 'safe_to_spend', kind: 'allocation' },
    { account: 'vault', vaultId, kind: 'allocation' },
  );
}

/**
 * Builds the legs that move money from a vault back to the safe-to-spend balance. Call `drawFrom` to choose the
 * allocations that the money comes from.
 */
export function withdrawalLegs(amount: Pence, vaultId: string): Leg[] {
  return move(
    amount,
    { account: 'vault', vaultId, kind: 'withdrawal' },
    { account: 'safe_to_spend', kind: 'withdrawal' },
  );
}

/** Builds the legs that move money from one vault to another. @throws DomainError `same-vault`. */
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

/**
 * Takes an amount from allocations, oldest first.
 * @returns each allocation with the (negative) change to its money.
 * @throws DomainError `insufficient-vault-balance` with `available`.
 */
export function drawFrom(lots: readonly Lot[], amount: Pence): { allocationId: string; available: Pence }[] {
  return takeFromLots(lots, amount).map(({ allocationId, taken }) => ({ allocationId, available: pence(0 - taken) }));
}

/**
 * The period from `from` to `to`, both inclusive. A date means the whole day in London.
 * @returns the first instant of the period and the first instant after it. `start` is null if the request has no
 * `from`, and `end` is null if it has no `to`.
 * @throws DomainError `invalid-request` for a date or time that does not exist.
 */
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
