import { proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { BankSyncActivities } from '../activities/bank/sync.ts';
import { STATUS } from './attributes.ts';

/** A bank that stays away is left to the next look. */
const bank = proxyActivities<Pick<BankSyncActivities, 'lookAtConsent'>>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute', maximumAttempts: 10 },
});

/** Asks the bank whether a consent still holds. */
export async function lookAtBank({ consent_id }: { consent_id: string }): Promise<void> {
  setCurrentDetails('The bank is asked for the consent.');
  const summary = 'Ask the bank for the consent';
  const status = await bank.lookAtConsent.executeWithOptions({ summary }, [{ consent_id }]);
  setCurrentDetails(status === null ? 'No connection uses the consent.' : `The connection is ${status}.`);
  upsertSearchAttributes([{ key: STATUS, value: 'completed' }]);
}
