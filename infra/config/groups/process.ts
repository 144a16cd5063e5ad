import { resolve } from 'node:path';
import * as z from 'zod';
import { TASK_QUEUES } from '../../../workflows/ids.ts';
import { count, file, group, oneOf, port, portOrNone, someOf, text, url } from '../kinds.ts';

export const BACKGROUND_LOOPS = ['relay', 'bank-events', 'mail', 'upkeep', 'witness'] as const;
export type BackgroundLoop = (typeof BACKGROUND_LOOPS)[number];

export const apiPort = port('RINGFENCE_PORT_API', 8443).describe('The port on which the API listens.');

/** Default values of other settings contain the ports in `stack`. */
export const common = group('Every process', {
  dataDir: text('RINGFENCE_DATA', '.data')
    .overwrite((folder) => resolve(folder))
    .meta({
      takes: 'the path of a folder',
      description: 'The folder for the keys, certificates and logs of `npm start`.',
    }),
  environment: oneOf('RINGFENCE_ENV', ['sandbox', 'production'], 'sandbox').describe(
    'Production refuses development settings.',
  ),
  logLevel: oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info').describe(
    'The lowest level that is logged.',
  ),
  stack: z.object({
    apiPort,
    postgresPort: port('RINGFENCE_PORT_POSTGRES', 5443).describe('The port of the embedded PostgreSQL.'),
    temporalPort: port('RINGFENCE_PORT_TEMPORAL', 7233).describe('The port of the local Temporal.'),
    temporalUiPort: port('RINGFENCE_PORT_TEMPORAL_UI', 8233).describe('The port of its Web UI.'),
    bankPort: port('RINGFENCE_PORT_BANK', 8451).describe('The port of the sandbox bank.'),
  }),
});

export const worker = group('Each worker', {
  queues: someOf('WORKER_QUEUES', Object.values(TASK_QUEUES)).describe(
    'The task queues that it serves. `bank` reads accounts and consents at banks, `upkeep` rotates keys, signs credentials and deletes expired records, and `batch` posts interest.',
  ),
  loops: someOf('WORKER_LOOPS', BACKGROUND_LOOPS).describe(
    'Its background tasks. `relay` delivers outbox messages to Temporal, `upkeep` restarts stalled work, and `witness` writes to `CHECKPOINTS`.',
  ),
  paymentActivities: count('WORKER_PAYMENT_ACTIVITIES', 400, 1, 10_000).describe(
    'How many activities of payments it runs at once.',
  ),
  paymentWorkflowTasks: count('WORKER_PAYMENT_WORKFLOW_TASKS', 40, 2, 10_000).describe(
    'How many of their workflow tasks it runs at once.',
  ),
  bankActivities: count('WORKER_BANK_ACTIVITIES', 100, 1, 10_000).describe(
    'How many activities of `bank` it runs at once.',
  ),
  upkeepActivities: count('WORKER_UPKEEP_ACTIVITIES', 4, 1, 10_000).describe('The same for `upkeep`.'),
  batchActivities: count('WORKER_BATCH_ACTIVITIES', 4, 1, 10_000).describe('The same for `batch`.'),
  documentActivities: count('WORKER_DOCUMENT_ACTIVITIES', 1_000, 1, 10_000).describe(
    'How many documents wait in it. It reads two at a time.',
  ),
  deployment: z
    .object({
      name: text('WORKER_DEPLOYMENT_NAME').describe(
        'The worker deployment in Temporal, the same for all releases. Set `WORKER_BUILD_ID` too.',
      ),
      buildId: text('WORKER_BUILD_ID').describe('The worker’s release in Temporal.'),
    })
    .optional(),
});

export const threads = group('Threads', {
  count: count('THREADS', 2, 1, 64).describe('How many a process uses for long calculations.'),
  queued: count('THREADS_QUEUED', 200, 1, 10_000).describe(
    'How many calculations may wait. Beyond, the newest of the caller with the most gets 503.',
  ),
  queuedOfCaller: count('THREADS_QUEUED_OF_CALLER', 50, 1, 10_000).describe(
    'How many of them a person or API key may have. Callers take turns.',
  ),
});

