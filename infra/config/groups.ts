import { resolve } from 'node:path';
import { RATE_DECIMALS } from '../../domain/yield.ts';
import { TASK_QUEUES } from '../../workflows/ids.ts';
import type {
  ApiConfig,
  BankConfig,
  Config,
  CredentialsConfig,
  DatabaseConfig,
  KeysConfig,
  MailConfig,
  MetricsConfig,
  ReaderConfig,
  TemporalConfig,
  TracingConfig,
  WorkerConfig,
} from '../config.ts';
import { BACKGROUND_LOOPS } from './process-settings.ts';
import { ConfigError, type Settings } from './settings.ts';
import { unread } from './unread.ts';

/* How each group of settings is read (process-settings.ts says who uses which). */

const QUEUES = Object.values(TASK_QUEUES);

export function readStack(setting: Settings): Config['stack'] {
  return {
    postgresPort: setting.port('RINGFENCE_PORT_POSTGRES', 5443),
    temporalPort: setting.port('RINGFENCE_PORT_TEMPORAL', 7233),
    temporalUiPort: setting.port('RINGFENCE_PORT_TEMPORAL_UI', 8233),
    bankPort: setting.port('RINGFENCE_PORT_BANK', 8451),
  };
}

export function readDatabase(setting: Settings, uses: Config['uses'], port: number): DatabaseConfig {
  const protocols = ['postgresql:', 'postgres:'];
  const embedded = (role: string) => `postgresql://${role}:${role}@localhost:${port}/ringfence`;
  const url = setting.url('DATABASE_URL', embedded('ringfence_service'), protocols);
  const known = url === embedded('ringfence_service') ? embedded('ringfence') : undefined;
  return {
    url,
    poolSize: setting.count('DATABASE_POOL_SIZE', 20, { least: 5, most: 1000 }),
    timeoutMs: setting.count('DATABASE_TIMEOUT_MS', 15_000, { least: 1_000, most: 600_000 }),
    ...(uses.has('migration') && {
      migrationUrl: setting.optionalUrl('DATABASE_MIGRATION_URL', protocols) ?? known,
      migrationLockMs: setting.count('DATABASE_MIGRATION_LOCK_MS', 1_000, { least: 10, most: 60_000 }),
      migrationTryS: setting.count('DATABASE_MIGRATION_TRY_S', 300, { least: 1, most: 86_400 }),
    }),
  };
}

export function readTemporal(setting: Settings, uses: Config['uses'], stack: Config['stack']): TemporalConfig {
  const common = {
    address: setting.text('TEMPORAL_ADDRESS', `localhost:${stack.temporalPort}`),
    namespace: setting.text('TEMPORAL_NAMESPACE', 'default'),
    tls: setting.oneOf('TEMPORAL_TLS', ['true', 'false'], 'false') === 'true',
    tlsCa: setting.optional('TEMPORAL_TLS_CA'),
    tlsClient: readTemporalClient(setting),
    apiKey: setting.optional('TEMPORAL_API_KEY'),
  };
  const needsTls = Object.entries({
    TEMPORAL_TLS_CA: common.tlsCa,
    TEMPORAL_TLS_CERT: common.tlsClient,
    TEMPORAL_API_KEY: common.apiKey,
  }).find(([, value]) => value !== undefined);
  if (!common.tls && needsTls !== undefined)
    throw new ConfigError(`${needsTls[0]} is set, but TEMPORAL_TLS is "false": set it to "true", or unset the other.`);
  if (!uses.has('temporalUi')) return unread<TemporalConfig>('temporalUi', common);
  const local = `http://localhost:${stack.temporalUiPort}`;
  return { ...common, uiUrl: setting.url('TEMPORAL_UI_URL', local, ['https:', 'http:']) };
}

function readTemporalClient(setting: Settings): TemporalConfig['tlsClient'] {
  const cert = setting.optional('TEMPORAL_TLS_CERT');
  const key = setting.optional('TEMPORAL_TLS_KEY');
  if ((cert === undefined) !== (key === undefined))
    throw new ConfigError('TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY belong together: set both, or neither.');
  return cert === undefined || key === undefined ? undefined : { cert, key };
}

