import { resolve } from 'node:path';
import * as z from 'zod';
import { TASK_QUEUES } from '../../../workflows/ids.ts';
import { count, file, group, oneOf, port, portOrNone, someOf, text, url } from '../kinds.ts';

export const BACKGROUND_LOOPS = ['relay', 'bank-events', 'mail', 'upkeep'] as const;
export type BackgroundLoop = (typeof BACKGROUND_LOOPS)[number];

export const apiPort = port('RINGFENCE_PORT_API', 8443).describe('The port on which the API listens.');

/** Default values of other settings contain the ports in `stack`. */
export const common = group('Every process', {
  dataDir: text('RINGFENCE_DATA', '.data')
    .overwrite((folder) => resolve(folder))
    .meta({
      takes: 'the path of a folder',
      description: 'The folder for local state, such as the keys, certificates and logs of `npm start`.',
    }),
  environment: oneOf('RINGFENCE_ENV', ['sandbox', 'production'], 'sandbox').describe(
    'Whether the process is part of a sandbox or of production. Production refuses development settings.',
  ),
  logLevel: oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info').describe(
    'The lowest level of log messages that the process writes.',
  ),
  stack: z.object({
    apiPort,
    postgresPort: port('RINGFENCE_PORT_POSTGRES', 5443).describe('The port of the embedded PostgreSQL.'),
    temporalPort: port('RINGFENCE_PORT_TEMPORAL', 7233).describe('The port of the local Temporal.'),
    temporalUiPort: port('RINGFENCE_PORT_TEMPORAL_UI', 8233).describe('The port of the local Temporal’s Web UI.'),
    bankPort: port('RINGFENCE_PORT_BANK', 8451).describe('The port of the sandbox bank.'),
  }),
});

export const worker = group('Each worker', {
  queues: someOf('WORKER_QUEUES', Object.values(TASK_QUEUES)).describe(
    'The task queues of Temporal that the worker serves.',
  ),
  loops: someOf('WORKER_LOOPS', BACKGROUND_LOOPS).describe('The background tasks that the worker runs.'),
  paymentActivities: count('WORKER_PAYMENT_ACTIVITIES', 400, 1, 10_000).describe(
    'The maximum number of payment activities that a worker runs at once.',
  ),
  paymentWorkflowTasks: count('WORKER_PAYMENT_WORKFLOW_TASKS', 40, 2, 10_000).describe(
    'The maximum number of workflow tasks of payments that a worker runs at once.',
  ),
  upkeepActivities: count('WORKER_UPKEEP_ACTIVITIES', 4, 1, 10_000).describe(
    'The maximum number of activities of the queue `upkeep` that a worker runs at once.',
  ),
  batchActivities: count('WORKER_BATCH_ACTIVITIES', 4, 1, 10_000).describe(
    'The maximum number of activities of the queue `batch` that a worker runs at once.',
  ),
  documentActivities: count('WORKER_DOCUMENT_ACTIVITIES', 1_000, 1, 10_000).describe(
    'The maximum number of documents that wait in a worker or are being read. A worker reads two documents at a time.',
  ),
  deployment: z
    .object({
      name: text('WORKER_DEPLOYMENT_NAME').describe(
        'The name of the worker deployment in Temporal, the same for all releases (`DEPLOYING.md`). Set `WORKER_BUILD_ID` too.',
      ),
      buildId: text('WORKER_BUILD_ID').describe(
        'The id of the worker’s release in Temporal. Set `WORKER_DEPLOYMENT_NAME` too.',
      ),
    })
    .optional(),
});

export const threads = group('Threads', {
  count: count('THREADS', 2, 1, 64).describe(
    'The maximum number of threads that a process uses for long calculations.',
  ),
  queued: count('THREADS_QUEUED', 50, 1, 10_000).describe(
    'The maximum number of long calculations that wait in a process for a thread.',
  ),
});

