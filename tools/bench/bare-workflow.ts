import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';

interface Activities {
  answer(): Promise<string>;
}

const { answer } = proxyActivities<Activities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

const { answer: note } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
});

/** Measures the cost of Temporal alone. */
// eslint-disable-next-line @typescript-eslint/require-await -- a workflow is async
export async function empty(): Promise<string> {
  return 'done';
}

/** The minimum for a workflow that calls anything. */
export async function lean(): Promise<string> {
  return answer();
}

/** The minimum for a workflow that calls a bank, and writes before and after. */
export async function bare(): Promise<string> {
  await note();
  await answer();
  return note();
}
