import { DefaultLogger, makeTelemetryFilterString, Runtime, type LogLevel } from '@temporalio/worker';

const shown = process.env.RINGFENCE_TEST_LOG?.toUpperCase();
const level = ['DEBUG', 'INFO', 'WARN'].includes(shown ?? '') ? (shown as LogLevel) : 'ERROR';

/** Temporal warns about each failed activity, and tests let activities fail on purpose. */
export const temporalLog = new DefaultLogger(level);

/** Call once per test file, before the first use of Temporal's native library. */
export function installTestRuntime(): void {
  const filter = level === 'ERROR' ? 'OFF' : makeTelemetryFilterString({ core: level, other: 'ERROR' });
  Runtime.install({ logger: temporalLog, telemetryOptions: { logging: { filter } } });
}
