import {
  condition,
  defineSignal,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { BankJourneyActivities } from '../activities/bank/settle.ts';

/** Sent when the journey has an outcome. */
export const journeyOver = defineSignal('journeyOver');

const records = proxyLocalActivities<Pick<BankJourneyActivities, 'msUntilJourneyOver'>>({
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
});

const bank = proxyActivities<Pick<BankJourneyActivities, 'settleJourney'>>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '10 minutes' },
});

/** Waits until a person's journey to their bank is over, and leaves no consent behind that nobody uses. */
export async function bankJourney(args: { journey_id: string }): Promise<void> {
  let isSignalled = false;
  setHandler(journeyOver, () => {
    isSignalled = true;
  });
  setCurrentDetails('The person is on the way to the bank.');
  for (;;) {
    // Clears the signal before reading the row, so that no later signal is lost.
    isSignalled = false;
    const ms = await records.msUntilJourneyOver(args);
    if (ms === 0) break;
    await condition(() => isSignalled, ms, { summary: 'until the person is back, or the time is over' });
  }
  setCurrentDetails('The journey is over.');
  await bank.settleJourney.executeWithOptions({ summary: 'End a consent that nobody uses' }, [args]);
}
