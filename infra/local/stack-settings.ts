import type { Config, WorkerConfig } from '../config.ts';
import { postgresServiceUrl, postgresUrl } from './postgres.ts';
import { StackError } from './processes.ts';

/** Which parts this machine runs itself; the settings place the others elsewhere. */
export interface OwnParts {
  postgres: boolean;
  temporal: boolean;
  bank: boolean;
  certificates: boolean;
}

/** @throws StackError in production, when a part would be a local one that is made for the sandbox. */
export function ownParts(config: Config): OwnParts {
  const sandbox = config.environment === 'sandbox';
  const own = {
    postgres: [postgresServiceUrl, postgresUrl].some((url) => config.database.url === url(config.stack.postgresPort)),
    temporal: config.temporal.address === `localhost:${config.stack.temporalPort}`,
    bank: sandbox && config.bank.url === `https://localhost:${config.stack.bankPort}`,
    certificates: sandbox,
  };
  if (!sandbox) assertProduction(own);
  return own;
}

function assertProduction(own: OwnParts): void {
  const unset = [...(own.postgres ? ['DATABASE_URL'] : []), ...(own.temporal ? ['TEMPORAL_ADDRESS'] : [])];
  if (unset.length > 0) {
    throw new StackError(
      `RINGFENCE_ENV is "production", so ${unset.join(' and ')} must be set: the embedded PostgreSQL and Temporal are for the sandbox only.`,
    );
  }
}

/** The environment that gives a child process this very configuration, also where it was not read from this one's. */
export function configEnvironment(config: Config): Record<string, string> {
  const { api, database, reader, stack, temporal, threads, worker } = config;
  const values: Values = {
    ...bankEnvironment(config),
    ...accessEnvironment(config),
    RINGFENCE_ENV: config.environment,
    RINGFENCE_DATA: config.dataDir,
    LOG_LEVEL: config.logLevel,
    ...watchEnvironment(config),
    RINGFENCE_HOST: api.host,
    RINGFENCE_PORT_API: api.port,
    RINGFENCE_PUBLIC_URL: api.publicUrl,
    TLS_CA: api.tls.ca,
    TLS_CERT: api.tls.cert,
    TLS_KEY: api.tls.key,
    RINGFENCE_PORT_POSTGRES: stack.postgresPort,
    RINGFENCE_PORT_TEMPORAL: stack.temporalPort,
    RINGFENCE_PORT_TEMPORAL_UI: stack.temporalUiPort,
    RINGFENCE_PORT_BANK: stack.bankPort,
    DATABASE_URL: database.url,
    // Of those who migrate alone.
    DATABASE_MIGRATION_URL: undefined,
    DATABASE_POOL_SIZE: database.poolSize,
    DATABASE_MIGRATION_LOCK_MS: database.migrationLockMs,
    DATABASE_MIGRATION_TRY_S: database.migrationTryS,
    DATABASE_TIMEOUT_MS: database.timeoutMs,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: temporal.namespace,
    TEMPORAL_UI_URL: temporal.uiUrl,
    TEMPORAL_TLS: temporal.tls,
    TEMPORAL_TLS_CA: temporal.tlsCa,
    TEMPORAL_TLS_CERT: temporal.tlsClient?.cert,
    TEMPORAL_TLS_KEY: temporal.tlsClient?.key,
    TEMPORAL_API_KEY: temporal.apiKey,
    ...workerEnvironment(worker),
    RINGFENCE_PROXIED_HOST: api.proxied.host,
    RINGFENCE_PORT_PROXIED: api.proxied.port,
    RINGFENCE_TRUSTED_PROXIES: api.proxied.trusted.join(','),
    YIELD_RATE_FIXED: config.yield.annualRates.FIXED,
    YIELD_RATE_SAVINGS: config.yield.annualRates.SAVINGS,
    YIELD_RATE_DISCRETIONARY: config.yield.annualRates.DISCRETIONARY,
    THREADS: threads.count,
    THREADS_QUEUED: threads.queued,
    DOCUMENT_READER_MEMORY_MB: reader.memoryMb,
    DOCUMENT_READER_TIMEOUT_MS: reader.timeoutMs,
    DOCUMENT_READER_TEXT_CPU_MS: reader.textCpuMs,
    DOCUMENT_READER_PICTURE_CPU_MS: reader.pictureCpuMs,
    DOCUMENT_READER_IDLE_MS: reader.idleMs,
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value === undefined ? '' : String(value)]),
  );
}

type Values = Record<string, string | number | boolean | undefined>;

