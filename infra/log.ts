import { pino } from 'pino';
import type { Config } from './config.ts';
import { noTracing, type Tracing } from './telemetry/tracing.ts';

/** Log only ids, codes and durations. Never log personal data, secrets, or amounts together with names. */
export type Log = Record<'debug' | 'info' | 'warn' | 'error', (fields: LogFields, message: string) => void>;

export type LogFields = Readonly<Record<string, unknown>>;

/** Writing costs more than formatting, so the log writes batches of lines. */
const BATCH_BYTES = 4_096;
const FLUSH_MS = 100;

/** `part` is `api`, `worker` or `admin`. */
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
