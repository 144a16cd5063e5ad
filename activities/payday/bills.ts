import type { CalendarDate } from '../../domain/dates.ts';
import type { LockedOwner } from '../../infra/db/locked-owner.ts';
import * as queries from '../../infra/db/queries/standing-splits.ts';
import { cancelAll } from '../payments/pending.ts';
import type { ChangeServices } from '../payments/record.ts';

/**
 * Cancels the waiting payments of standing splits to accounts that no entry pays any more.
 * @param accounts the fingerprints of the accounts that the entries pay
 * @returns the number of cancelled payments.
 */
export async function cancelUnwanted(
  { tx, id }: LockedOwner,
  services: ChangeServices,
  { accounts, actor, at }: { accounts: ReadonlySet<string>; actor: string; at: Date },
): Promise<number> {
  const pending = await tx.many(queries.pendingBills(id));
  const unwanted = pending.filter(({ account_fingerprint }) => !accounts.has(account_fingerprint));
  const ids = unwanted.map(({ payment_id }) => payment_id);
  const detail = 'Cancelled, because the standing split no longer pays this payee.';
  return cancelAll(tx, services, ids, { actor, detail, at });
}

/** By the fingerprint of the account, the last month that the owner's standing splits have paid or scheduled. */
export async function paidMonths({ tx, id }: LockedOwner, earliest: CalendarDate): Promise<Map<string, CalendarDate>> {
  const paid = await tx.many(queries.paidThrough(id, earliest));
  return new Map(paid.map(({ account_fingerprint, month }) => [account_fingerprint, month]));
}
