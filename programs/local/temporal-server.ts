import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { LogLevel } from '../../infra/config/index.ts';
import { ATTRIBUTE_KEYS } from '../../infra/temporal/search-attributes.ts';
import { systemEnvironment } from './postgres.ts';
import type { ChildSpec } from './processes.ts';

export interface TemporalOptions {
  databaseFile: string;
  port: number;
  uiPort: number;
  namespace: string;
  logLevel: LogLevel;
  /** Default: `temporal.log` in the database's folder. */
  logFile?: string;
  /** Each value is `name=value`. */
  dynamicConfig?: readonly string[];
}

export function temporalSpec(cli: string, options: TemporalOptions): ChildSpec {
  mkdirSync(dirname(options.databaseFile), { recursive: true });
  return {
    name: 'Temporal',
    command: cli,
    // In the home directory, the CLI would find settings for other servers. A container's user may have no name.
    env: { ...systemEnvironment(), HOME: dirname(options.databaseFile), USER: 'ringfence' },
    args: serverArguments(options),
    logFile: options.logFile ?? join(dirname(options.databaseFile), 'temporal.log'),
    isReady: () => serves(options),
    readyWithinMs: 60_000,
    stopSignal: 'SIGTERM',
    stopWithinMs: 10_000,
  };
}

const DYNAMIC_CONFIG = [
  // At the default of 20 polls per second, each workflow task waits up to 50 ms for the transfer queue.
  'history.transferProcessorMaxPollRPS=2000',
  // Temporal returns an activity to the worker that scheduled it, instead of sending it through a task queue.
  'system.enableActivityEagerExecution=true',
];

function serverArguments(options: TemporalOptions): string[] {
  const values = {
    '--db-filename': options.databaseFile,
    '--ip': '127.0.0.1',
    '--port': String(options.port),
    '--ui-port': String(options.uiPort),
    '--namespace': options.namespace,
    '--log-level': options.logLevel === 'silent' ? 'never' : options.logLevel === 'info' ? 'warn' : options.logLevel,
  };
  const attributes = ATTRIBUTE_KEYS.flatMap(({ name, type }) => [
    '--search-attribute',
    `${name}=${type === 'BOOL' ? 'Bool' : 'Keyword'}`,
  ]);
  const dynamic = [...DYNAMIC_CONFIG, ...(options.dynamicConfig ?? [])].flatMap((value) => [
    '--dynamic-config-value',
    value,
  ]);
  const pragmas = ['journal_mode=wal', 'synchronous=normal'].flatMap((pragma) => ['--sqlite-pragma', pragma]);
  return ['server', 'start-dev', ...Object.entries(values).flat(), ...dynamic, ...attributes, ...pragmas];
}

/** Asks the Web UI's API, so that this process needs no gRPC client. */
async function serves({ uiPort, namespace }: TemporalOptions): Promise<boolean> {
  const url = `http://127.0.0.1:${uiPort}/api/v1/namespaces/${encodeURIComponent(namespace)}`;
  return fetch(url, { signal: AbortSignal.timeout(1_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}
