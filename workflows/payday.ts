import { proxyLocalActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { PaydayWorkflowActivities } from '../activities/payday/index.ts';
import { STATUS } from './attributes.ts';

const steps = proxyLocalActivities<PaydayWorkflowActivities>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
});

/** Each step can be repeated, so a payday that was lost can start again from its first step. */
export async function payday({ wage_id }: { wage_id: string }): Promise<{ attention: string | null }> {
  setCurrentDetails('The wage is being split.');
  const { entry_ids } = await steps.splitWage({ wage_id });
  for (const [index, entry_id] of entry_ids.entries()) {
    setCurrentDetails(`Bill ${index + 1} of ${entry_ids.length} is being paid.`);
    await steps.payBill({ wage_id, entry_id });
  }
  const { attention } = await steps.endPayday({ wage_id });
  setCurrentDetails(
    attention === null ? 'The payday is over.' : `The person should look at this payday: ${attention}.`,
  );
  upsertSearchAttributes([{ key: STATUS, value: attention === null ? 'completed' : 'failed' }]);
  return { attention };
}
