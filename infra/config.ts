import { resolve } from 'node:path';
import { GROUPS, type SettingGroup, type Settings } from './config/groups/index.ts';
import { common } from './config/groups/process.ts';
import { groupsOf, type SettingReader } from './config/process-settings.ts';
import { requireProduction } from './config/production.ts';
import { readerOf } from './config/reading.ts';
import { ConfigError, type Environment } from './config/settings.ts';
import { unread } from './config/unread.ts';

export { ConfigError } from './config/settings.ts';

/** Declared in `infra/config/groups/` and explained in `docs/configuration.md`. */
export type Config = ReturnType<typeof readSettings>;
export type ApiConfig = Config['api'];
export type BankConfig = Config['bank'];
export type KeysConfig = Config['keys'];
export type LimitsConfig = Config['limits'];
export type LogLevel = Config['logLevel'];
export type MailConfig = Config['mail'];
export type ReaderConfig = Config['reader'];
export type TemporalConfig = Config['temporal'];
export type TlsFiles = ApiConfig['tls'];
export type TracingConfig = Config['tracing'];

/** @throws ConfigError naming the first invalid setting, or all settings that production refuses. */
export function readConfig(env: Environment = process.env, reader: SettingReader = 'everything'): Config {
  const config = readSettings(readerOf(env), reader);
  if (config.uses.has('temporal')) requireTls(config.temporal);
  if (config.environment === 'production') requireProduction(config, reader, env);
  return config;
}

function readSettings(read: ReturnType<typeof readerOf>, reader: SettingReader) {
  const everywhere = read(common);
  const uses = groupsOf(reader, reader === 'worker' ? read(GROUPS.worker) : { queues: [], loops: [] });
  const group = <Name extends SettingGroup>(name: Name): Settings<Name> =>
    uses.has(name) ? read(GROUPS[name]) : unread(name);
  const more = <Name extends SettingGroup>(name: Name): Partial<Settings<Name>> => group(name);
  const part = <T extends object>(groups: readonly SettingGroup[], values: T): T => {
    const missing = groups.find((name) => !uses.has(name));
    return missing === undefined ? values : unread(missing, values);
  };
  return {
    ...everywhere,
    uses,
    metrics: group('metrics'),
    tracing: group('tracing'),
    api: part(['api', 'site'], { ...more('vaultAuthority'), ...group('site'), ...group('api') }),
    database: part(['database'], { ...group('database'), ...more('migration') }),
    temporal: part(['temporal', 'temporalUi'], { ...group('temporal'), ...group('temporalUi') }),
    worker: group('worker'),
    bank: part(['bank', 'bankSigning'], { ...group('bank'), ...group('bankSigning') }),
    sandboxBank: group('sandboxBank'),
    keys: group('keys'),
    passwords: group('passwords'),
    threads: group('threads'),
    reader: group('reader'),
    mail: uses.has('mail')
      ? { ...group('mail'), outboxDir: resolve(everywhere.dataDir, 'outbox') }
      : unread<Settings<'mail'> & { outboxDir: string }>('mail'),
    signInCa: uses.has('signIn') ? group('signIn').signInCa : undefined,
    registration: group('registration'),
    limits: group('limits'),
    paymentLimits: group('paymentLimits'),
    credentials: group('credentials'),
    yield: group('yield'),
  };
}

function requireTls({ tls, tlsCa, tlsClient, apiKey }: TemporalConfig): void {
  const needsTls = { TEMPORAL_TLS_CA: tlsCa, TEMPORAL_TLS_CERT: tlsClient, TEMPORAL_API_KEY: apiKey };
  const given = Object.entries(needsTls).find(([, value]) => value !== undefined);
  if (!tls && given !== undefined)
    throw new ConfigError(
      `${given[0]} is set, but TEMPORAL_TLS is "false". Set TEMPORAL_TLS to "true", or unset ${given[0]}.`,
    );
}
