import { pino } from 'pino';
import type { Config } from './config.ts';
import { noTracing, type Tracing } from './telemetry/tracing.ts';

/**
 * Logs JSON lines. Log only ids, codes and durations. Never log personal data, secrets, or amounts together with names.
 */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

export type LogFields = Readonly<Record<string, unknown>>;

/**
 * The log writes batches of this size, because writing costs more than formatting. No line waits longer than FLUSH_MS.
 */
const BATCH_BYTES = 4_096;
const FLUSH_MS = 100;

/**
 * Creates a process's log on standard error. With tracing, each line has the ids of the active span. `part` is `api`,
 * `worker` or `admin`.
 */
export function createLog(
  config: Pick<Config, 'logLevel'>,
  part: string,
  tracing: Pick<Tracing, 'on' | 'logFields'> = noTracing,
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
    pino.destination({ fd: 2, sync: false, minLength: BATCH_BYTES, periodicFlush: FLUSH_MS }),
  );
}
