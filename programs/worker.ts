import '../infra/process/environment.ts';
import { cancellationSignal } from '@temporalio/activity';
import { Client } from '@temporalio/client';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { bankActivities, bankWorkflowActivities } from '../activities/bank/index.ts';
import { credentialActivities, credentialWorkflowActivities } from '../activities/credential/index.ts';
import { restartLooks, restartSyncs } from '../activities/bank/due.ts';
import { recordConsentEvent } from '../activities/bank/look.ts';
import { bankJourneyActivities } from '../activities/bank/settle.ts';
import { bankSyncActivities } from '../activities/bank/sync.ts';
import { bind } from '../activities/bind.ts';
import { checkReady } from '../activities/readiness.ts';
import { legacyActivities, type DocumentRef } from '../activities/legacy/index.ts';
import { paydayWorkflowActivities } from '../activities/payday/index.ts';
import { restartPaydays } from '../activities/payday/start.ts';
import { paymentActivities } from '../activities/payments/index.ts';
import { compareChains } from '../activities/restore/chains.ts';
import { reconciliationActivities } from '../activities/reconciliation/run.ts';
import { retentionActivities } from '../activities/retention.ts';
import { signInActivities } from '../activities/sign-in.ts';
import { startCheckpoints } from '../activities/verify/loop.ts';
import { verifyActivities } from '../activities/verify/nightly.ts';
import { vaultKeyActivities } from '../activities/vault-keys.ts';
import { accrualRunActivities } from '../activities/yield/run.ts';
import { TASK_QUEUES, type TaskQueue } from '../workflows/ids.ts';
import { startBankClock } from '../infra/background/bank-clock.ts';
import { startBankEvents } from '../infra/background/bank-events.ts';
import { ConfigError, readConfig, type Config, type TemporalConfig } from '../infra/config/index.ts';
import { outliveOutput } from '../infra/process/output.ts';
import { requireDatabase } from '../infra/process/require-database.ts';
import { requireFolder, requireWitness } from '../infra/process/require-witness.ts';
import { startWitness } from '../infra/witness/loop.ts';
import { startBackgroundTask, type BackgroundTask } from '../infra/background/task.ts';
import { startMailTask } from '../infra/mail/task.ts';
import { openServices, type Services } from '../infra/services.ts';
import { exitCodeOf } from '../infra/config/settings.ts';
import { started } from '../infra/process/starting.ts';
import { bundleWorkflows } from '../infra/temporal/bundle.ts';
import { activityInterceptor } from '../infra/temporal/interceptors.ts';
import { startRelay } from '../infra/temporal/relay.ts';
import { untilTemporalServes } from '../infra/temporal/away.ts';
import { ensureSchedules } from '../infra/temporal/schedules.ts';
import { ensureSearchAttributes } from '../infra/temporal/search-attributes.ts';
import { connectionOptions } from '../infra/temporal/client.ts';
import { requireSameTls } from '../infra/temporal/tls-check.ts';
import { clientInterceptors } from '../infra/temporal/client-tracing.ts';
import { installRuntime, workerTracing } from '../infra/temporal/telemetry.ts';
import { startWatching } from '../infra/telemetry/process.ts';

const READER_PROGRAM = new URL('./reader.ts', import.meta.url);
const UPKEEP_EVERY_MS = 60_000;
const SILENT_FOR_S = 180;

export function workerTuning({ worker }: Pick<Config, 'worker'>) {
  return {
    maxConcurrentActivityTaskExecutions: worker.paymentActivities,
    maxConcurrentWorkflowTaskExecutions: worker.paymentWorkflowTasks,
    shutdownGraceTime: '10 seconds',
  } as const;
}

/** The other queues must not slow down payments and users. */
const QUIETLY = {
  maxConcurrentWorkflowTaskExecutions: 2,
  workflowThreadPoolSize: 1,
  maxCachedWorkflows: 10,
  shutdownGraceTime: '10 seconds',
} as const;

/** Many persons are read at the same time, but no request waits for it. */
const READING = { ...QUIETLY, maxConcurrentWorkflowTaskExecutions: 10, maxCachedWorkflows: 200 } as const;

