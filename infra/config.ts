import { resolve } from 'node:path';
import type { VaultType } from '../domain/ledger.ts';
import type { Ratio } from '../domain/money.ts';
import { RATE_DECIMALS } from '../domain/yield.ts';
import { TASK_QUEUES, type TaskQueue } from '../workflows/ids.ts';
import { readLimits, type LimitsConfig } from './limits-config.ts';
import { ConfigError, settingsOf, type Environment, type Settings } from './settings.ts';

export { ConfigError } from './settings.ts';

const QUEUES = Object.values(TASK_QUEUES);

/**
 * Every setting of the service: its environment variable, its default, and what it means.
 * `readConfig` checks all of them at start; a wrong one names itself and nothing starts.
 */
export interface Config {
  environment: 'sandbox' | 'production';
  dataDir: string;
  logLevel: LogLevel;
  metrics: MetricsConfig;
  tracing: TracingConfig;
  api: ApiConfig;
  database: DatabaseConfig;
  temporal: { address: string; namespace: string; uiUrl: string; tls: boolean };
  worker: WorkerConfig;
  bank: BankConfig;
  /** Where the sandbox bank listens, and how long it takes: to settle, to settle slowly, and to return. */
  sandboxBank: { host: string; instantMs: number; slowMs: number; returnMs: number };
  keys: KeysConfig;
  passwords: { concurrentHashes: number; queuedHashes: number };
  /** Long calculations: how many at once, and how many may wait. */
  threads: { count: number; queued: number };
  reader: ReaderConfig;
  mail: MailConfig;
  /** PEM file of authorities that sign-in providers are trusted by, beside those of the system; none where undefined. */
  signInCa: string | undefined;
  limits: LimitsConfig;
  credentials: CredentialsConfig;
  /** Interest a year by vault type. */
  yield: { annualRates: Readonly<Record<VaultType, Ratio>> };
  stack: { postgresPort: number; temporalPort: number; temporalUiPort: number; bankPort: number };
}

export interface DatabaseConfig {
  url: string;
  /** Connections of one process at most. */
  poolSize: number;
  /** How long a statement may take, and so how long a database that hangs is waited for. */
  timeoutMs: number;
  /** How long a migration waits for a lock before it lets everybody else pass and tries again. */
  migrationLockMs?: number;
  /** For how long it tries. */
  migrationTryS?: number;
}

/** What one worker process does, and how much of it at once. */
export interface WorkerConfig {
  /** The task queues that it serves. */
  queues: readonly TaskQueue[];
  /** What it does besides. */
  loops: readonly BackgroundLoop[];
  paymentActivities: number;
  paymentWorkflowTasks: number;
  upkeepActivities: number;
  batchActivities: number;
  documentActivities: number;
  /** The release that it is, where Temporal is to tell releases apart. */
  deployment: { name: string; buildId: string } | undefined;
}

/** Outbox to Temporal, the bank's events to the ledger, letters to the mail server, and what fell silent or is over. */
export const BACKGROUND_LOOPS = ['relay', 'bank-events', 'mail', 'upkeep'] as const;
export type BackgroundLoop = (typeof BACKGROUND_LOOPS)[number];

export interface TlsFiles {
  ca: string;
  cert: string;
  key: string;
}

export interface ApiConfig {
  host: string;
  port: number;
  /** Where clients reach it, without a slash at its end: the issuer of tokens. */
  publicUrl: string;
  tls: TlsFiles;
  /** PEM file of the authorities whose client certificates may reach the PII vault. */
  vaultClientCa: string;
  /** PEM file of the key of that authority, on the machine where operators issue certificates; the local one by default. */
  vaultClientCaKey: string | undefined;
  /** Requests with files: how many are held in memory at once, how long others wait for a place, how far apart they begin. */
  uploads: { most: number; waitMs: number; apartMs: number };
  /** A second listener, in plain HTTP, for proxies that end TLS; it is off where the port is 0. */
  proxied: { host: string; port: number; trusted: readonly string[] };
}

/** Where each process tells metrics and health: the first free one of twenty ports; it is off where the port is 0. */
export interface MetricsConfig {
  host: string;
  apiPort: number;
  workerPort: number;
}

/** Where spans go by OTLP over HTTP; nowhere without an endpoint. OpenTelemetry's other variables count as it reads them. */
export interface TracingConfig {
  endpoint: string | undefined;
  tracesEndpoint: string | undefined;
  serviceName: string | undefined;
}

