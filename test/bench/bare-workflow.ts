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

/** Nothing at all: what Temporal itself takes. */
export async function empty(): Promise<string> {
  return 'done';
}

/** One activity elsewhere, and nothing else: the least of a workflow that asks anybody. */
export async function lean(): Promise<string> {
  return answer();
}

/** What a workflow that pays takes: a note on our own database before the bank is asked and one after it, both local. */
export async function bare(): Promise<string> {
  await note();
  await answer();
  return note();
}
