import { addTo, closeReconciliation, reconcilePage } from '../../activities/reconciliation/run.ts';
import { countsOf } from '../../activities/reconciliation/reconcile.ts';
import type { Services } from '../../infra/services.ts';
import { OperatorError } from './errors.ts';

/** Looks for the payments of all owners, page by page, as the daily workflow does. */
export async function reconcileByHand(services: Services): Promise<object> {
  const sums = { ...countsOf([]), failed: 0 };
  for (let after: string | null = ''; after !== null;) {
    const { next, ...page } = await reconcilePage(services, { after });
    addTo(sums, page);
    after = next;
  }
  const { failed, ...counts } = sums;
  if (failed > 0)
    throw new OperatorError(
      `The payments of ${failed} owners could not be looked for. The log above names each with its reason.`,
    );
  await closeReconciliation(services);
  return counts;
}