/** Anybody who can reach Temporal can call an activity with any argument, so activities must check their arguments. */
export function activitiesOf(services: Services) {
  const { submitPayment, checkPayment, msUntilDue, askForTurn, markAttention, readBlocked, readFailure, readStatus } =
    paymentActivities(services);
  const { readDocument, giveUpDocument } = legacyActivities(services);
  const { purgeIdempotencyRecords, purgeExpiredAuth } = retentionActivities(services);
  const { msUntilJourneyOver, settleJourney } = bankJourneyActivities(services);
  return {
    payments: {
      ...{ submitPayment, checkPayment, msUntilDue, askForTurn, markAttention, readBlocked, readFailure, readStatus },
      ...paydayWorkflowActivities(services),
    },
    // Only workers of these two queues have the keys to the bank.
    bank: {
      ...bankWorkflowActivities(services),
      ...{ msUntilJourneyOver, settleJourney },
      ...bankSyncActivities(services),
      ...reconciliationActivities(services),
    },
    upkeep: {
      ...vaultKeyActivities(services),
      ...credentialWorkflowActivities(services),
      ...verifyActivities(services),
      purgeIdempotencyRecords: () => purgeIdempotencyRecords(cancellationSignal()),
      purgeExpiredAuth: () => purgeExpiredAuth(cancellationSignal()),
    },
    batch: accrualRunActivities(services),
    documents: {
      readDocument: (ref: DocumentRef) => readDocument(ref, cancellationSignal()),
      giveUpDocument,
    },
  } satisfies Record<TaskQueue, object>;
}

/** The worker of the queue `documents` accepts many documents, and the database decides which one comes next. */
export function createWorker(
  queue: TaskQueue,
  services: Services,
  connection: NativeConnection,
  workflowBundle: { code: string },
): Promise<Worker> {
  const { worker, temporal } = services.config;
  const { activity, sinks } = workerTracing(services.tracing);
  const atOnce = {
    bank: worker.bankActivities,
    upkeep: worker.upkeepActivities,
    batch: worker.batchActivities,
    documents: worker.documentActivities,
  };
  return Worker.create({
    ...(queue === 'payments'
      ? workerTuning(services.config)
      : { ...(queue === 'bank' ? READING : QUIETLY), maxConcurrentActivityTaskExecutions: atOnce[queue] }),
    connection,
    namespace: temporal.namespace,
    workflowBundle,
    ...versioned(worker),
    sinks,
    interceptors: { activity: [...activity, () => ({ inbound: activityInterceptor(services) })] },
    taskQueue: TASK_QUEUES[queue],
    activities: activitiesOf(services)[queue],
  });
}

/** Running workflows move to the promoted build (AUTO_UPGRADE), so no workflow waits for a build without workers. */
function versioned({ deployment }: Config['worker']): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (deployment === undefined) return {};
  const version = { deploymentName: deployment.name, buildId: deployment.buildId };
  return {
    workerDeploymentOptions: { version, useWorkerVersioning: true, defaultVersioningBehavior: 'AUTO_UPGRADE' },
  };
}

/** Set `eager` if the client shares the worker's connection. */
export function startBackground(services: Services, client: Client, { eager = false } = {}): { stop(): Promise<void> } {
  const payments = paymentActivities(services);
  const { sendDueMail } = signInActivities(services);
  const {
    worker: { loops: wanted },
    witness: { folder },
  } = services.config;
  const tasks = [
    ...(wanted.includes('relay') ? [startRelay(services, client, { eager })] : []),
    ...(wanted.includes('bank-events') ? bankTasks(services, payments) : []),
    ...(wanted.includes('mail') ? [startMailTask(services, { sendDueMail })] : []),
    ...(wanted.includes('upkeep') ? startUpkeep(services) : []),
    ...(wanted.includes('witness') && folder !== undefined ? [startWitness(services, folder)] : []),
    ...(wanted.includes('witness') ? [startCheckpoints(services)].filter((task) => task !== undefined) : []),
    services.restoring.start(),
  ];
  return {
    async stop() {
      await Promise.all(tasks.map((task) => task.stop()));
    },
  };
}

function bankTasks(services: Services, payments: ReturnType<typeof paymentActivities>): BackgroundTask[] {
  const { recordBankEvent } = payments;
  const events = startBankEvents(services, { recordBankEvent, ...bind(services, { recordConsentEvent }) });
  return services.config.environment === 'sandbox' ? [events, startBankClock(services)] : [events];
}

