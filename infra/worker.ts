import { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { credentialActivities, credentialWorkflowActivities } from '../activities/credential/index.ts';
import { idempotencyActivities } from '../activities/idempotency.ts';
import { legacyActivities } from '../activities/legacy/index.ts';
import { paymentActivities } from '../activities/payments/index.ts';
import { signInActivities } from '../activities/sign-in.ts';
import { vaultKeyActivities } from '../activities/vault-keys.ts';
import { recordRates } from '../activities/yield/rates.ts';
import { accrualRunActivities } from '../activities/yield/run.ts';
import { TASK_QUEUES } from '../workflows/ids.ts';
import { startBankEvents } from './bank-events.ts';
import { readConfig, type Config } from './config.ts';
import { startLoop } from './loop.ts';
import { startMailLoop } from './mail/loop.ts';
import { openServices, type Services } from './services.ts';
import { bundleWorkflows } from './temporal/bundle.ts';
import { activityInterceptor } from './temporal/interceptors.ts';
import { startRelay } from './temporal/relay.ts';
import { ensureSchedules } from './temporal/schedules.ts';
import { ensureSearchAttributes } from './temporal/search-attributes.ts';
import { clientInterceptors } from './temporal/client-tracing.ts';
import { installRuntime, workerTracing } from './temporal/telemetry.ts';
import { startWatching } from './telemetry/process.ts';

const UPKEEP_EVERY_MS = 60_000;
const AUTH_UPKEEP_EVERY_MS = 600_000;
const SILENT_FOR_S = 180;

/** How much a worker of ours does at once. */
export function workerTuning({ worker }: Pick<Config, 'worker'>) {
  return {
    maxConcurrentActivityTaskExecutions: worker.paymentActivities,
    maxConcurrentWorkflowTaskExecutions: worker.paymentWorkflowTasks,
    shutdownGraceTime: '10 seconds',
  } as const;
}

/** How much a worker of the other queues does at once: little, so that payments and people never wait for it. */
const QUIETLY = {
  maxConcurrentActivityTaskExecutions: 4,
  maxConcurrentWorkflowTaskExecutions: 2,
  workflowThreadPoolSize: 1,
  maxCachedWorkflows: 10,
  shutdownGraceTime: '10 seconds',
} as const;

type WorkerParts = [services: Services, connection: NativeConnection, workflowBundle: { code: string }];

/** A Temporal worker of the payments queue. */
export function createPaymentsWorker(...[services, connection, workflowBundle]: WorkerParts): Promise<Worker> {
  const { submitPayment, checkPayment, msUntilDue, markAttention, readFailure, readStatus } =
    paymentActivities(services);
  return Worker.create({
    ...workerTuning(services.config),
    ...shared(services, connection, workflowBundle),
    taskQueue: TASK_QUEUES.payments,
    activities: { submitPayment, checkPayment, msUntilDue, markAttention, readFailure, readStatus },
  });
}

/** A Temporal worker of what the service does for itself, beside the payments. */
export function createUpkeepWorker(...[services, connection, workflowBundle]: WorkerParts): Promise<Worker> {
  return Worker.create({
    ...QUIETLY,
    ...shared(services, connection, workflowBundle),
    taskQueue: TASK_QUEUES.upkeep,
    activities: { ...vaultKeyActivities(services), ...credentialWorkflowActivities(services) },
  });
}

/** A Temporal worker of what goes over everybody's money at night. */
export function createBatchWorker(...[services, connection, workflowBundle]: WorkerParts): Promise<Worker> {
  return Worker.create({
    ...QUIETLY,
    ...shared(services, connection, workflowBundle),
    taskQueue: TASK_QUEUES.batch,
    activities: accrualRunActivities(services),
  });
}

/** A Temporal worker of the documents: its reader takes one after another, the others wait for their turn. */
export function createDocumentsWorker(...[services, connection, workflowBundle]: WorkerParts): Promise<Worker> {
  const { readDocument, giveUpDocument } = legacyActivities(services);
  return Worker.create({
    ...QUIETLY,
    ...shared(services, connection, workflowBundle),
    taskQueue: TASK_QUEUES.documents,
    activities: { readDocument, giveUpDocument },
  });
}

function shared(...[services, connection, workflowBundle]: WorkerParts) {
  const { activity, sinks } = workerTracing(services.tracing);
  return {
    connection,
    namespace: services.config.temporal.namespace,
    workflowBundle,
    sinks,
    interceptors: { activity: [...activity, () => ({ inbound: activityInterceptor() })] },
  };
}

/**
 * What runs beside the workers: the outbox relay, the bank's events, letters, and the upkeep of what fell silent or is over.
 * `eager` when the client is on the worker's own connection.
 */
export function startBackground(services: Services, client: Client, { eager = false } = {}): { stop(): Promise<void> } {
  const payments = paymentActivities(services);
  const legacy = legacyActivities(services);
  const { purgeIdempotencyRecords } = idempotencyActivities(services);
  const signIn = signInActivities(services);
  const { restartUnsignedCredentials } = credentialActivities(services);
  const loops = [
    startRelay(services, client, { eager }),
    startBankEvents(services, payments),
    startLoop({ name: 'payments upkeep', log: services.log, restMs: UPKEEP_EVERY_MS }, async () => {
      await payments.restartStalledPayments({ silent_for_s: SILENT_FOR_S, limit: 500 });
    }),
    startLoop({ name: 'credential upkeep', log: services.log, restMs: UPKEEP_EVERY_MS }, async () => {
      await restartUnsignedCredentials({ silent_for_s: SILENT_FOR_S, limit: 500 });
    }),
    startLoop({ name: 'documents upkeep', log: services.log, restMs: UPKEEP_EVERY_MS }, async () => {
      await legacy.restartStalledDocuments({ silent_for_s: SILENT_FOR_S, limit: 500 });
    }),
    startLoop({ name: 'idempotency upkeep', log: services.log, restMs: UPKEEP_EVERY_MS }, async () => {
      while ((await purgeIdempotencyRecords()).purged > 0);
    }),
    startMailLoop(services, signIn),
    startLoop({ name: 'sign-in upkeep', log: services.log, restMs: AUTH_UPKEEP_EVERY_MS }, async () => {
      await signIn.purgeExpiredAuth();
    }),
  ];
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

async function main(): Promise<void> {
  const config = readConfig();
  const services = await openServices(config, 'worker');
  const port = config.metrics.workerPort;
  const temporalMetrics = await installRuntime(services.log, { metrics: port !== 0 });
  const workers: Worker[] = [];
  const ready = () => requireRunning(workers);
  const watching = await startWatching(services, { port, ready, more: temporalMetrics });
  const traced = services.tracing.on;
  const [connection, workflowBundle] = await Promise.all([connect(config, services), bundleWorkflows({ traced })]);
  const client = new Client({
    connection,
    namespace: config.temporal.namespace,
    ...clientInterceptors(services.tracing),
  });
  await ensureSearchAttributes(client);
  await ensureSchedules(client);
  await paymentActivities(services).ensureSandboxPayees();
  await recordRates(services);
  const created = await Promise.all([
    createPaymentsWorker(services, connection, workflowBundle),
    createUpkeepWorker(services, connection, workflowBundle),
    createBatchWorker(services, connection, workflowBundle),
    createDocumentsWorker(services, connection, workflowBundle),
  ]);
  workers.push(...created);
  const background = startBackground(services, client, { eager: true });
  const stop = () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  process.once('SIGTERM', stop).once('SIGINT', stop).once('disconnect', stop);
  process.send?.({ ready: true });
  await Promise.all(workers.map((worker) => worker.run().finally(stop)));
  await background.stop();
  await watching?.close();
  await Promise.all([connection.close(), services.close()]);
}

/** @throws where one of the workers does not poll, or none was made yet. */
function requireRunning(workers: readonly Worker[]): void {
  if (workers.length === 0 || workers.some((worker) => worker.getState() !== 'RUNNING'))
    throw new Error('not all task queues are polled');
}

/** Temporal may come up after us: asks until it answers. */
async function connect(config: Config, services: Services): Promise<NativeConnection> {
  for (;;) {
    try {
      return await NativeConnection.connect({ address: config.temporal.address, tls: config.temporal.tls });
    } catch (error) {
      services.log.warn({ address: config.temporal.address, reason: String(error) }, 'Temporal does not answer yet');
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}

if (import.meta.main) {
  await main().then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`The worker could not run: ${error instanceof Error ? error.message : String(error)}\n`);
      process.exit(1);
    },
  );
}
