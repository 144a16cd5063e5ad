import { DomainError, invalidInput } from '../../domain/errors.ts';
import { connectionById } from '../../infra/db/queries/bank.ts';
import { reconciledOwners, runEnded } from '../../infra/db/queries/reconciliation.ts';
import type { Services } from '../../infra/services.ts';
import { bind } from '../bind.ts';
import { requireConnection } from '../bank/record.ts';
import { countsOf, reconcileOwner, type ReconciledCounts, type ReconcileServices } from './reconcile.ts';

const PAGE = 50;

type Needs = ReconcileServices & Pick<Services, 'log'>;

/** A step of the workflow of a sync. Asks no bank, and does no more if it is repeated. */
export async function reconcileConnection(
  services: Needs,
  { connection_id }: { connection_id: string },
): Promise<void> {
  const { owner_id } = requireConnection(await services.db.maybe(connectionById(connection_id)));
  await reconcileOwner(services, owner_id);
}

/** `next` is the last owner of the page, or null if no owner is left. */
export interface ReconciledPage extends ReconciledCounts {
  failed: number;
  next: string | null;
}

/** The owners after this one. One owner's failure does not stop the others. */
export async function reconcilePage(services: Needs, { after }: { after: string }): Promise<ReconciledPage> {
  if (typeof after !== 'string') throw invalidInput('/after', 'must be the id of an owner, or empty');
  const owners = await services.db.many(reconciledOwners(after, PAGE));
  const page: ReconciledPage = { ...countsOf([]), failed: 0, next: null };
  for (const { owner_id } of owners) {
    try {
      addTo(page, await reconcileOwner(services, owner_id));
    } catch (error) {
      if (error instanceof DomainError && error.code === 'dependency-unavailable') throw error;
      services.log.error({ owner_id, reason: String(error) }, 'the payments of an owner could not be reconciled');
      page.failed += 1;
    }
  }
  return { ...page, next: owners.length < PAGE ? null : owners.at(-1)!.owner_id };
}

export function addTo(sums: ReconciledCounts & { failed: number }, page: Partial<ReconciledPage>): void {
  for (const name of ['checked', 'matched', 'missing', 'unexplained_returns', 'failed'] as const)
    sums[name] += page[name] ?? 0;
}

/** Stores that the payments of all owners were looked for. */
export async function closeReconciliation({ db }: Pick<Services, 'db'>): Promise<void> {
  await db.run(runEnded());
}

export const reconciliationActivities = (services: Needs) =>
  bind(services, { reconcileConnection, reconcilePage, closeReconciliation });

export type ReconciliationActivities = ReturnType<typeof reconciliationActivities>;
