import { resolve } from 'node:path';
import { banksOf } from './banks.ts';
import { GROUPS, SETTING_GROUPS, type SettingGroup } from './groups/index.ts';
import { common } from './groups/process.ts';
import { groupsOf, partOf, type Config, type ConfigFor, type SettingReader } from './process-settings.ts';
import { requireProduction } from './production.ts';
import { readerOf } from './reading.ts';
import { ConfigError, type Environment } from './settings.ts';

export { ConfigError } from './settings.ts';
/** Declared in `infra/config/groups/` and explained in `docs/configuration.md`. */
export type { Config, ConfigOf } from './process-settings.ts';

export type ApiConfig = ConfigFor<'api'>['api'];
export type { BankEntry, BankEntryOf } from './banks-file.ts';
export type BankConfig = Config['bank'];
export type KeysConfig = Config['keys'];
export type LimitsConfig = Config['limits'];
export type LogLevel = Config['logLevel'];
export type MailConfig = Config['mail'];
export type ReaderConfig = Config['reader'];
export type TemporalConfig = ConfigFor<'api'>['temporal'];
export type TlsFiles = ApiConfig['tls'];
export type TracingConfig = Config['tracing'];

/** @throws ConfigError naming the first invalid setting, or all settings that production refuses. */
export function readConfig(env?: Environment): Config;
export function readConfig<const R extends SettingReader>(env: Environment, reader: R): ConfigFor<R>;
export function readConfig(env: Environment = process.env, reader: SettingReader = 'everything'): object {
  const read = readerOf(env);
  const values = read(common);
  const uses = groupsOf(reader, reader === 'worker' ? read(GROUPS.worker) : { queues: [], loops: [] });
  const parts: { [P in SettingGroup]?: object } = {};
  for (const group of SETTING_GROUPS.filter((each) => uses.has(each)))
    parts[partOf(group)] = { ...parts[partOf(group)], ...read(GROUPS[group]) };
  const config = { ...values, ...parts } as typeof values & Partial<Config>;
  if (config.mail !== undefined) config.mail.outboxDir = resolve(values.dataDir, 'outbox');
  if (config.bank !== undefined) {
    const publicUrl = config.api?.publicUrl ?? read(GROUPS.site).publicUrl;
    Object.assign(config.bank, banksOf(config.bank, { environment: values.environment, publicUrl }));
  }
  if (uses.has('temporal')) requireTls(config.temporal!);
  if (values.environment === 'production') requireProduction(config, { reader, uses, env });
  return config;
}

function requireTls({ tls, tlsCa, tlsClient, apiKey }: TemporalConfig): void {
  const needsTls = { TEMPORAL_TLS_CA: tlsCa, TEMPORAL_TLS_CERT: tlsClient, TEMPORAL_API_KEY: apiKey };
  const given = Object.entries(needsTls).find(([, value]) => value !== undefined);
  if (!tls && given !== undefined)
    throw new ConfigError(
      `${given[0]} is set, but TEMPORAL_TLS is "false". Set TEMPORAL_TLS to "true", or unset ${given[0]}.`,
    );
}
