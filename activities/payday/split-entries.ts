import type { Principal } from '../../domain/auth.ts';
import { londonDateOf } from '../../domain/dates.ts';
import { earliestMonth, paysFrom, renamesOf, type Changes, type Matched } from '../../domain/payday/changes.ts';
import type { LockedOwner } from '../../infra/db/locked-owner.ts';
import { openVaultNamed } from '../../infra/db/queries/allocations.ts';
import type { EntryRow } from '../../infra/db/queries/payday.ts';
import type { OrderedBy } from '../../infra/db/queries/payment-changes.ts';
import * as queries from '../../infra/db/queries/standing-splits.ts';
import type { NewEntry, PayeeOfEntry } from '../../infra/db/queries/standing-splits.ts';
import { changeLabel } from '../allocation-vaults.ts';
import { requirePayee } from '../payments/payees.ts';
import type { ChangeServices } from '../payments/record.ts';
import { cancelUnwanted, paidMonths } from './bills.ts';
import { entryColumns } from './split-rows.ts';

interface ChangedEntries {
  changes: Changes;
  /** The stored entries before. */
  rows: readonly EntryRow[];
  principal: Principal;
  orderedBy: OrderedBy;
  at: Date;
}

/** Stores the entries, cancels the payments that nobody wants any more, and renames vaults with their entries. */
export async function changeEntries(owner: LockedOwner, services: ChangeServices, given: ChangedEntries) {
  const { changes, orderedBy, at } = given;
  const { tx, id } = owner;
  const payees = await payeesOf(owner, given);
  const accountOf = ({ wanted }: Matched) => payees.get(wanted.providerId ?? '')?.account_fingerprint ?? '';
  const paid = await paidMonths(owner, earliestMonth(londonDateOf(at)));
  const known = new Map(given.rows.map((row) => [row.entry_id, row]));
  const caller = { ...orderedBy, set_by: orderedBy.requested_by, updated_at: at.toISOString() };
  const stored = changes.entries.map((entry, position): NewEntry => {
    const before = known.get(entry.wanted.entryId ?? '');
    const { set_by, client_id, family_id, updated_at } = before && !entry.isChanged ? before : caller;
    return {
      entry_id: before?.entry_id ?? services.newId('ent'),
      owner_id: id,
      position,
      ...entryColumns(entry.wanted),
      pays_from: paysFrom(entry, paid.get(accountOf(entry))),
      ...{ set_by, client_id, family_id, updated_at },
      created_at: before?.created_at ?? caller.updated_at,
    };
  });
  if (stored.length > 0) await tx.run(queries.storeEntries(stored));
  const dropped = changes.dropped.map(({ entryId }) => entryId);
  if (dropped.length > 0) await tx.run(queries.dropEntries(dropped, at));
  const by = { actor: caller.set_by, at };
  const cancelled = await cancelUnwanted(owner, services, { accounts: new Set(changes.entries.map(accountOf)), ...by });
  await renameVaults(owner, services, { changes, ...by });
  const changed = changes.entries.filter(({ isChanged }) => isChanged).length;
  const counts = { entries: stored.length, changed, dropped: dropped.length, payments_cancelled: cancelled };
  return { stored, counts };
}

/** By their ids. An entry that stays as it was is not checked again. @throws DomainError `unknown-provider`. */
async function payeesOf({ tx, id }: LockedOwner, { changes, principal }: ChangedEntries) {
  const bills = changes.entries.filter(({ wanted }) => wanted.providerId !== null);
  const ids = [...new Set(bills.map(({ wanted }) => wanted.providerId!))];
  const found = ids.length === 0 ? [] : await tx.many(queries.payeesOfEntries(ids));
  const payees = new Map<string, PayeeOfEntry>(found.map((row) => [row.provider_id, row]));
  for (const { wanted, isChanged } of bills) {
    const payee = payees.get(wanted.providerId!);
    if (isChanged) requirePayee(payee?.removed_at === null ? payee : undefined, { principal, ownerId: id });
  }
  return payees;
}

interface Renaming {
  changes: Changes;
  actor: string;
  at: Date;
}

/** So that what was set aside stays with its entry. If there is another vault of that name, it gets the money from now on. */
async function renameVaults(owner: LockedOwner, services: ChangeServices, { changes, ...by }: Renaming): Promise<void> {
  for (const { category, from, to } of renamesOf(changes)) {
    const named = { owner_id: owner.id, vault_type: category };
    const vault = await owner.tx.maybe(openVaultNamed({ ...named, label: from }));
    if (!vault || (await owner.tx.maybe(openVaultNamed({ ...named, label: to })))) continue;
    await changeLabel(owner, services, { vault, label: to, ...by });
  }
}
