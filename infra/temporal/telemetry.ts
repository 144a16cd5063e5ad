import { createServer } from 'node:net';
import { once } from 'node:events';
import { makeWorkflowExporter, OpenTelemetryActivityInboundInterceptor } from '@temporalio/interceptors-opentelemetry';
import {
  DefaultLogger,
  makeTelemetryFilterString,
  Runtime,
  type ActivityInterceptorsFactory,
  type InjectedSinks,
} from '@temporalio/worker';
import type { Sinks } from '@temporalio/workflow';
import type { Log } from '../telemetry/log.ts';
import type { Tracing } from '../telemetry/tracing.ts';

const TRIES = 5;

/** Call once per process. The returned function reads Temporal's metrics, which are empty if `metrics` is false. */
export async function installRuntime(log: Log, { metrics }: { metrics: boolean }): Promise<() => Promise<string>> {
  const logger = new DefaultLogger('WARN', ({ level, message, meta }) => {
    const fields = { temporal: meta?.['error'] instanceof Error ? { ...meta, error: meta['error'].message } : meta };
    if (level === 'ERROR') log.error(fields, message);
    else log.warn(fields, message);
  });
  const filter = makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' });
  const logging = { forward: {}, filter };
  const install = (telemetryOptions: object) => Runtime.install({ shutdownSignals: [], logger, telemetryOptions });
  if (!metrics) {
    install({ logging });
    return () => Promise.resolve('');
  }
  for (let tried = 1; ; tried += 1) {
    // Temporal's native library needs its own listener, which is open only to this machine.
    const bindAddress = `127.0.0.1:${await freePort()}`;
    try {
      const prometheus = { bindAddress, countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true };
      install({ logging, metrics: { prometheus } });
      return async () => (await fetch(`http://${bindAddress}/metrics`, { signal: AbortSignal.timeout(2_000) })).text();
    } catch (error) {
      if (tried === TRIES) throw error;
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

export function workerTracing({ pipeline }: Pick<Tracing, 'pipeline'>) {
  const activity: ActivityInterceptorsFactory[] = [];
  const sinks: InjectedSinks<Sinks> = {};
  if (pipeline !== undefined) {
    activity.push((context) => ({ inbound: new OpenTelemetryActivityInboundInterceptor(context) }));
    sinks.exporter = makeWorkflowExporter(pipeline.processor, pipeline.resource);
  }
  return { activity, sinks };
}
