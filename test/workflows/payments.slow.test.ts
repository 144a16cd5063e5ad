import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Resource } from '@opentelemetry/resources';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { Worker } from '@temporalio/worker';
import type { PaymentWorkflowActivities, SubmissionResult } from '../../activities/payments/index.ts';
import type { PaymentStatus } from '../../domain/payments.ts';
import type { PaymentResult } from '../../workflows/payments.ts';
import { ATTENTION } from '../../workflows/attributes.ts';
import { paymentWorkflowId } from '../../workflows/ids.ts';
import { bundleWorkflows } from '../../infra/temporal/bundle.ts';
import { workerTracing } from '../../infra/temporal/telemetry.ts';
import { recordHistories, type History } from '../helpers/replay.ts';
import { withTimeSkipping } from '../helpers/time-skipping.ts';
import { PATIENCE_MS, until } from '../helpers/until.ts';

const DAY_MS = 86_400_000;

let env: TestWorkflowEnvironment;
let workflowBundle: { code: string };
let runs = 0;
const { record, replay } = recordHistories();

// The worker traces workflows.
const exporter = new InMemorySpanExporter();
const pipeline = { processor: new SimpleSpanProcessor(exporter), resource: Resource.empty() };
const { sinks } = workerTracing({ pipeline });

withTimeSkipping((parts) => {
  ({ env, workflowBundle } = parts);
});

const settled = (status: PaymentStatus): SubmissionResult => ({ outcome: 'settled', status });
const ACCEPTED = {
  submitPayment: async (): Promise<SubmissionResult> => ({ outcome: 'accepted', status: 'processing' }),
};

// The activity `readStatus` returns this status.
let onRecord: PaymentStatus;

function play(parts: Partial<PaymentWorkflowActivities>, executeOn: string | null = null) {
  const taskQueue = `payments-${(runs += 1)}`;
  const calls: string[] = [];
  onRecord = 'processing';
  const usual = { readStatus: async () => onRecord, askForTurn: async () => false };
  const noted = Object.entries({ ...usual, ...parts }).map(([name, activity]) => [
    name,
    (...args: unknown[]) => {
      calls.push(name);
      return (activity as (...given: unknown[]) => unknown)(...args);
    },
  ]);
  const args = { payment_id: `pay_${runs}`, attempt: 1, execute_on: executeOn };
  const workflowId = paymentWorkflowId(args.payment_id, 1);
  const start = (first: Signalled | undefined) => {
    const options = { workflowId, taskQueue, args: [args] };
    if (first === undefined) return env.client.workflow.start('payment', options);
    const [signal, ...signalArgs] = first;
    return env.client.workflow.signalWithStart('payment', { ...options, signal, signalArgs });
  };
  return {
    calls,
    // Starts the workflow with the signal `first`, if given.
    async run({ first, meanwhile }: { first?: Signalled; meanwhile?: (handle: Handle) => Promise<void> } = {}) {
      const worker = await Worker.create({
        connection: env.nativeConnection,
        taskQueue,
        workflowBundle,
        sinks,
        activities: Object.fromEntries(noted) as Record<string, () => unknown>,
      });
      return worker.runUntil(async () => {
        const handle = await start(first);
        await meanwhile?.(handle);
        const result = (await handle.result().catch(failedAs)) as PaymentResult & { failure?: ApplicationFailure };
        const { name: execution } = (await handle.describe()).status;
        return { ...result, execution, history: await record(handle) };
      });
    },
  };
}

function failedAs(error: unknown) {
  if (!(error instanceof WorkflowFailedError) || !(error.cause instanceof ApplicationFailure)) throw error;
  return { status: 'failed', failure: error.cause };
}

type Signalled = readonly [signal: string, ...unknown[]];
type Handle = WorkflowHandle;

// A change of the first attempt is also stored for `readStatus`.
function changed(status: PaymentStatus, attempt = 1) {
  if (attempt === 1) onRecord = status;
  return ['paymentChanged', { attempt, status }] as const;
}

