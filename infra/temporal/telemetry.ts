import { createServer } from 'node:net';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { makeWorkflowExporter, OpenTelemetryActivityInboundInterceptor } from '@temporalio/interceptors-opentelemetry';
import {
  DefaultLogger,
  makeTelemetryFilterString,
  Runtime,
  type ActivityInterceptorsFactory,
  type InjectedSinks,
} from '@temporalio/worker';
import type { Sinks } from '@temporalio/workflow';
import type { Log } from '../log.ts';
import type { Tracing } from '../telemetry/tracing.ts';

const TRIES = 5;

/**
 * Sends Temporal's own warnings and errors to our log. Call once in a process.
 * @returns a function that gives Temporal's metrics, if they are wanted.
 */
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
    // Temporal's native part has a listener of its own; it is on this machine only, and read by ours.
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

/** What a worker needs to trace activities and to hand over the spans of workflows. */
export function workerTracing({ pipeline }: Pick<Tracing, 'pipeline'>) {
  const activity: ActivityInterceptorsFactory[] = [];
  const sinks: InjectedSinks<Sinks> = {};
  if (pipeline !== undefined) {
    activity.push((context) => ({ inbound: new OpenTelemetryActivityInboundInterceptor(context) }));
    sinks.exporter = makeWorkflowExporter(pipeline.processor, pipeline.resource);
  }
  return { activity, sinks };
}

/** Modules that go into the workflows' bundle where traces are on. */
export function tracedWorkflowModules(): string[] {
  const { resolve } = createRequire(import.meta.url);
  // The package's own plugin names it so; the plugin itself is experimental, and would trace more than we want.
  return [resolve('@temporalio/interceptors-opentelemetry/lib/workflow-interceptors')];
}
