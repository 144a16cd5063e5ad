import { proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { RetentionActivities } from '../activities/retention.ts';
import { STATUS } from './attributes.ts';

const records = proxyActivities<RetentionActivities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

/** Runs both activities at the same time, so that a failure of one does not delay the other. */
export async function purgeExpired() {
  const [answers, auth] = await Promise.all([
    records.purgeIdempotencyRecords.executeWithOptions({ summary: 'Delete stored responses older than a day' }, []),
    records.purgeExpiredAuth.executeWithOptions({ summary: 'Delete expired sign-in data and rate limits' }, []),
  ]);
  setCurrentDetails(`Deleted ${answers.purged} stored responses and ${auth.purged} other expired records.`);
  upsertSearchAttributes([{ key: STATUS, value: 'completed' }]);
  return { idempotency_records: answers.purged, auth: auth.purged };
}
