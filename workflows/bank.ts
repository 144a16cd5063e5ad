import { proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { BankWorkflowActivities } from '../activities/bank/index.ts';
import { STATUS } from './attributes.ts';

const bank = proxyActivities<Pick<BankWorkflowActivities, 'endConsent'>>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '10 minutes' },
});

/** Repeats the step until the bank has ended the consent, however long the bank is away. */
export async function endBankConsent({ consent_id }: { consent_id: string }): Promise<{ status: 'ended' }> {
  setCurrentDetails('The consent has ended here; the bank is asked to end it too.');
  const ended = await bank.endConsent.executeWithOptions({ summary: 'End the consent at the bank' }, [{ consent_id }]);
  setCurrentDetails('The bank has ended the consent.');
  upsertSearchAttributes([{ key: STATUS, value: ended.status }]);
  return ended;
}