/** Where the master keys are: in a file of this machine, or in a Transit engine of HashiCorp Vault or OpenBao. */
export interface KeysConfig {
  service: 'file' | 'transit';
  masterKeyFile: string;
  /** How often a process looks whether another one rotated the master keys. */
  reloadMs: number;
  transit: { url: string; mount: string; key: string; tokenFile: string; ca: string | undefined; timeoutMs: number };
}

/** The process that reads documents. */
export interface ReaderConfig {
  /** More than this, whatever the document, and the process is ended. */
  memoryMb: number;
  /** What takes longer is not read. */
  timeoutMs: number;
  /** Without work for so long, the process ends. */
  idleMs: number;
  /** How many documents may wait for their turn. */
  queued: number;
}

export interface MailConfig {
  /** `smtp://` or `smtps://`; without it letters are written into the folder. */
  smtpUrl: string | undefined;
  from: string;
  outboxDir: string;
}

/** Credentials of reliability. */
export interface CredentialsConfig {
  /** How long a caller is held until a new one is signed. */
  signWithinMs: number;
  /** PEM files: the certificate that signs them as PDF, with those above it, and its key. */
  pdfCertificate: string;
  pdfKey: string;
}

export interface BankConfig {
  url: string;
  clientId: string;
  consentId: string;
  tls: TlsFiles;
  signingKey: string;
  signingKeyId: string;
  signingIssuer: string;
  /** Certificates, PEM, whose keys sign the bank's answers. */
  serverSigningCertificate: string;
  tokenUrl: string;
  eventsUrl: string;
  timeoutMs: number;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Reads and checks all settings. @throws ConfigError naming the first one that is wrong. */
export function readConfig(env: Environment = process.env): Config {
  const setting = settingsOf(env);
  const dataDir = resolve(setting.text('RINGFENCE_DATA', '.data'));
  const pki = (file: string) => resolve(dataDir, 'pki', file);
  const apiPort = setting.port('RINGFENCE_PORT_API', 8443);
  const postgresPort = setting.port('RINGFENCE_PORT_POSTGRES', 5443);
  const temporalPort = setting.port('RINGFENCE_PORT_TEMPORAL', 7233);
  const temporalUiPort = setting.port('RINGFENCE_PORT_TEMPORAL_UI', 8233);
  const bankPort = setting.port('RINGFENCE_PORT_BANK', 8451);
  return {
    environment: setting.oneOf('RINGFENCE_ENV', ['sandbox', 'production'], 'sandbox'),
    dataDir,
    logLevel: setting.oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info'),
    metrics: readMetrics(setting),
    tracing: readTracing(setting),
    api: readApi(setting, apiPort, pki),
    database: {
      url: setting.url('DATABASE_URL', `postgresql://ringfence:ringfence@localhost:${postgresPort}/ringfence`, [
        'postgresql:',
        'postgres:',
      ]),
      poolSize: setting.count('DATABASE_POOL_SIZE', 20, { least: 5, most: 1000 }),
      migrationLockMs: setting.count('DATABASE_MIGRATION_LOCK_MS', 1_000, { least: 10, most: 60_000 }),
      migrationTryS: setting.count('DATABASE_MIGRATION_TRY_S', 300, { least: 1, most: 86_400 }),
      timeoutMs: setting.count('DATABASE_TIMEOUT_MS', 15_000, { least: 1_000, most: 600_000 }),
    },
    temporal: {
      address: setting.text('TEMPORAL_ADDRESS', `localhost:${temporalPort}`),
      namespace: setting.text('TEMPORAL_NAMESPACE', 'default'),
      uiUrl: setting.url('TEMPORAL_UI_URL', `http://localhost:${temporalUiPort}`, ['https:', 'http:']),
      tls: setting.oneOf('TEMPORAL_TLS', ['true', 'false'], 'false') === 'true',
    },
    worker: readWorker(setting),
    bank: readBank(setting, bankPort, pki),
    sandboxBank: {
      host: setting.text('SANDBOX_BANK_HOST', '127.0.0.1'),
      instantMs: setting.count('SANDBOX_BANK_INSTANT_MS', 1_000, { least: 0, most: 86_400_000 }),
      slowMs: setting.count('SANDBOX_BANK_SLOW_MS', 20_000, { least: 0, most: 86_400_000 }),
      returnMs: setting.count('SANDBOX_BANK_RETURN_MS', 5_000, { least: 0, most: 86_400_000 }),
    },
    keys: readKeys(setting, dataDir),
    passwords: {
      concurrentHashes: setting.count('PASSWORD_CONCURRENT_HASHES', 2, { least: 1, most: 64 }),
      queuedHashes: setting.count('PASSWORD_QUEUED_HASHES', 200, { least: 1, most: 10_000 }),
    },
    threads: {
      count: setting.count('THREADS', 2, { least: 1, most: 64 }),
      queued: setting.count('THREADS_QUEUED', 50, { least: 1, most: 10_000 }),
    },
    reader: readReader(setting),
    mail: {
      smtpUrl: setting.optionalUrl('SMTP_URL', ['smtp:', 'smtps:']),
      from: setting.text('MAIL_FROM', 'Ringfence <no-reply@localhost>'),
      outboxDir: resolve(dataDir, 'outbox'),
    },
    signInCa: setting.optional('SIGN_IN_CA'),
    limits: readLimits(setting),
    credentials: {
      signWithinMs: setting.count('CREDENTIAL_SIGN_WITHIN_MS', 25_000, { least: 100, most: 60_000 }),
      pdfCertificate: setting.text('CREDENTIAL_PDF_CERT', pki('credential-signing.crt')),
      pdfKey: setting.text('CREDENTIAL_PDF_KEY', pki('credential-signing.key')),
    },
    yield: { annualRates: readRates(setting) },
    stack: { postgresPort, temporalPort, temporalUiPort, bankPort },
  };
}

function readApi(setting: Settings, port: number, pki: (file: string) => string): ApiConfig {
  const ca = setting.text('TLS_CA', pki('ca.crt'));
  const publicUrl = setting.url('RINGFENCE_PUBLIC_URL', `https://localhost:${port}`, ['https:', 'http:']);
  return {
    host: setting.text('RINGFENCE_HOST', 'localhost'),
    port,
    publicUrl: publicUrl.replace(/\/+$/, ''),
    tls: { ca, cert: setting.text('TLS_CERT', pki('server.crt')), key: setting.text('TLS_KEY', pki('server.key')) },
    ...readVaultClients(setting, pki),
    uploads: {
      most: setting.count('UPLOADS_AT_ONCE', 16, { least: 1, most: 1_000 }),
      waitMs: setting.count('UPLOADS_WAIT_MS', 10_000, { least: 100, most: 60_000 }),
      apartMs: setting.count('UPLOADS_APART_MS', 100, { least: 0, most: 1_000 }),
    },
    proxied: {
      host: setting.text('RINGFENCE_PROXIED_HOST', '127.0.0.1'),
      port: setting.count('RINGFENCE_PORT_PROXIED', 0, { least: 0, most: 65_535 }),
      trusted: setting.networks('RINGFENCE_TRUSTED_PROXIES', '127.0.0.1/32,::1/128'),
    },
  };
}

/** Of another authority than the local one, the key is known only where it is named. */
function readVaultClients(setting: Settings, pki: (file: string) => string) {
  const local = pki('vault-client-ca.crt');
  const vaultClientCa = setting.text('VAULT_CLIENT_CA', local);
  const key = vaultClientCa === local ? pki('vault-client-ca.key') : undefined;
  return { vaultClientCa, vaultClientCaKey: setting.optional('VAULT_CLIENT_CA_KEY') ?? key };
}

function readMetrics(setting: Settings): MetricsConfig {
  const orNone = { least: 0, most: 65_535 };
  return {
    host: setting.text('METRICS_HOST', '127.0.0.1'),
    apiPort: setting.count('METRICS_PORT_API', 9464, orNone),
    workerPort: setting.count('METRICS_PORT_WORKER', 9484, orNone),
  };
}

function readTracing(setting: Settings): TracingConfig {
  return {
    endpoint: setting.optionalUrl('OTEL_EXPORTER_OTLP_ENDPOINT', ['https:', 'http:']),
    tracesEndpoint: setting.optionalUrl('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', ['https:', 'http:']),
    serviceName: setting.optional('OTEL_SERVICE_NAME'),
  };
}

function readRates(setting: Settings): Config['yield']['annualRates'] {
  const exact = { decimals: RATE_DECIMALS };
  return {
    FIXED: setting.ratio('YIELD_RATE_FIXED', '0', exact),
    SAVINGS: setting.ratio('YIELD_RATE_SAVINGS', '0.0410', exact),
    DISCRETIONARY: setting.ratio('YIELD_RATE_DISCRETIONARY', '0', exact),
  };
}

function readWorker(setting: Settings): WorkerConfig {
  const atOnce = { least: 1, most: 10_000 };
  const name = setting.optional('WORKER_DEPLOYMENT_NAME');
  const buildId = setting.optional('WORKER_BUILD_ID');
  if ((name === undefined) !== (buildId === undefined))
    throw new ConfigError('WORKER_DEPLOYMENT_NAME and WORKER_BUILD_ID belong together: set both, or neither.');
  return {
    queues: setting.someOf('WORKER_QUEUES', QUEUES, QUEUES),
    loops: setting.someOf('WORKER_LOOPS', BACKGROUND_LOOPS, BACKGROUND_LOOPS),
    paymentActivities: setting.count('WORKER_PAYMENT_ACTIVITIES', 400, atOnce),
    paymentWorkflowTasks: setting.count('WORKER_PAYMENT_WORKFLOW_TASKS', 40, { least: 2, most: 10_000 }),
    upkeepActivities: setting.count('WORKER_UPKEEP_ACTIVITIES', 4, atOnce),
    batchActivities: setting.count('WORKER_BATCH_ACTIVITIES', 4, atOnce),
    documentActivities: setting.count('WORKER_DOCUMENT_ACTIVITIES', 4, atOnce),
    deployment: name === undefined || buildId === undefined ? undefined : { name, buildId },
  };
}

function readKeys(setting: Settings, dataDir: string): KeysConfig {
  return {
    service: setting.oneOf('KEY_SERVICE', ['file', 'transit'], 'file'),
    masterKeyFile: setting.text('MASTER_KEY_FILE', resolve(dataDir, 'keys', 'master.json')),
    reloadMs: setting.count('KEY_RELOAD_MS', 2_000, { least: 100, most: 60_000 }),
    transit: {
      url: setting.url('TRANSIT_URL', 'https://localhost:8200', ['https:', 'http:']).replace(/\/+$/, ''),
      mount: setting.text('TRANSIT_MOUNT', 'transit'),
      key: setting.text('TRANSIT_KEY', 'ringfence'),
      tokenFile: setting.text('TRANSIT_TOKEN_FILE', resolve(dataDir, 'keys', 'transit-token')),
      ca: setting.optional('TRANSIT_CA'),
      timeoutMs: setting.count('TRANSIT_TIMEOUT_MS', 3_000, { least: 100, most: 60_000 }),
    },
  };
}

function readReader(setting: Settings): ReaderConfig {
  return {
    memoryMb: setting.count('DOCUMENT_READER_MEMORY_MB', 1_200, { least: 128, most: 65_536 }),
    timeoutMs: setting.count('DOCUMENT_READER_TIMEOUT_MS', 60_000, { least: 1_000, most: 600_000 }),
    idleMs: setting.count('DOCUMENT_READER_IDLE_MS', 300_000, { least: 100, most: 86_400_000 }),
    queued: setting.count('DOCUMENT_READER_QUEUED', 50, { least: 1, most: 10_000 }),
  };
}

function readBank(setting: Settings, bankPort: number, pki: (file: string) => string): BankConfig {
  const bankUrl = setting.url('BANK_URL', `https://localhost:${bankPort}`, ['https:']).replace(/\/+$/, '');
  return {
    url: bankUrl,
    tokenUrl: setting.url('BANK_TOKEN_URL', `${bankUrl}/token`, ['https:']),
    eventsUrl: setting.url('BANK_EVENTS_URL', `${bankUrl}/events`, ['https:']),
    clientId: setting.text('BANK_CLIENT_ID', 'ringfence'),
    consentId: setting.text('BANK_CONSENT_ID', 'sandbox-consent'),
    tls: {
      ca: setting.text('BANK_TLS_CA', pki('ca.crt')),
      cert: setting.text('BANK_TLS_CERT', pki('bank-client.crt')),
      key: setting.text('BANK_TLS_KEY', pki('bank-client.key')),
    },
    signingKey: setting.text('BANK_SIGNING_KEY', pki('bank-signing.key')),
    signingKeyId: setting.text('BANK_SIGNING_KEY_ID', 'ringfence-signing'),
    signingIssuer: setting.text('BANK_SIGNING_ISSUER', 'ringfence.local'),
    serverSigningCertificate: setting.text('BANK_SERVER_SIGNING_CERT', pki('bank-server-signing.crt')),
    timeoutMs: setting.count('BANK_TIMEOUT_MS', 10_000, { least: 100, most: 120_000 }),
  };
}
