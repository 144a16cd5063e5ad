import { resolve } from 'node:path';

/**
 * Every setting of the service: its environment variable, its default, and what it means.
 * `readConfig` checks all of them at start; a wrong one names itself and nothing starts.
 */
export interface Config {
  environment: 'sandbox' | 'production';
  dataDir: string;
  logLevel: LogLevel;
  api: { host: string; port: number; publicUrl: string; tls: TlsFiles };
  database: { url: string; poolSize: number };
  temporal: { address: string; namespace: string; uiUrl: string; tls: boolean };
  worker: { paymentActivities: number; paymentWorkflowTasks: number };
  bank: BankConfig;
  /** How long the sandbox bank takes: to settle, to settle slowly, and to return. */
  sandboxBank: { instantMs: number; slowMs: number; returnMs: number };
  keys: { masterKeyFile: string };
  passwords: { concurrentHashes: number; queuedHashes: number };
  stack: { postgresPort: number; temporalPort: number; temporalUiPort: number; bankPort: number };
}

export interface TlsFiles {
  ca: string;
  cert: string;
  key: string;
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

/** A setting that cannot be used; the message names it, its value and what it takes. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Environment = Readonly<Record<string, string | undefined>>;

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
    api: {
      host: setting.text('RINGFENCE_HOST', 'localhost'),
      port: apiPort,
      publicUrl: setting.url('RINGFENCE_PUBLIC_URL', `https://localhost:${apiPort}`, ['https:', 'http:']),
      tls: {
        ca: setting.text('TLS_CA', pki('ca.crt')),
        cert: setting.text('TLS_CERT', pki('server.crt')),
        key: setting.text('TLS_KEY', pki('server.key')),
      },
    },
    database: {
      url: setting.url('DATABASE_URL', `postgresql://ringfence:ringfence@localhost:${postgresPort}/ringfence`, [
        'postgresql:',
        'postgres:',
      ]),
      poolSize: setting.count('DATABASE_POOL_SIZE', 20, { least: 2, most: 1000 }),
    },
    temporal: {
      address: setting.text('TEMPORAL_ADDRESS', `localhost:${temporalPort}`),
      namespace: setting.text('TEMPORAL_NAMESPACE', 'default'),
      uiUrl: setting.url('TEMPORAL_UI_URL', `http://localhost:${temporalUiPort}`, ['https:', 'http:']),
      tls: setting.oneOf('TEMPORAL_TLS', ['true', 'false'], 'false') === 'true',
    },
    worker: {
      paymentActivities: setting.count('WORKER_PAYMENT_ACTIVITIES', 400, { least: 1, most: 10_000 }),
      paymentWorkflowTasks: setting.count('WORKER_PAYMENT_WORKFLOW_TASKS', 40, { least: 2, most: 10_000 }),
    },
    bank: readBank(setting, bankPort, pki),
    sandboxBank: {
      instantMs: setting.count('SANDBOX_BANK_INSTANT_MS', 1_000, { least: 0, most: 86_400_000 }),
      slowMs: setting.count('SANDBOX_BANK_SLOW_MS', 20_000, { least: 0, most: 86_400_000 }),
      returnMs: setting.count('SANDBOX_BANK_RETURN_MS', 5_000, { least: 0, most: 86_400_000 }),
    },
    keys: { masterKeyFile: setting.text('MASTER_KEY_FILE', resolve(dataDir, 'keys', 'master.json')) },
    passwords: {
      concurrentHashes: setting.count('PASSWORD_CONCURRENT_HASHES', 2, { least: 1, most: 64 }),
      queuedHashes: setting.count('PASSWORD_QUEUED_HASHES', 200, { least: 1, most: 10_000 }),
    },
    stack: { postgresPort, temporalPort, temporalUiPort, bankPort },
  };
}

type Settings = ReturnType<typeof settingsOf>;

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

function settingsOf(env: Environment) {
  const given = (name: string) => {
    const value = env[name]?.trim();
    return value === '' ? undefined : value;
  };
  const wrong = (name: string, takes: string) =>
    new ConfigError(`${name} is "${given(name)}", but it takes ${takes}. Correct it or unset it for the default.`);

  return {
    text: (name: string, fallback: string): string => given(name) ?? fallback,
    oneOf<const T extends string>(name: string, choices: readonly T[], fallback: T): T {
      const value = given(name) ?? fallback;
      const choice = choices.find((candidate) => candidate === value);
      if (choice === undefined) throw wrong(name, `one of ${choices.join(', ')}`);
      return choice;
    },
    count(name: string, fallback: number, { least, most }: { least: number; most: number }): number {
      const value = given(name);
      if (value === undefined) return fallback;
      const number = Number(value);
      if (!/^\d+$/.test(value) || number < least || number > most)
        throw wrong(name, `a whole number, ${least} to ${most}`);
      return number;
    },
    port(name: string, fallback: number): number {
      return this.count(name, fallback, { least: 1, most: 65_535 });
    },
    url(name: string, fallback: string, protocols: readonly string[]): string {
      const value = given(name) ?? fallback;
      if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
        throw new ConfigError(`${name} is not a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}.`);
      }
      return value;
    },
  };
}