export function readSandboxBank(setting: Settings): Config['sandboxBank'] {
  const aDay = { least: 0, most: 86_400_000 };
  return {
    host: setting.text('SANDBOX_BANK_HOST', '127.0.0.1'),
    instantMs: setting.count('SANDBOX_BANK_INSTANT_MS', 1_000, aDay),
    slowMs: setting.count('SANDBOX_BANK_SLOW_MS', 20_000, aDay),
    returnMs: setting.count('SANDBOX_BANK_RETURN_MS', 5_000, aDay),
  };
}

export function readPasswords(setting: Settings): Config['passwords'] {
  return {
    concurrentHashes: setting.count('PASSWORD_CONCURRENT_HASHES', 2, { least: 1, most: 64 }),
    queuedHashes: setting.count('PASSWORD_QUEUED_HASHES', 200, { least: 1, most: 10_000 }),
  };
}

export function readThreads(setting: Settings): Config['threads'] {
  return {
    count: setting.count('THREADS', 2, { least: 1, most: 64 }),
    queued: setting.count('THREADS_QUEUED', 50, { least: 1, most: 10_000 }),
  };
}

export function readMail(setting: Settings, dataDir: string): MailConfig {
  const smtpUrl = setting.optionalUrl('SMTP_URL', ['smtp:', 'smtps:']);
  if (smtpUrl !== undefined && new URL(smtpUrl).search !== '')
    throw new ConfigError('SMTP_URL has parameters after a "?", but it takes none. Take them away.');
  return {
    smtpUrl,
    smtpCa: setting.optional('SMTP_CA'),
    from: setting.text('MAIL_FROM', 'Ringfence <no-reply@localhost>'),
    outboxDir: resolve(dataDir, 'outbox'),
  };
}

export function readCredentials(setting: Settings, pki: (file: string) => string): CredentialsConfig {
  return {
    signWithinMs: setting.count('CREDENTIAL_SIGN_WITHIN_MS', 25_000, { least: 100, most: 60_000 }),
    pdfCertificate: setting.text('CREDENTIAL_PDF_CERT', pki('credential-signing.crt')),
    pdfKey: setting.text('CREDENTIAL_PDF_KEY', pki('credential-signing.key')),
  };
}

function readSite(setting: Settings, port: number): Pick<ApiConfig, 'publicUrl'> {
  const url = setting.url('RINGFENCE_PUBLIC_URL', `https://localhost:${port}`, ['https:', 'http:']);
  return { publicUrl: url.replace(/\/+$/, '') };
}

/** Only operators who issue certificates have the authority's key. */
function readVaultClients(setting: Settings, uses: Config['uses'], pki: (file: string) => string) {
  const local = pki('vault-client-ca.crt');
  const vaultClientCa = setting.text('VAULT_CLIENT_CA', local);
  if (!uses.has('vaultAuthority')) return { vaultClientCa };
  const key = vaultClientCa === local ? pki('vault-client-ca.key') : undefined;
  return { vaultClientCa, vaultClientCaKey: setting.optional('VAULT_CLIENT_CA_KEY') ?? key };
}

