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

/** Does nothing, so that the bench measures the cost of Temporal alone. */
export async function empty(): Promise<string> {
  return 'done';
}

/** Calls one activity on another task queue: the minimum for a workflow that calls anything. */
export async function lean(): Promise<string> {
  return answer();
}

/** Writes to a local database before and after a bank call: the minimum for a workflow that pays. */
export async function bare(): Promise<string> {
  await note();
  await answer();
  return note();
}
