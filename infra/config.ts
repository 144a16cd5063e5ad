import { resolve } from 'node:path';
import type { VaultType } from '../domain/ledger.ts';
import type { Ratio } from '../domain/money.ts';
import type { TaskQueue } from '../workflows/ids.ts';
import * as read from './config/groups.ts';
import { readLimits, type LimitsConfig } from './config/limits.ts';
import { groupsOf, type BackgroundLoop, type SettingGroup, type SettingReader } from './config/process-settings.ts';
import { requireProduction } from './config/production.ts';
import { settingsOf, type Environment, type Settings } from './config/settings.ts';
import { unread } from './config/unread.ts';

export { ConfigError } from './config/settings.ts';

/**
 * Every setting of the service: its environment variable, its default, and what it means.
 * `readConfig` checks those that the process uses at start; a wrong one names itself and nothing starts.
 */
export interface Config {
  environment: 'sandbox' | 'production';
  /** The groups of settings that this process uses. Reading any other setting throws. */
  uses: ReadonlySet<SettingGroup>;
  dataDir: string;
  logLevel: LogLevel;
  metrics: MetricsConfig;
  tracing: TracingConfig;
  api: ApiConfig;
  database: DatabaseConfig;
  temporal: TemporalConfig;
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
  /** Of the owner of the schema, who migrates; none where it is the service's own. */
  migrationUrl?: string | undefined;
  /** Connections of one process at most. */
  poolSize: number;
  /** How long a statement may take, and so how long a database that hangs is waited for. */
  timeoutMs: number;
  /** How long a migration waits for a lock before it lets everybody else pass and tries again. */
  migrationLockMs?: number;
  /** For how long it tries. */
  migrationTryS?: number;
}

export interface TemporalConfig {
  address: string;
  namespace: string;
  uiUrl: string;
  tls: boolean;
  /** PEM files: the authority of its certificate in place of the system's, and our certificate with its key. */
  tlsCa?: string | undefined;
  tlsClient?: { cert: string; key: string } | undefined;
  apiKey?: string | undefined;
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
  vaultClientCaKey?: string | undefined;
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

/** The processes that read documents. */
export interface ReaderConfig {
  /** More than this, whatever the document, and the process is ended. */
  memoryMb: number;
  /** What takes longer is not read. */
  timeoutMs: number;
  /** Milliseconds of processor time that a document with text may take, and one of pictures. */
  textCpuMs: number;
  pictureCpuMs: number;
  /** Without work for so long, the process ends. */
  idleMs: number;
}

export interface MailConfig {
  /** `smtp://` (with STARTTLS) or `smtps://`; without it letters are written into the folder. */
  smtpUrl: string | undefined;
  /** PEM file of the authority of its certificate, in place of the system's. */
  smtpCa: string | undefined;
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

/**
 * Reads and checks the settings that a process uses, and in production refuses those that are for development.
 * @throws ConfigError naming the first setting that is wrong, or all that production refuses.
 */
export function readConfig(env: Environment = process.env, reader: SettingReader = 'everything'): Config {
  const config = readSettings(settingsOf(env), reader);
  if (config.environment === 'production') requireProduction(config, reader, env);
  return config;
}

/** The names of the settings that a process uses. Of a worker, `env` says the queues and loops. */
export function settingsUsedBy(reader: SettingReader, env: Environment = {}): ReadonlySet<string> {
  const names = new Set<string>();
  readSettings(
    settingsOf(env, (name) => names.add(name)),
    reader,
  );
  return names;
}

function readSettings(setting: Settings, reader: SettingReader): Config {
  const dataDir = resolve(setting.text('RINGFENCE_DATA', '.data'));
  const pki = (file: string) => resolve(dataDir, 'pki', file);
  const work = reader === 'worker' ? read.readWork(setting) : { queues: [], loops: [] };
  const uses = groupsOf(reader, work);
  const group = <T extends object>(name: SettingGroup, readIt: () => T): T =>
    uses.has(name) ? readIt() : unread<T>(name);
  const stack = read.readStack(setting);
  const apiPort = setting.port('RINGFENCE_PORT_API', 8443);
  return {
    environment: setting.oneOf('RINGFENCE_ENV', ['sandbox', 'production'], 'sandbox'),
    uses,
    dataDir,
    logLevel: setting.oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info'),
    metrics: group('metrics', () => read.readMetrics(setting)),
    tracing: group('tracing', () => read.readTracing(setting)),
    api: read.readApi(setting, uses, apiPort, pki),
    database: group('database', () => read.readDatabase(setting, uses, stack.postgresPort)),
    temporal: group('temporal', () => read.readTemporal(setting, uses, stack)),
    worker: group('worker', () => read.readWorker(setting)),
    bank: group('bank', () => read.readBank(setting, uses, stack.bankPort, pki)),
    sandboxBank: group('sandboxBank', () => read.readSandboxBank(setting)),
    keys: group('keys', () => read.readKeys(setting, dataDir)),
    passwords: group('passwords', () => read.readPasswords(setting)),
    threads: group('threads', () => read.readThreads(setting)),
    reader: group('reader', () => read.readReader(setting)),
    mail: group('mail', () => read.readMail(setting, dataDir)),
    signInCa: uses.has('signIn') ? setting.optional('SIGN_IN_CA') : undefined,
    limits: group('limits', () => readLimits(setting)),
    credentials: group('credentials', () => read.readCredentials(setting, pki)),
    yield: group('yield', () => ({ annualRates: read.readRates(setting) })),
    stack,
  };
}