export function readApi(
  setting: Settings,
  uses: Config['uses'],
  port: number,
  pki: (file: string) => string,
): ApiConfig {
  const site = uses.has('site') ? readSite(setting, port) : {};
  if (!uses.has('api'))
    return unread<ApiConfig>('api', {
      ...site,
      ...(uses.has('vaultAuthority') && readVaultClients(setting, uses, pki)),
    });
  const ca = setting.text('TLS_CA', pki('ca.crt'));
  return {
    host: setting.text('RINGFENCE_HOST', 'localhost'),
    port,
    ...readSite(setting, port),
    ...readVaultClients(setting, uses, pki),
    tls: { ca, cert: setting.text('TLS_CERT', pki('server.crt')), key: setting.text('TLS_KEY', pki('server.key')) },
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

export function readMetrics(setting: Settings): MetricsConfig {
  const orNone = { least: 0, most: 65_535 };
  return {
    host: setting.text('METRICS_HOST', '127.0.0.1'),
    apiPort: setting.count('METRICS_PORT_API', 9464, orNone),
    workerPort: setting.count('METRICS_PORT_WORKER', 9484, orNone),
  };
}

export function readTracing(setting: Settings): TracingConfig {
  return {
    endpoint: setting.optionalUrl('OTEL_EXPORTER_OTLP_ENDPOINT', ['https:', 'http:']),
    tracesEndpoint: setting.optionalUrl('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', ['https:', 'http:']),
    serviceName: setting.optional('OTEL_SERVICE_NAME'),
  };
}

export function readRates(setting: Settings): Config['yield']['annualRates'] {
  const exact = { decimals: RATE_DECIMALS };
  return {
    FIXED: setting.ratio('YIELD_RATE_FIXED', '0', exact),
    SAVINGS: setting.ratio('YIELD_RATE_SAVINGS', '0.0410', exact),
    DISCRETIONARY: setting.ratio('YIELD_RATE_DISCRETIONARY', '0', exact),
  };
}

export function readWork(setting: Settings): Pick<WorkerConfig, 'queues' | 'loops'> {
  return {
    queues: setting.someOf('WORKER_QUEUES', QUEUES, QUEUES),
    loops: setting.someOf('WORKER_LOOPS', BACKGROUND_LOOPS, BACKGROUND_LOOPS),
  };
}

export function readWorker(setting: Settings): WorkerConfig {
  const atOnce = { least: 1, most: 10_000 };
  const name = setting.optional('WORKER_DEPLOYMENT_NAME');
  const buildId = setting.optional('WORKER_BUILD_ID');
  if ((name === undefined) !== (buildId === undefined))
    throw new ConfigError('WORKER_DEPLOYMENT_NAME and WORKER_BUILD_ID belong together: set both, or neither.');
  return {
    ...readWork(setting),
    paymentActivities: setting.count('WORKER_PAYMENT_ACTIVITIES', 400, atOnce),
    paymentWorkflowTasks: setting.count('WORKER_PAYMENT_WORKFLOW_TASKS', 40, { least: 2, most: 10_000 }),
    upkeepActivities: setting.count('WORKER_UPKEEP_ACTIVITIES', 4, atOnce),
    batchActivities: setting.count('WORKER_BATCH_ACTIVITIES', 4, atOnce),
    documentActivities: setting.count('WORKER_DOCUMENT_ACTIVITIES', 1_000, atOnce),
    deployment: name === undefined || buildId === undefined ? undefined : { name, buildId },
  };
}

export function readKeys(setting: Settings, dataDir: string): KeysConfig {
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

export function readReader(setting: Settings): ReaderConfig {
  return {
    memoryMb: setting.count('DOCUMENT_READER_MEMORY_MB', 1_200, { least: 128, most: 65_536 }),
    timeoutMs: setting.count('DOCUMENT_READER_TIMEOUT_MS', 120_000, { least: 1_000, most: 600_000 }),
    textCpuMs: setting.count('DOCUMENT_READER_TEXT_CPU_MS', 6_000, { least: 500, most: 600_000 }),
    pictureCpuMs: setting.count('DOCUMENT_READER_PICTURE_CPU_MS', 60_000, { least: 1_000, most: 600_000 }),
    idleMs: setting.count('DOCUMENT_READER_IDLE_MS', 300_000, { least: 100, most: 86_400_000 }),
  };
}

export function readBank(
  setting: Settings,
  uses: Config['uses'],
  port: number,
  pki: (file: string) => string,
): BankConfig {
  const bankUrl = setting.url('BANK_URL', `https://localhost:${port}`, ['https:']).replace(/\/+$/, '');
  const connection = {
    url: bankUrl,
    tokenUrl: setting.url('BANK_TOKEN_URL', `${bankUrl}/token`, ['https:']),
    eventsUrl: setting.url('BANK_EVENTS_URL', `${bankUrl}/events`, ['https:']),
    clientId: setting.text('BANK_CLIENT_ID', 'ringfence'),
    tls: {
      ca: setting.text('BANK_TLS_CA', pki('ca.crt')),
      cert: setting.text('BANK_TLS_CERT', pki('bank-client.crt')),
      key: setting.text('BANK_TLS_KEY', pki('bank-client.key')),
    },
    timeoutMs: setting.count('BANK_TIMEOUT_MS', 10_000, { least: 100, most: 120_000 }),
  };
  if (!uses.has('bankSigning')) return unread<BankConfig>('bankSigning', connection);
  return {
    ...connection,
    consentId: setting.text('BANK_CONSENT_ID', 'sandbox-consent'),
    signingKey: setting.text('BANK_SIGNING_KEY', pki('bank-signing.key')),
    signingKeyId: setting.text('BANK_SIGNING_KEY_ID', 'ringfence-signing'),
    signingIssuer: setting.text('BANK_SIGNING_ISSUER', 'ringfence.local'),
    serverSigningCertificate: setting.text('BANK_SERVER_SIGNING_CERT', pki('bank-server-signing.crt')),
  };
}
