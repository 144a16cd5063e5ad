import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import { paymentWorkflowId } from '../../workflows/ids.ts';
import * as queries from '../db/queries/outbox.ts';
import type { Query } from '../db/query.ts';
import type { OutboxRow } from '../db/queries/outbox.ts';
import type { Services } from '../services.ts';
import { startBackgroundTask, type BackgroundTask } from '../background/task.ts';
import { createWakeup } from '../background/wakeup.ts';
import { startAccrualRun } from './schedules.ts';
import { jobOf, paymentJob, signalOrStart, startWorkflow, type PaymentMessage } from './start.ts';

const BATCH = 50;
const LEASE_S = 10;
const LOOK_EVERY_MS = 1_000;
/** Payments take turns, so that those of one party do not delay those of another. */
const TURNS = { most: 16, holdS: LEASE_S, turnS: 30, perOwner: 5, window: 32, windowS: 5 };
/** While payments wait for their turn. */
const NEXT_TURNS_MS = 50;
const CALL_TIMEOUT_MS = 5_000;

type Needs = Pick<Services, 'db' | 'outbox' | 'log' | 'metrics' | 'restoring' | 'tracing'>;

interface RelayOptions {
  /** If client and worker share a connection, Temporal hands this worker a new workflow's first task. */
  eager?: boolean;
  /** Takes only messages that have been due for this many seconds, so that other relays usually deliver them first. */
  headStartS?: number;
}

/** A message is leased to one relay at a time. A repeated delivery is harmless. */
export function startRelay(
  services: Needs,
  client: Client,
  { eager = false, headStartS = 0 }: RelayOptions = {},
): BackgroundTask {
  const listener = headStartS === 0 ? services.db.listener('outbox', () => services.outbox.notify()) : undefined;
  const wake = headStartS === 0 ? { wake: services.outbox } : {};
  const turns = startTurns(services, client, { eager, headStartS });
  const task = startBackgroundTask(
    { name: 'outbox relay', log: services.log, pauseMs: LOOK_EVERY_MS, ...wake },
    async () => {
      await listener?.listen();
      while (await services.restoring.isNone()) {
        if (headStartS === 0) turns.wake();
        const messages = await services.db.many(
          queries.claimMessages({ most: BATCH, holdS: LEASE_S, dueForS: headStartS }),
        );
        if (messages.length === 0) return;
        const results = await Promise.allSettled(messages.map((message) => deliver(services, client, message, eager)));
        await settle(services, messages, results);
        if (results.some(({ status }) => status === 'rejected')) return;
      }
    },
  );
  return {
    async stop() {
      await Promise.all([task.stop(), turns.stop()]);
      await listener?.stop();
    },
  };
}

/** A task of its own, because other messages must not wait for payments. */
function startTurns(services: Needs, client: Client, { eager, headStartS }: Required<RelayOptions>) {
  const wakeup = createWakeup();
  let pauseMs = LOOK_EVERY_MS;
  const task = startBackgroundTask(
    { name: 'payment turns', log: services.log, pauseMs: () => pauseMs, wake: wakeup },
    async () => {
      pauseMs = LOOK_EVERY_MS;
      if (!(await services.restoring.isNone())) return;
      const messages = await services.db.many(queries.takeTurns({ ...TURNS, dueForS: headStartS }));
      const results = await Promise.allSettled(messages.map((message) => deliver(services, client, message, eager)));
      if (messages.length > 0) await settle(services, messages, results, queries.markDelivered);
      if (headStartS > 0 || results.some(({ status }) => status === 'rejected')) return;
      if ((await services.db.one(queries.turnsWait())).wait) pauseMs = NEXT_TURNS_MS;
    },
  );
  return { stop: () => task.stop(), wake: () => wakeup.notify() };
}

async function settle(
  services: Needs,
  messages: OutboxRow[],
  results: PromiseSettledResult<void>[],
  afterDelivery: (ids: readonly number[]) => Query = queries.deleteMessages,
): Promise<void> {
  const done = messages.filter((_, index) => results[index]?.status === 'fulfilled');
  const failed = messages.filter((_, index) => results[index]?.status === 'rejected');
  if (done.length > 0) await services.db.run(afterDelivery(done.map((message) => message.message_id)));
  if (failed.length === 0) return;
  const reason = results.find((result) => result.status === 'rejected')?.reason as unknown;
  services.log.warn({ messages: failed.length, reason: String(reason) }, 'Temporal could not be reached; trying again');
  const tries = Math.max(...failed.map((message) => message.attempts));
  const ids = failed.map((message) => message.message_id);
  await services.db.run(queries.postponeMessages(ids, Math.min(30, 2 ** Math.min(tries, 5))));
}

async function deliver(services: Needs, client: Client, message: OutboxRow, eager: boolean): Promise<void> {
  const { kind, payload } = message;
  const count = (outcome: string) => services.metrics.outboxDeliveries.inc({ kind, outcome });
  const options = { values: { 'ringfence.kind': kind }, from: payload, onlyWithin: true };
  try {
    await services.tracing.span(`outbox ${kind}`, options, () => deliverMessage(services, client, message, eager));
    count('delivered');
  } catch (error) {
    count('failed');
    throw error;
  }
}

async function deliverMessage(
  { db }: Pick<Needs, 'db'>,
  client: Client,
  message: OutboxRow,
  eager: boolean,
): Promise<void> {
  if (message.kind === 'clock.moved') {
    // The London dates before and after the clock moved.
    const { from, to } = message.payload as { from: string; to: string };
    await db.run(queries.insertDue(from, to));
    return;
  }
  await client.withDeadline(Date.now() + CALL_TIMEOUT_MS, () => callTemporal(client, message, eager));
}

async function callTemporal(client: Client, { kind, payload }: OutboxRow, eager: boolean): Promise<unknown> {
  if (kind === 'yield.start') return startAccrualRun(client, (payload as { as_of: string }).as_of);
  if (kind === 'credential.start') return startWorkflow(client, jobOf('credential', payload));
  if (kind === 'document.read') return startWorkflow(client, jobOf('readPayslip', payload));
  if (kind === 'bank.journey') return startWorkflow(client, jobOf('bankJourney', payload));
  if (kind === 'bank.journey-over') return signalOrStart(client, jobOf('bankJourney', payload), 'journeyOver');
  if (kind === 'bank.sync') return signalOrStart(client, jobOf('bankSync', payload), 'syncRequested');
  if (kind === 'bank.look') return startWorkflow(client, jobOf('lookAtBank', payload));
  if (kind === 'bank.end') return startWorkflow(client, jobOf('endBankConsent', payload));
  if (kind === 'payday.start') return startWorkflow(client, jobOf('payday', payload));
  const payment = payload as unknown as PaymentMessage;
  if (kind === 'payment.start') return startPayment(client, payment, eager);
  const workflowId = paymentWorkflowId(payment.payment_id, payment.attempt);
  if (kind === 'payment.turn') return signal(client, workflowId, 'turnBegun');
  if (kind === 'payment.due') return signal(client, workflowId, 'clockMoved');
  return signal(client, workflowId, 'paymentChanged', { attempt: payment.attempt, status: payment.status });
}

async function startPayment(client: Client, payment: PaymentMessage, eager: boolean): Promise<void> {
  try {
    await startWorkflow(client, paymentJob(payment, eager));
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** A missing workflow has ended, or will read the payment's row when it starts. */
async function signal(client: Client, workflowId: string, name: string, ...args: unknown[]): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId).signal(name, ...args);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
