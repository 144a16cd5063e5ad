import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import { MODULE, OWNER, STATUS } from '../../workflows/attributes.ts';
import { paymentWorkflowId, TASK_QUEUES } from '../../workflows/ids.ts';
import * as statements from '../db/statements/outbox.ts';
import type { OutboxRow } from '../db/statements/outbox.ts';
import type { Services } from '../services.ts';
import { startBackgroundTask, type BackgroundTask } from '../background/task.ts';
import { startCredential, type CredentialMessage } from './credential.ts';
import { startDocument, type DocumentMessage } from './document.ts';
import { startAccrualRun } from './schedules.ts';

const BATCH = 50;
const LEASE_S = 10;
const LOOK_EVERY_MS = 1_000;
const CALL_TIMEOUT_MS = 5_000;

export interface RelayOptions {
  /**
   * Whether this process runs the worker, with the client on the worker's own connection: then a workflow's first step
   * comes back with the answer to its start.
   */
  eager?: boolean;
  /** How long messages are left to the others, in seconds; this one is there in case they are not. */
  headStartS?: number;
}

/**
 * Tells Temporal what the outbox holds: which workflows to start, which to wake. Runs in every API and worker process;
 * a message is leased to one at a time, and telling Temporal twice is harmless because workflow ids are unique.
 */
export function startRelay(
  services: Services,
  client: Client,
  { eager = false, headStartS = 0 }: RelayOptions = {},
): BackgroundTask {
  const ear = headStartS === 0 ? listener(services) : undefined;
  const wake = headStartS === 0 ? { wake: services.outbox } : {};
  const task = startBackgroundTask(
    { name: 'outbox relay', log: services.log, restMs: LOOK_EVERY_MS, ...wake },
    async () => {
      await ear?.listen();
      for (;;) {
        const messages = await services.db.many(
          statements.claimMessages({ most: BATCH, holdS: LEASE_S, dueForS: headStartS }),
        );
        if (messages.length === 0) return;
        const told = await Promise.allSettled(messages.map((message) => tell(services, client, message, eager)));
        await settle(services, messages, told);
        if (told.some(({ status }) => status === 'rejected')) return;
      }
    },
  );
  return {
    async stop() {
      await task.stop();
      await ear?.stop();
    },
  };
}

/** Notifies the relay when another process writes to the outbox. */
function listener({ db, outbox }: Services) {
  let listening: Promise<() => Promise<void>> | undefined;
  return {
    async listen(): Promise<void> {
      listening ??= db.listen('outbox', () => outbox.notify());
      await listening.catch((error: unknown) => {
        listening = undefined;
        throw error;
      });
    },
    stop: async () => (await listening)?.(),
  };
}

async function settle(services: Services, messages: OutboxRow[], told: PromiseSettledResult<void>[]): Promise<void> {
  const done = messages.filter((_, place) => told[place]?.status === 'fulfilled');
  const failed = messages.filter((_, place) => told[place]?.status === 'rejected');
  if (done.length > 0) await services.db.run(statements.deleteMessages(done.map((message) => message.message_id)));
  if (failed.length === 0) return;
  const reason = told.find((result) => result.status === 'rejected')?.reason as unknown;
  services.log.warn({ messages: failed.length, reason: String(reason) }, 'Temporal could not be reached; trying again');
  const tries = Math.max(...failed.map((message) => message.attempts));
  const ids = failed.map((message) => message.message_id);
  await services.db.run(statements.postponeMessages(ids, Math.min(30, 2 ** Math.min(tries, 5))));
}

/** Tells of one message, as part of what wrote it where that is traced. */
async function tell(services: Services, client: Client, message: OutboxRow, eager: boolean): Promise<void> {
  const { kind, payload } = message;
  const count = (outcome: string) => services.metrics.outboxTold.inc({ kind, outcome });
  const options = { values: { 'ringfence.kind': kind }, from: payload, onlyWithin: true };
  try {
    await services.tracing.span(`outbox ${kind}`, options, () => tellOf(services, client, message, eager));
    count('told');
  } catch (error) {
    count('failed');
    throw error;
  }
}

async function tellOf({ db }: Services, client: Client, message: OutboxRow, eager: boolean): Promise<void> {
  if (message.kind === 'clock.moved') {
    const { from, to } = message.payload as unknown as ClockMessage;
    await db.run(statements.insertDue(from, to));
    return;
  }
  if (message.kind === 'yield.start') {
    const { as_of } = message.payload as unknown as { as_of: string };
    await client.withDeadline(Date.now() + CALL_TIMEOUT_MS, () => startAccrualRun(client, as_of));
    return;
  }
  if (message.kind === 'credential.start') {
    const credential = message.payload as unknown as CredentialMessage;
    await client.withDeadline(Date.now() + CALL_TIMEOUT_MS, () => startCredential(client, credential));
    return;
  }
  if (message.kind === 'document.read') {
    const document = message.payload as unknown as DocumentMessage;
    await client.withDeadline(Date.now() + CALL_TIMEOUT_MS, () => startDocument(client, document));
    return;
  }
  const payment = message.payload as unknown as PaymentMessage;
  const workflowId = paymentWorkflowId(payment.payment_id, payment.attempt);
  await client.withDeadline(Date.now() + CALL_TIMEOUT_MS, async () => {
    if (message.kind === 'payment.start') await startPayment(client, workflowId, payment, eager);
    else if (message.kind === 'payment.due') await signal(client, workflowId, 'clockMoved');
    else await signal(client, workflowId, 'paymentChanged', { attempt: payment.attempt, status: payment.status });
  });
}

/** The days in London from which and to which the clock was moved. */
interface ClockMessage {
  from: string;
  to: string;
}

interface PaymentMessage {
  payment_id: string;
  attempt: number;
  execute_on: string | null;
  owner_id: string;
  status: string;
}

async function startPayment(
  client: Client,
  workflowId: string,
  payment: PaymentMessage,
  eager: boolean,
): Promise<void> {
  const { payment_id, attempt, execute_on, owner_id } = payment;
  try {
    await client.workflow.start('payment', {
      workflowId,
      requestEagerStart: eager,
      taskQueue: TASK_QUEUES.payments,
      args: [{ payment_id, attempt, execute_on }],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: `Pay a bill: ${payment_id}, attempt ${attempt}`,
      memo: { payment_id, attempt, owner_id, execute_on },
      typedSearchAttributes: [
        { key: OWNER, value: owner_id },
        { key: MODULE, value: 'payments' },
        { key: STATUS, value: execute_on === null ? 'processing' : 'pending' },
      ],
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** A workflow that is not there reads the row when it starts, or has nothing left to hear. */
async function signal(client: Client, workflowId: string, name: string, ...args: unknown[]): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId).signal(name, ...args);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