test('a payment that settles at once takes one activity', async () => {
  const { run, calls } = play({ submitPayment: async () => settled('completed') });
  expect((await run()).status).toBe('completed');
  expect(calls).toEqual(['submitPayment']);
});

test('a rejected payment fails its workflow, with the bank’s code, as a failure that no alert counts', async () => {
  const readFailure = async () => ({ code: 'AC06', retryable: true });
  const { run } = play({ submitPayment: async () => settled('failed'), readFailure });
  const { execution, failure } = await run();
  const message = 'The payment failed: AC06; it can be retried. The money is back in its allocation.';
  expect(execution).toBe('FAILED');
  expect(failure).toMatchObject({ type: 'AC06', message, category: 'BENIGN' });
});

test('an unreachable or unclear bank is retried until it has the payment', async () => {
  const answers: SubmissionResult[] = [
    { outcome: 'unavailable', status: 'pending' },
    { outcome: 'unavailable', status: 'pending' },
    { outcome: 'unknown', status: 'processing' },
    settled('completed'),
  ];
  const { run, calls } = play({ submitPayment: async () => answers.shift()! });
  expect((await run()).status).toBe('completed');
  expect(calls).toHaveLength(4);
});

async function isWaiting(handle: Handle): Promise<void> {
  await until(async () => hasTimer(await handle.fetchHistory()), 'the workflow to wait', PATIENCE_MS, 10);
}

function hasTimer({ events }: History): boolean {
  return (events ?? []).some(({ timerStartedEventAttributes }) => timerStartedEventAttributes);
}

test('an accepted payment ends by a signal, without querying the bank', async () => {
  const { run, calls } = play(ACCEPTED);
  const { status } = await run({
    async meanwhile(handle) {
      await isWaiting(handle);
      await handle.signal(...changed('completed'));
    },
  });
  expect(status).toBe('completed');
  expect(calls).toEqual(['submitPayment', 'readStatus']);
});

test('a payment that settles before its submission is not submitted', async () => {
  const { run, calls } = play({ submitPayment: async () => settled('failed') });
  expect((await run({ first: changed('cancelled') })).status).toBe('cancelled');
  expect(calls).toEqual(['readStatus']);
});

test('a signal during the submission ends the payment right after it', async () => {
  const asked = Promise.withResolvers<undefined>();
  const told = Promise.withResolvers<undefined>();
  const { run, calls } = play({
    async submitPayment() {
      asked.resolve(undefined);
      await told.promise;
      return { outcome: 'accepted', status: 'processing' };
    },
  });
  const { status, history } = await run({
    async meanwhile(handle) {
      await asked.promise;
      await handle.signal(...changed('completed'));
      told.resolve(undefined);
    },
  });
  expect(status).toBe('completed');
  expect(calls).toEqual(['submitPayment', 'readStatus']);
  expect(hasTimer(history)).toBe(false);
});

test('without a signal the workflow polls the bank, with growing intervals', async () => {
  let looks = 0;
  const { run } = play({
    ...ACCEPTED,
    checkPayment: async () => ((looks += 1) === 5 ? 'completed' : 'processing'),
    readBlocked: async () => false,
  });
  expect((await run()).status).toBe('completed');
  expect(looks).toBe(5);
});

test('a signal about another attempt does not end this one', async () => {
  const { run } = play({
    ...ACCEPTED,
    checkPayment: async () => 'completed',
  });
  const { status } = await run({ meanwhile: (handle) => handle.signal(...changed('failed', 2)) });
  expect(status).toBe('completed');
});

test('a scheduled payment waits for its day before the bank hears of it', async () => {
  const began = await env.currentTimeMs();
  let submittedAt = 0;
  const { run, calls } = play(
    {
      msUntilDue: async () => Math.max(0, began + 3 * DAY_MS - (await env.currentTimeMs())),
      submitPayment: async () => {
        submittedAt = await env.currentTimeMs();
        return settled('completed');
      },
    },
    '2026-11-24',
  );
  expect((await run()).status).toBe('completed');
  expect(submittedAt - began).toBeGreaterThanOrEqual(3 * DAY_MS);
  expect(calls.at(-1)).toBe('submitPayment');
});

