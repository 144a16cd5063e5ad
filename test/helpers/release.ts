import { NativeConnection, Worker } from '@temporalio/worker';
import type { Config } from '../../infra/config/index.ts';
import { openTemporal } from '../../infra/temporal/client.ts';
import { installTestRuntime } from './temporal-log.ts';
import { until } from './until.ts';

/** Waits until Temporal knows the release. @returns a function that stops the worker. */
export async function startRelease(
  temporal: Config['temporal'],
  { deploymentName, buildId }: { deploymentName: string; buildId: string },
): Promise<() => Promise<void>> {
  installTestRuntime();
  const client = openTemporal(temporal);
  const connection = await NativeConnection.connect({ address: temporal.address });
  const worker = await Worker.create({
    connection,
    taskQueue: deploymentName,
    activities: { nothing: () => Promise.resolve() },
    workerDeploymentOptions: {
      version: { deploymentName, buildId },
      useWorkerVersioning: true,
      defaultVersioningBehavior: 'PINNED',
    },
  });
  const running = worker.run();
  const { namespace } = temporal;
  const isKnown = () =>
    client.workflowService.describeWorkerDeployment({ namespace, deploymentName }).then(
      ({ workerDeploymentInfo }) => (workerDeploymentInfo?.versionSummaries ?? []).length > 0,
      () => false,
    );
  await until(isKnown, 'Temporal to know the release', 60_000);
  await client.connection.close();
  return async () => {
    worker.shutdown();
    await running;
    await connection.close();
  };
}
