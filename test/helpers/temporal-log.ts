import { DefaultLogger, makeTelemetryFilterString, Runtime, type LogEntry, type LogLevel } from '@temporalio/worker';

const shown = process.env.RINGFENCE_TEST_LOG?.toUpperCase();
const level = ['DEBUG', 'INFO', 'WARN'].includes(shown ?? '') ? (shown as LogLevel) : 'ERROR';

/** Temporal warns about each failed activity, and tests let activities fail on purpose. */
export const temporalLog = new DefaultLogger(level);

/** Call once per test file, before the first use of Temporal's native library. Hides the entries that are expected. */
export function installTestRuntime(isExpected: (entry: LogEntry) => boolean = () => false): void {
  const logger = new DefaultLogger(level, (entry) => {
    if (level !== 'ERROR' || !isExpected(entry)) temporalLog.log(entry.level, entry.message, entry.meta);
  });
  const filter = level === 'ERROR' ? 'OFF' : makeTelemetryFilterString({ core: level, other: 'ERROR' });
  Runtime.install({ logger, telemetryOptions: { logging: { filter } } });
}
