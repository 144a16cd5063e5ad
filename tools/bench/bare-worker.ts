import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { readConfig } from '../../infra/config/index.ts';
import { workerTuning } from '../../programs/worker.ts';
import { BARE_QUEUE } from './bare-queue.ts';

/** Uses the payments worker's settings. Sends `{ready: true}` to its parent process. */
async function main(): Promise<void> {
  const config = readConfig();
  Runtime.install({ shutdownSignals: [], logger: new DefaultLogger('WARN') });
  const workflowsPath = join(import.meta.dirname, 'bare-workflow.ts');
  const [connection, workflowBundle] = await Promise.all([
    NativeConnection.connect({ address: config.temporal.address, tls: config.temporal.tls }),
    bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') }),
  ]);
  const worker = await Worker.create({
    ...workerTuning(config),
    connection,
    namespace: config.temporal.namespace,
    taskQueue: BARE_QUEUE,
    workflowBundle,
    activities: { answer: () => Promise.resolve('done') },
  });
  const stop = () => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  process.once('SIGTERM', stop).once('SIGINT', stop).once('disconnect', stop);
  process.send?.({ ready: true });
  await worker.run();
  await connection.close();
}

await main();
process.exit(0);
