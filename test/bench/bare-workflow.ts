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

/** An empty workflow, which measures Temporal's own cost. */
export async function empty(): Promise<string> {
  return 'done';
}

/** One activity on another queue: the minimum for a workflow that calls anything. */
export async function lean(): Promise<string> {
  return answer();
}

/** The minimum for a workflow that pays: a local database write before and after a bank call. */
export async function bare(): Promise<string> {
  await note();
  await answer();
  return note();
}