test('a scheduled payment waits for its turn on its day, and asks again for a turn that was lost', async () => {
  let asked = 0;
  const askForTurn = async () => (asked += 1) > 0;
  const { run, calls } = play({ ...ACCEPTED, msUntilDue: async () => 0, askForTurn }, '2026-11-24');
  const { status } = await run({
    async meanwhile(handle) {
      await until(() => asked === 1, 'the workflow to ask', PATIENCE_MS, 10);
      await env.sleep(11 * 60_000);
      expect([asked, calls.includes('submitPayment')]).toEqual([2, false]);
      await handle.signal('turnBegun');
      await until(() => calls.includes('submitPayment'), 'the payment to be sent', PATIENCE_MS, 10);
      await handle.signal(...changed('completed'));
    },
  });
  expect(status).toBe('completed');
});

test('a signal that the database does not confirm ends nothing', async () => {
  const lie = ['paymentChanged', { attempt: 1, status: 'completed' }] as const;
  const { run, calls } = play({
    ...ACCEPTED,
    checkPayment: async () => 'processing',
    readBlocked: async () => false,
    readFailure: async () => null,
  });
  const { status } = await run({
    first: lie,
    async meanwhile(handle) {
      await isWaiting(handle);
      await handle.signal(...lie);
      const asked = () => calls.filter((name) => name === 'readStatus').length;
      await until(() => asked() >= 2, 'the row to be asked', PATIENCE_MS, 10);
      await handle.signal(...changed('failed'));
    },
  });
  expect(status).toBe('failed');
  expect(calls[0]).toBe('readStatus');
  expect(calls).toContain('submitPayment');
});

test('a cancelled scheduled payment never reaches the bank', async () => {
  const { run, calls } = play({ msUntilDue: async () => 30 * DAY_MS }, '2026-12-24');
  const { status } = await run({ meanwhile: (handle) => handle.signal(...changed('cancelled')) });
  expect(status).toBe('cancelled');
  expect(calls).not.toContain('submitPayment');
});

test('an outcome too old to query waits for an operator without limit', async () => {
  let resolved = false;
  const { run, calls } = play({
    submitPayment: async () => ({ outcome: 'expired', status: 'processing' }),
    markAttention: async () => {},
    readStatus: async () => (resolved ? 'completed' : 'processing'),
  });
  const { status } = await run({
    async meanwhile(handle) {
      await isWaiting(handle);
      await env.sleep(40 * DAY_MS);
      await until(() => calls.includes('markAttention'), 'the operator to be called');
      resolved = true;
      await handle.signal(...changed('completed'));
    },
  });
  expect(status).toBe('completed');
  expect(calls.filter((name) => name === 'submitPayment')).toHaveLength(1);
  expect(calls).toContain('markAttention');
});

test.each([
  ['before', 0],
  ['after', 40],
])(
  'an outcome too old to query is sent again once an operator says that it was not sent, %s the call for one',
  async (_when, days) => {
    const answers: SubmissionResult[] = [{ outcome: 'expired', status: 'processing' }, settled('completed')];
    const { run, calls } = play({ submitPayment: async () => answers.shift()!, markAttention: async () => {} });
    const { status } = await run({
      async meanwhile(handle) {
        await isWaiting(handle);
        if (days > 0) {
          await env.sleep(days * DAY_MS);
          await until(() => calls.includes('markAttention'), 'the operator to be called');
        }
        await handle.signal(...changed('processing'));
      },
    });
    expect(status).toBe('completed');
  },
);

// Temporal's Web UI then shows that the workflow needs an operator.
async function callsForOperator(handle: Handle): Promise<void> {
  const calls = async () => (await handle.describe()).typedSearchAttributes.get(ATTENTION) === true;
  await until(calls, 'the workflow to call an operator', PATIENCE_MS, 10);
}

