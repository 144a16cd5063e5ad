import {
  continueAsNew,
  log,
  proxyActivities,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { ReconciledPage, ReconciliationActivities } from '../activities/reconciliation/run.ts';
import { ATTENTION, STATUS } from './attributes.ts';

const PAGES_PER_RUN = 400;

const records = proxyActivities<Pick<ReconciliationActivities, 'reconcilePage' | 'closeReconciliation'>>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

/** `after` is the last owner whose payments were looked for. */
type Progress = Omit<ReconciledPage, 'next'> & { after: string };

export type ReconciliationResult = Omit<Progress, 'after'>;

/** Looks for the payments of all owners in the accounts that paid. A failed owner does not stop the others. */
export async function reconcile({ carried_on }: { carried_on?: Progress } = {}): Promise<ReconciliationResult> {
  const progress = carried_on ?? { checked: 0, matched: 0, missing: 0, unexplained_returns: 0, failed: 0, after: '' };
  upsertSearchAttributes([{ key: STATUS, value: 'processing' }]);
  for (let pages = 0; ; pages += 1) {
    if (pages >= PAGES_PER_RUN || workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof reconcile>({ carried_on: progress });
    const { after } = progress;
    const summary = after === '' ? 'The first owners' : `The owners after ${after}`;
    const page = await records.reconcilePage.executeWithOptions({ summary }, [{ after }]);
    add(progress, page);
    if (page.next === null) break;
    progress.after = page.next;
  }
  const { failed } = progress;
  // A run that left somebody out is not the last good one.
  if (failed === 0) await records.closeReconciliation.executeWithOptions({ summary: 'Store that the run ended' }, []);
  else log.warn('the payments of some owners could not be reconciled', { failed });
  upsertSearchAttributes([
    { key: STATUS, value: 'completed' },
    { key: ATTENTION, value: failed > 0 },
  ]);
  const { after: _after, ...result } = progress;
  return result;
}

function add(progress: Progress, { next: _next, ...page }: ReconciledPage): void {
  progress.checked += page.checked;
  progress.matched += page.matched;
  progress.missing += page.missing;
  progress.unexplained_returns += page.unexplained_returns;
  progress.failed += page.failed;
  setCurrentDetails(
    `${progress.checked} payments were looked for: ${progress.matched} are matched, ${progress.missing} missing. ` +
      `${progress.unexplained_returns} came back unexplained, and ${progress.failed} owners failed.`,
  );
}
