import { lockOne, type LockedOwner } from '../../infra/db/locked-owner.ts';
import { lockOwner } from '../../infra/db/queries/ledger.ts';
import { entriesOf, splitOf, type SplitRow } from '../../infra/db/queries/payday.ts';
import { deleteSplit, dropEntries, storeSplit } from '../../infra/db/queries/standing-splits.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import type { ChangeServices } from '../payments/record.ts';
import { cancelUnwanted } from './bills.ts';

export interface LockedSplit {
  owner: LockedOwner;
  split: SplitRow;
  at: Date;
}

/** Locks the owner, but only if there is a standing split: a lock creates the owner. */
export async function lockSplit(
  tx: Tx,
  { clock }: Pick<Services, 'clock'>,
  ownerId: string,
): Promise<LockedSplit | undefined> {
  if (!(await tx.maybe(splitOf(ownerId)))) return undefined;
  const at = await clock.now(tx);
  const { owner } = await lockOne(tx, lockOwner(ownerId, at));
  const split = await tx.maybe(splitOf(ownerId));
  return split && { owner, split, at };
}

interface Ending {
  ownerId: string;
  actor: string;
}

/** Until somebody resumes the standing split, no wage is split and no payment of it is sent. */
export async function pauseSplit(
  tx: Tx,
  services: Pick<Services, 'clock' | 'newId'>,
  { ownerId, actor, reason }: Ending & { reason: string },
): Promise<void> {
  const locked = await lockSplit(tx, services, ownerId);
  if (!locked || locked.split.paused_at !== null) return;
  const { split, at } = locked;
  const instant = at.toISOString();
  const version = split.version + 1;
  await tx.run(storeSplit({ ...split, paused_at: instant, version, set_by: actor, updated_at: instant }));
  await audit(tx, services, { subject: ownerId, kind: 'standing-split.paused', actor, data: { version, reason }, at });
}

/** Also cancels its waiting payments. Changes nothing if there is none. */
export async function dropSplit(
  tx: Tx,
  services: ChangeServices & Pick<Services, 'clock'>,
  { ownerId, actor }: Ending,
): Promise<void> {
  const locked = await lockSplit(tx, services, ownerId);
  if (locked) await endSplit(locked, services, actor);
}

export async function endSplit({ owner, split, at }: LockedSplit, services: ChangeServices, actor: string) {
  const { tx, id } = owner;
  const entries = await tx.many(entriesOf(id));
  const entryIds = entries.map(({ entry_id }) => entry_id);
  await tx.run(dropEntries(entryIds, at));
  await tx.run(deleteSplit(id));
  const cancelled = await cancelUnwanted(owner, services, { accounts: new Set(), actor, at });
  const data = { version: split.version, entries: entries.length, payments_cancelled: cancelled };
  await audit(tx, services, { subject: id, kind: 'standing-split.deleted', actor, data, at });
}
