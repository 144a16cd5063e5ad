import { pino } from 'pino';
import type { Config } from './config.ts';
import { noTracing, type Tracing } from './telemetry/tracing.ts';

/** JSON lines. Ids, codes and durations only: never personal data, a secret, or an amount beside a name. */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

export type LogFields = Readonly<Record<string, unknown>>;

/** Lines are written together, as each write costs more than the making of a line; none waits for longer than this. */
const BATCH_BYTES = 4_096;
const FLUSH_MS = 100;

/** A log of one part of the service (`api`, `worker`), on standard error; of what is traced, lines name trace and span. */
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