/** Several processes may run these tasks, because a process finds no work that another process has restarted. */
function startUpkeep(services: Services): BackgroundTask[] {
  const { restartStalledPayments } = paymentActivities(services);
  const { restartStalledDocuments } = legacyActivities(services);
  const { restartUnsignedCredentials } = credentialActivities(services);
  const { restartUnsettledJourneys } = bankJourneyActivities(services);
  const { expireConnections, remindToReconfirm, restartConsentEnds } = bankActivities(services);
  const lost = bind(services, { restartSyncs, restartLooks, restartPaydays });
  const silent = { silent_for_s: SILENT_FOR_S, limit: 500 };
  const every = (name: string, round: () => Promise<unknown>) =>
    startBackgroundTask({ name, log: services.log, pauseMs: UPKEEP_EVERY_MS }, async () => {
      if (await services.restoring.isNone()) await round();
    });
  return [
    every('payments upkeep', () => restartStalledPayments(silent)),
    every('paydays upkeep', () => lost.restartPaydays(silent)),
    every('credential upkeep', () => restartUnsignedCredentials(silent)),
    every('bank journeys upkeep', () => restartUnsettledJourneys(silent)),
    every('documents upkeep', () => restartStalledDocuments(silent)),
    every('bank upkeep', () => restartConsentEnds(silent)),
    every('bank syncs upkeep', () => lost.restartSyncs(silent)),
    every('bank looks upkeep', () => lost.restartLooks()),
    every('connections upkeep', () => expireConnections(silent)),
    every('bank reminders', () => remindToReconfirm(silent)),
  ];
}

async function main(): Promise<void> {
  outliveOutput();
  const config = readConfig(process.env, 'worker');
  const opened = await openServices(config, 'worker', { readerProgram: READER_PROGRAM });
  // The one place that narrows: Temporal calls only activities of the queues that this worker serves.
  const services = opened as Services & typeof opened;
  await requireFolder(services);
  await requireDatabase(services);
  // Some workers have no keys, and leave this to the others.
  if (opened.keys !== undefined) services.restoring.alsoBy(compareChains(services));
  await requireWitness(services);
  const { queues, deployment } = config.worker;
  const port = config.metrics.workerPort;
  const temporalMetrics = await installRuntime(services.log, { metrics: port !== 0 });
  const workers: Worker[] = [];
  const ready = () => {
    requireRunning(workers, queues.length);
    return checkReady(services);
  };
  const watching = await startWatching(services, { port, ready, more: temporalMetrics });
  const traced = services.tracing.on;
  const [connection, workflowBundle] = await Promise.all([
    untilTemporalServes(services.log, () => connect(config.temporal)),
    bundleWorkflows({ traced }),
  ]);
  const client = new Client({
    connection,
    namespace: config.temporal.namespace,
    ...clientInterceptors(services.tracing),
  });
  await untilTemporalServes(services.log, () => ensureSearchAttributes(client));
  await untilTemporalServes(services.log, () => ensureSchedules(client));
  await paymentActivities(services).ensureSandboxPayees();
  workers.push(
    ...(await Promise.all(queues.map((queue) => createWorker(queue, services, connection, workflowBundle)))),
  );
  // Temporal gives a workflow's first task to this process, which must be an unversioned payments worker.
  const eager = deployment === undefined && queues.includes('payments');
  const background = startBackground(services, client, { eager });
  const stopping = Promise.withResolvers<undefined>();
  const stop = () => {
    stopping.resolve(undefined);
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  started();
  process.once('SIGTERM', stop).once('SIGINT', stop).once('disconnect', stop);
  process.send?.({ ready: true });
  await Promise.all([stopping.promise, ...workers.map((worker) => worker.run().finally(stop))]);
  await background.stop();
  await watching?.close();
  await Promise.all([connection.close(), services.close()]);
}

/** @throws ConfigError if TEMPORAL_TLS is the reason why the worker cannot connect. */
function connect(temporal: TemporalConfig): Promise<NativeConnection> {
  return NativeConnection.connect(connectionOptions(temporal)).catch(async (error: unknown) => {
    await requireSameTls(temporal);
    throw error;
  });
}

function requireRunning(workers: readonly Worker[], count: number): void {
  if (workers.length !== count || workers.some((worker) => worker.getState() !== 'RUNNING'))
    throw new Error('not all task queues are polled');
}

if (import.meta.main) {
  await main().then(
    () => process.exit(0),
    (error: unknown) => {
      const { message = String(error), cause } = (error ?? {}) as { message?: string; cause?: { message?: string } };
      // Temporal's client puts the reason into the error's `cause`.
      const reason = cause?.message === undefined ? message : `${message}: ${cause.message}`;
      process.stderr.write(error instanceof ConfigError ? `${message}\n` : `The worker could not run: ${reason}\n`);
      process.exit(exitCodeOf(error));
    },
  );
}