export const reader = group('Reading documents', {
  memoryMb: count('DOCUMENT_READER_MEMORY_MB', 1_200, 128, 65_536).describe(
    'The maximum memory of a document reader, in MiB. A reader that uses more is stopped. Each worker of the queue `documents` has two readers.',
  ),
  timeoutMs: count('DOCUMENT_READER_TIMEOUT_MS', 120_000, 1_000, 600_000).describe(
    'How long reading one document may take.',
  ),
  textCpuMs: count('DOCUMENT_READER_TEXT_CPU_MS', 6_000, 500, 600_000).describe(
    'How much CPU time reading a document with text may take.',
  ),
  pictureCpuMs: count('DOCUMENT_READER_PICTURE_CPU_MS', 60_000, 1_000, 600_000).describe(
    'How much CPU time reading a scanned document or photo may take.',
  ),
  idleMs: count('DOCUMENT_READER_IDLE_MS', 300_000, 100, 86_400_000).describe(
    'How long an idle document reader keeps running.',
  ),
});

export const metrics = group('Metrics and health', {
  host: text('METRICS_HOST', '127.0.0.1').describe(
    'The IP address on which a process serves metrics and health checks.',
  ),
  apiPort: portOrNone('METRICS_PORT_API', 9464).describe(
    'The API tries 20 ports, beginning with this port, and uses the first free port. 0 means no listener.',
  ),
  workerPort: portOrNone('METRICS_PORT_WORKER', 9484).describe(
    'A worker tries 20 ports, beginning with this port, and uses the first free port. 0 means no listener.',
  ),
});

export const tracing = group('Traces', {
  endpoint: url('OTEL_EXPORTER_OTLP_ENDPOINT', ['https', 'http'])
    .describe(
      'The URL to which the service sends traces (OTLP over HTTP). If neither this setting nor `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` is set, the service sends no traces.',
    )
    .optional(),
  tracesEndpoint: url('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', ['https', 'http'])
    .describe('The full URL for traces, in place of `OTEL_EXPORTER_OTLP_ENDPOINT`.')
    .optional(),
  serviceName: text('OTEL_SERVICE_NAME')
    .describe('The service’s name in traces, in place of `ringfence-api` or `ringfence-worker`.')
    .optional(),
});

export const sandboxBank = group('The sandbox bank', {
  host: text('SANDBOX_BANK_HOST', '127.0.0.1').describe('The IP address on which the sandbox bank listens.'),
  instantMs: count('SANDBOX_BANK_INSTANT_MS', 1_000, 0, 86_400_000).describe(
    'How long the sandbox bank takes to settle most payments.',
  ),
  slowMs: count('SANDBOX_BANK_SLOW_MS', 20_000, 0, 86_400_000).describe(
    'How long the sandbox bank takes to settle a payment to the payee `prov_sandbox_slow`.',
  ),
  returnMs: count('SANDBOX_BANK_RETURN_MS', 5_000, 0, 86_400_000).describe(
    'How long after settlement the sandbox bank returns the money of a payment to `prov_sandbox_return`.',
  ),
});

export const mail = group('Mail', {
  smtpUrl: url('SMTP_URL', ['smtp', 'smtps'])
    .refine((address) => URL.parse(address)?.search === '')
    .meta({
      takes: 'a URL that begins with smtp:// or smtps:// and has no parameters',
      description:
        'The URL of the mail server, with STARTTLS (`smtp://`) or TLS (`smtps://`). If unset, the worker writes emails to files in `{RINGFENCE_DATA}/outbox`. Production requires this setting.',
    })
    .optional(),
  smtpCa: file('SMTP_CA')
    .describe(
      'The certificate of the CA that issued the mail server’s certificate, in PEM. If unset, the service trusts the public CAs that Node.js trusts.',
    )
    .optional(),
  from: text('MAIL_FROM', 'Ringfence <no-reply@localhost>').describe('The sender address of emails.'),
});
