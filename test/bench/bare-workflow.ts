import { proxyActivities } from '@temporalio/workflow';

const { answer } = proxyActivities<{ answer(): Promise<string> }>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

/** Nothing at all: what Temporal itself takes. */
export async function empty(): Promise<string> {
  return 'done';
}

/** As many activities as a payment takes when its bank settles in time, and nothing else. */
export async function bare(): Promise<string> {
  return answer();
}
