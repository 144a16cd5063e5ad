import { proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { BankSyncActivities } from '../activities/bank/sync.ts';
import { STATUS } from './attributes.ts';

const records = proxyActivities<Pick<BankSyncActivities, 'startDueSyncs' | 'startDueLooks'>>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

/** Starts what is due. Each sync and each look is a workflow of its own. */
export async function readBanks(): Promise<{ syncs: number; looks: number }> {
  const [syncs, looks] = await Promise.all([
    records.startDueSyncs.executeWithOptions({ summary: 'Request the syncs that are due' }, []),
    records.startDueLooks.executeWithOptions({ summary: 'Ask about consents that nobody asked about for a day' }, []),
  ]);
  setCurrentDetails(`Started ${syncs} syncs, and asked banks about ${looks} consents.`);
  upsertSearchAttributes([{ key: STATUS, value: 'completed' }]);
  return { syncs, looks };
}