function workerEnvironment(worker: WorkerConfig): Values {
  const list = (words: readonly string[]) => (words.length === 0 ? 'none' : words.join(','));
  return {
    WORKER_QUEUES: list(worker.queues),
    WORKER_LOOPS: list(worker.loops),
    WORKER_PAYMENT_ACTIVITIES: worker.paymentActivities,
    WORKER_PAYMENT_WORKFLOW_TASKS: worker.paymentWorkflowTasks,
    WORKER_UPKEEP_ACTIVITIES: worker.upkeepActivities,
    WORKER_BATCH_ACTIVITIES: worker.batchActivities,
    WORKER_DOCUMENT_ACTIVITIES: worker.documentActivities,
    WORKER_DEPLOYMENT_NAME: worker.deployment?.name,
    WORKER_BUILD_ID: worker.deployment?.buildId,
  };
}

function bankEnvironment({ bank, sandboxBank }: Config): Values {
  return {
    BANK_URL: bank.url,
    BANK_TOKEN_URL: bank.tokenUrl,
    BANK_EVENTS_URL: bank.eventsUrl,
    BANK_SERVER_SIGNING_CERT: bank.serverSigningCertificate,
    BANK_CLIENT_ID: bank.clientId,
    BANK_CONSENT_ID: bank.consentId,
    BANK_TLS_CA: bank.tls.ca,
    BANK_TLS_CERT: bank.tls.cert,
    BANK_TLS_KEY: bank.tls.key,
    BANK_SIGNING_KEY: bank.signingKey,
    BANK_SIGNING_KEY_ID: bank.signingKeyId,
    BANK_SIGNING_ISSUER: bank.signingIssuer,
    BANK_TIMEOUT_MS: bank.timeoutMs,
    SANDBOX_BANK_HOST: sandboxBank.host,
    SANDBOX_BANK_INSTANT_MS: sandboxBank.instantMs,
    SANDBOX_BANK_SLOW_MS: sandboxBank.slowMs,
    SANDBOX_BANK_RETURN_MS: sandboxBank.returnMs,
  };
}

function watchEnvironment({ metrics, tracing }: Config): Values {
  return {
    METRICS_HOST: metrics.host,
    METRICS_PORT_API: metrics.apiPort,
    METRICS_PORT_WORKER: metrics.workerPort,
    OTEL_EXPORTER_OTLP_ENDPOINT: tracing.endpoint,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: tracing.tracesEndpoint,
    OTEL_SERVICE_NAME: tracing.serviceName,
  };
}

/** Who gets in, and what keeps secrets. */
function accessEnvironment(config: Config): Values {
  const { api, keys, limits, mail, passwords } = config;
  return {
    VAULT_CLIENT_CA: api.vaultClientCa,
    UPLOADS_AT_ONCE: api.uploads.most,
    UPLOADS_WAIT_MS: api.uploads.waitMs,
    UPLOADS_APART_MS: api.uploads.apartMs,
    KEY_SERVICE: keys.service,
    MASTER_KEY_FILE: keys.masterKeyFile,
    KEY_RELOAD_MS: keys.reloadMs,
    TRANSIT_URL: keys.transit.url,
    TRANSIT_MOUNT: keys.transit.mount,
    TRANSIT_KEY: keys.transit.key,
    TRANSIT_TOKEN_FILE: keys.transit.tokenFile,
    TRANSIT_CA: keys.transit.ca,
    TRANSIT_TIMEOUT_MS: keys.transit.timeoutMs,
    SMTP_URL: mail.smtpUrl,
    SMTP_CA: mail.smtpCa,
    MAIL_FROM: mail.from,
    SIGN_IN_CA: config.signInCa,
    CREDENTIAL_SIGN_WITHIN_MS: config.credentials.signWithinMs,
    CREDENTIAL_PDF_CERT: config.credentials.pdfCertificate,
    CREDENTIAL_PDF_KEY: config.credentials.pdfKey,
    LIMIT_PAYMENT: config.paymentLimits.payment,
    LIMIT_OWNER_PAYMENTS_PER_DAY: config.paymentLimits.ownerPerDay,
    LIMIT_CREDENTIALS_PER_MINUTE: limits.credentialsPerMinute,
    LIMIT_TOKENS_PER_MINUTE: limits.tokensPerMinute,
    LIMIT_KEY_PER_MINUTE: limits.keyPerMinute,
    LIMIT_PERSON_PER_MINUTE: limits.personPerMinute,
    LIMIT_FAILED_LOGINS: limits.failedLogins,
    LIMIT_FAILED_LOGINS_EVERYWHERE: limits.failedLoginsEverywhere,
    LIMIT_FAILED_LOGIN_WINDOW_S: limits.failedLoginWindowS,
    LIMIT_VAULT_WRONG_ANSWERS: limits.vaultWrongAnswers,
    LIMIT_RESET_MAILS_PER_HOUR: limits.resetMailsPerHour,
    LIMIT_OWNER_DOCUMENTS_PER_DAY: limits.ownerDocumentsPerDay,
    LIMIT_APP_DOCUMENTS_PER_DAY: limits.appDocumentsPerDay,
    PASSWORD_CONCURRENT_HASHES: passwords.concurrentHashes,
    PASSWORD_QUEUED_HASHES: passwords.queuedHashes,
  };
}
