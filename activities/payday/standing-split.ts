import { callerOf, covers, type Principal } from '../../domain/auth.ts';
import { DomainError, requireNoFaults } from '../../domain/errors.ts';
import { changesOf, concernsBills, entryFaults } from '../../domain/payday/changes.ts';
import { lockOne } from '../../infra/db/locked-owner.ts';
import { lockOwner } from '../../infra/db/queries/ledger.ts';
import { entriesOf, splitOf, type SplitRow } from '../../infra/db/queries/payday.ts';
import { splitWithEntries, storeSplit } from '../../infra/db/queries/standing-splits.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import type { StandingSplit, StandingSplitRequest } from '../../openapi/types.ts';
import { audit } from '../audit.ts';
import { holdSignIn } from '../auth/proof.ts';
import { countStored } from '../day-limits.ts';
import { bind } from '../bind.ts';
import { orderedBy, type ChangeServices } from '../payments/record.ts';
import { bindOwner, requireOwner, type NewOwner } from '../reach.ts';
import { endSplit, lockSplit } from './pause.ts';
import { changeEntries } from './split-entries.ts';
import { knownEntry, splitView, wantedEntry } from './split-rows.ts';

interface SplitRef {
  user_id: string;
}

interface SplitCommand extends SplitRef {
  principal: Principal;
  /** `If-Match`: the versions that the standing split may have, or `any`. If undefined, there need not be one. */
  versions?: readonly number[] | 'any' | undefined;
}

interface NewSplit extends SplitCommand, StandingSplitRequest {
  newOwner?: NewOwner | undefined;
}

type Needs = ChangeServices & Pick<Services, 'clock' | 'config' | 'db'>;

export const standingSplitActivities = (services: Needs) =>
  bind(services, { readStandingSplit, setStandingSplit, deleteStandingSplit });

async function readStandingSplit({ db }: Pick<Services, 'db'>, { user_id }: SplitRef): Promise<StandingSplit> {
  const found = await db.maybe(splitWithEntries(user_id));
  if (!found) throw new DomainError('not-found', 'The owner has no standing split.');
  const { entries, ...split } = found;
  return splitView(split, entries);
}

/** @throws DomainError `precondition-failed`, `unknown-entry`, `insufficient-scope`, `unknown-provider`. */
async function setStandingSplit(services: Needs, request: NewSplit): Promise<StandingSplit> {
  const { principal, user_id, obligations, buffer_rate, paused } = request;
  requireNoFaults(entryFaults(obligations));
  return services.db.transaction(async (tx) => {
    const signIn = await holdSignIn(tx, principal);
    const at = await services.clock.now(tx);
    const { owner } = await lockOne(tx, lockOwner(user_id, at));
    await bindOwner(tx, request.newOwner);
    const before = await tx.maybe(splitOf(user_id));
    requireVersion(before, request);
    const rows = await tx.many(entriesOf(user_id));
    const changes = changesOf(rows.map(knownEntry), obligations.map(wantedEntry));
    const pausedAt = before?.paused_at ?? null;
    if (concernsBills(changes, paused !== (pausedAt !== null))) await requireMayPay(tx, request);
    const actor = callerOf(principal);
    const by = { principal, orderedBy: orderedBy(actor, signIn), at };
    const { stored, counts } = await changeEntries(owner, services, { changes, rows, ...by });
    const split: SplitRow = {
      owner_id: user_id,
      buffer_rate: buffer_rate ?? null,
      paused_at: paused ? (pausedAt ?? at.toISOString()) : null,
      version: (before?.version ?? 0) + 1,
      set_by: actor,
      updated_at: at.toISOString(),
    };
    await tx.run(storeSplit(split));
    await countStored(tx, services, { by: principal, ownerId: user_id, kind: 'revisions', at });
    const data = { version: split.version, paused, ...counts };
    await audit(tx, services, { subject: user_id, kind: 'standing-split.set', actor, data, at });
    return splitView(split, stored);
  });
}

/** Changes nothing if there is none. */
async function deleteStandingSplit(services: Needs, request: SplitCommand): Promise<void> {
  const { principal, user_id } = request;
  await services.db.transaction(async (tx) => {
    await holdSignIn(tx, principal);
    const locked = await lockSplit(tx, services, user_id);
    requireVersion(locked?.split, request);
    if (!locked) return;
    const rows = await tx.many(entriesOf(user_id));
    if (concernsBills(changesOf(rows.map(knownEntry), []), false)) await requireMayPay(tx, request);
    await endSplit(locked, services, callerOf(principal));
  });
}

function requireVersion(split: SplitRow | undefined, { versions }: SplitCommand): void {
  if (versions === undefined) return;
  if (split === undefined) throw new DomainError('precondition-failed', 'The owner has no standing split.');
  const { version } = split;
  if (versions === 'any' || versions.includes(version)) return;
  const detail = `The standing split is now at version ${version}. Get it again.`;
  throw new DomainError('precondition-failed', detail, { version });
}

/** A key needs the person's grant for it too. */
async function requireMayPay(tx: Tx, { principal, user_id: ownerId }: SplitCommand): Promise<void> {
  const scope = 'write:payments';
  if (!covers(principal.scopes, scope)) {
    const detail = `To change what a standing split pays needs the scope ${scope} too, which the access token or API key does not have.`;
    throw new DomainError('insufficient-scope', detail, { scope });
  }
  await requireOwner({ db: tx }, { principal, ownerId, scopes: [scope], doing: 'writes' });
}
