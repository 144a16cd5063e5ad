import { log, proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { NightResult, VerifyActivities } from '../activities/verify/nightly.ts';
import { ATTENTION, STATUS } from './attributes.ts';

const records = proxyActivities<VerifyActivities>({
  startToCloseTimeout: '6 hours',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 minute', maximumInterval: '10 minutes' },
});

/** Looks for what somebody changed in the database: all that is new, and one 28th of what is old. */
export async function verifyNightly(): Promise<NightResult> {
  const result = await records.verifyByNight.executeWithOptions({ summary: 'Look for what somebody changed' }, []);
  const found = result.parts.reduce((sum, part) => sum + part.found, 0);
  const done = result.parts.map(({ part, checked }) => `${checked} of ${part}`).join(', ');
  setCurrentDetails(
    found === 0
      ? `Checked ${done}.`
      : `**${found} faults**. \`npm run admin -- verify --all\` names them. Checked ${done}.`,
  );
  if (found > 0) log.warn('somebody changed the database', { found });
  upsertSearchAttributes([
    { key: STATUS, value: 'completed' },
    { key: ATTENTION, value: found > 0 },
  ]);
  return result;
}
