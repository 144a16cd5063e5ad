import { pino } from 'pino';
import type { Config } from '../config/index.ts';
import { LogOutput } from '../process/log-output.ts';
import type { Metrics } from './metrics.ts';
import { noTracing, type Tracing } from './tracing.ts';

/** Log only ids, codes and durations. Never log personal data, secrets, or amounts together with names. */
export type Log = Record<'debug' | 'info' | 'warn' | 'error', (fields: LogFields, message: string) => void>;

export type LogFields = Readonly<Record<string, unknown>>;

interface LogParts {
  tracing?: Pick<Tracing, 'on' | 'logFields'>;
  metrics?: Pick<Metrics, 'logLinesLost'>;
}

const STANDARD_ERROR = 2;

/** `part` is `api`, `worker` or `admin`. */
export function createLog(
  config: Pick<Config, 'logLevel'>,
  part: string,
  { tracing = noTracing, metrics }: LogParts = {},
): Log {
  return pino(
    {
      level: config.logLevel,
      base: { part },
      timestamp: pino.stdTimeFunctions.isoTime,
      ...(tracing.on && { mixin: () => tracing.logFields() }),
      formatters: { level: (level) => ({ level }) },
      redact: {
        paths: ['*.password', '*.token', '*.authorization', 'password', 'token', 'authorization'],
        censor: '[redacted]',
      },
    },
    new LogOutput(STANDARD_ERROR, (lines) => metrics?.logLinesLost.inc(lines)),
  );
}
