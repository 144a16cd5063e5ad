import { pino } from 'pino';
import type { Config } from './config.ts';
import { noTracing, type Tracing } from './telemetry/tracing.ts';

/** JSON lines. Only ids, codes and durations: never personal data, a secret, or an amount beside a name. */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

export type LogFields = Readonly<Record<string, unknown>>;

/** Lines are written in batches, because a write costs more than making a line. No line waits for longer than this. */
const BATCH_BYTES = 4_096;
const FLUSH_MS = 100;

/**
 * A log of one part of the service (`api`, `worker`), on standard error. Within a trace, lines carry the trace and span
 * ids.
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