export const reader = group('Reading documents', {
  folder: text('DOCUMENT_READERS')
    .overwrite((folder) => resolve(folder))
    .meta({
      takes: 'the path of a folder',
      description:
        'The folder of the sockets of readers in containers of their own. Without it, a worker starts readers.',
    })
    .optional(),
  memoryMb: count('DOCUMENT_READER_MEMORY_MB', 1_200, 128, 65_536).describe(
    'The memory in MiB above which a reader is stopped. A worker has two.',
  ),
  timeoutMs: count('DOCUMENT_READER_TIMEOUT_MS', 120_000, 1_000, 600_000).describe('How long one document may take.'),
  textCpuMs: count('DOCUMENT_READER_TEXT_CPU_MS', 6_000, 500, 600_000).describe(
    'How much CPU time one with text may take.',
  ),
  pictureCpuMs: count('DOCUMENT_READER_PICTURE_CPU_MS', 60_000, 1_000, 600_000).describe(
    'The same for a scan or photo.',
  ),
  idleMs: count('DOCUMENT_READER_IDLE_MS', 300_000, 100, 86_400_000).describe('How long an idle reader keeps running.'),
});

export const metrics = group('Metrics and health', {
  host: text('METRICS_HOST', '127.0.0.1').describe('The IP address for metrics and health checks.'),
  apiPort: portOrNone('METRICS_PORT_API', 9464).describe(
    'The API uses the first free of the 20 ports from here. 0 means none.',
  ),
  workerPort: portOrNone('METRICS_PORT_WORKER', 9484).describe('The same for a worker.'),
});

export const tracing = group('Traces', {
  endpoint: url('OTEL_EXPORTER_OTLP_ENDPOINT', ['https', 'http'])
    .describe('Where the service sends traces by OTLP over HTTP. Without this and the next setting, it sends none.')
    .optional(),
  tracesEndpoint: url('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', ['https', 'http'])
    .describe('The full URL for traces, in place of the one above.')
    .optional(),
  serviceName: text('OTEL_SERVICE_NAME')
    .describe('The service’s name in traces, in place of `ringfence-api` or `ringfence-worker`.')
    .optional(),
});

export const sandboxBank = group('The sandbox bank', {
  host: text('SANDBOX_BANK_HOST', '127.0.0.1').describe('The IP address on which it listens.'),
  instantMs: count('SANDBOX_BANK_INSTANT_MS', 1_000, 0, 86_400_000).describe(
    'How long it takes to settle most payments.',
  ),
  slowMs: count('SANDBOX_BANK_SLOW_MS', 20_000, 0, 86_400_000).describe('The same for `prov_sandbox_slow`.'),
  returnMs: count('SANDBOX_BANK_RETURN_MS', 5_000, 0, 86_400_000).describe(
    'How long after settlement it returns a payment to `prov_sandbox_return`.',
  ),
  requestsPerMinute: count('SANDBOX_BANK_REQUESTS_PER_MINUTE', 0, 0, 1_000_000).describe(
    'Above how many requests a minute it responds with 429. 0 means never.',
  ),
  unattendedReadsPerDay: count('SANDBOX_BANK_UNATTENDED_READS_PER_DAY', 0, 0, 1_000_000).describe(
    'The same for its TrueLayer: how many reads of an account in 24 hours without the person.',
  ),
});

export const mail = group('Mail', {
  smtpUrl: url('SMTP_URL', ['smtp', 'smtps'])
    .refine((address) => URL.parse(address)?.search === '')
    .meta({
      takes: 'a URL that begins with smtp:// or smtps:// and has no parameters',
      description:
        'The mail server, with STARTTLS (`smtp://`) or TLS (`smtps://`). If unset, emails become files in `{RINGFENCE_DATA}/outbox`.',
    })
    .optional(),
  smtpCa: file('SMTP_CA').describe('The CA of its certificate.').optional(),
  from: text('MAIL_FROM', 'Ringfence <no-reply@localhost>').describe('The sender address of emails.'),
});