test('a blocked payment waits for an operator without limit, and polls the bank once a day', async () => {
  const { run, calls } = play({
    ...ACCEPTED,
    checkPayment: async () => 'processing',
    readBlocked: async () => true,
    readFailure: async () => ({ code: 'OPERATOR', retryable: true }),
  });
  const { failure } = await run({
    async meanwhile(handle) {
      await env.sleep(60_000);
      await callsForOperator(handle);
      await env.sleep(40 * DAY_MS);
      await handle.signal(...changed('failed'));
    },
  });
  expect(failure?.type).toBe('OPERATOR');
  const looks = calls.filter((name) => name === 'checkPayment').length;
  expect(looks).toBeGreaterThanOrEqual(39);
  expect(looks).toBeLessThanOrEqual(42);
  expect(calls.filter((name) => name === 'submitPayment')).toHaveLength(1);
});

test('a signal of the block wakes the workflow, and the bank’s final status ends it and clears the mark', async () => {
  let looks = 0;
  const { run } = play({
    ...ACCEPTED,
    checkPayment: async () => ((looks += 1) === 2 ? 'completed' : 'processing'),
    readBlocked: async () => true,
  });
  let marked: unknown;
  const { status, history } = await run({
    async meanwhile(handle) {
      await isWaiting(handle);
      await handle.signal(...changed('processing'));
      await callsForOperator(handle);
      await handle.result();
      marked = (await handle.describe()).typedSearchAttributes.get(ATTENTION);
    },
  });
  expect([status, marked, looks]).toEqual(['completed', false, 2]);
  // Only the timer of the daily check fired.
  expect((history.events ?? []).filter((event) => event.timerFiredEventAttributes)).toHaveLength(1);
});

test('an operator’s signal ends a blocked payment although the bank does not answer', async () => {
  let looks = 0;
  const { run, calls } = play({
    ...ACCEPTED,
    checkPayment: async () => {
      if ((looks += 1) === 1) return 'processing';
      throw new Error('the bank does not answer');
    },
    readBlocked: async () => true,
  });
  const { status } = await run({
    async meanwhile(handle) {
      await env.sleep(60_000);
      await callsForOperator(handle);
      await env.sleep(2.5 * DAY_MS);
      await handle.signal(...changed('completed'));
    },
  });
  expect(status).toBe('completed');
  expect(calls.filter((name) => name === 'checkPayment').length).toBeLessThanOrEqual(7);
});

const activitiesIn = ({ events }: History) =>
  (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType ?? []);

test('histories with tracing replay without: operators may switch tracing at any time', async () => {
  const plain = workflowBundle;
  workflowBundle = await bundleWorkflows({ traced: true });
  const { run } = play({ submitPayment: async () => settled('completed') });
  const { history } = await run().finally(() => (workflowBundle = plain));
  expect(activitiesIn(history).map(({ name }) => name)).toEqual(['submitPayment']);
  expect(exporter.getFinishedSpans().map(({ name }) => name)).toContain('RunWorkflow:payment');
  await Worker.runReplayHistory({ workflowBundle: plain }, history, paymentWorkflowId('pay_replayed', 1));
});

test.each([
  ['without', false],
  ['with', true],
])('every history of these tests replays %s tracing', async (_how, traced) => {
  expect(await replay({ workflowBundle: await bundleWorkflows({ traced }), sinks })).toBeGreaterThanOrEqual(15);
});

test('a history that the current workflow would not make fails the replay', async () => {
  const { run } = play({ submitPayment: async () => settled('completed') });
  const { history } = await run();
  for (const type of activitiesIn(history)) type.name = 'checkPayment';
  const replayed = Worker.runReplayHistory({ workflowBundle }, history, paymentWorkflowId('pay_replayed', 1));
  await expect(replayed).rejects.toThrow(/determinism/i);
});
