import type { Client } from '@temporalio/client';
import type { LogEntry } from '@temporalio/worker';
import type { Services } from '../../infra/services.ts';
import { bundleWorkflows } from '../../infra/temporal/bundle.ts';
import { startRelay } from '../../infra/temporal/relay.ts';
import { createWorker } from '../../programs/worker.ts';
import { installTestRuntime } from './temporal-log.ts';
import { openNamespace } from './temporal.ts';

/** Temporal has a namespace of its own. */
export interface Signing {
  client: Client;
  /** Stops the worker after it finishes its tasks. */
  stopWorker(): Promise<void>;
  startWorker(): Promise<void>;
  stopRelay(): Promise<void>;
  startRelay(): void;
  stop(): Promise<void>;
}

/** Does not show the entries of Temporal's log that are expected. */
export async function startSigning(services: Services, isExpected?: (entry: LogEntry) => boolean): Promise<Signing> {
  installTestRuntime(isExpected);
  const [{ client, connection }, bundle] = await Promise.all([openNamespace(services), bundleWorkflows()]);

  let running: { worker: Awaited<ReturnType<typeof createWorker>>; run: Promise<void> } | undefined;
  let relay: ReturnType<typeof startRelay> | undefined;
  const signing: Signing = {
    client,
    async startWorker() {
      const worker = await createWorker('upkeep', services, connection, bundle);
      running = { worker, run: worker.run() };
    },
    async stopWorker() {
      running?.worker.shutdown();
      await running?.run;
      running = undefined;
    },
    startRelay() {
      relay ??= startRelay(services, client);
    },
    async stopRelay() {
      await relay?.stop();
      relay = undefined;
    },
    async stop() {
      await signing.stopRelay();
      await signing.stopWorker();
      await Promise.all([connection.close(), client.connection.close()]);
    },
  };
  await signing.startWorker();
  signing.startRelay();
  return signing;
}
