import type { Client } from '@temporalio/client';
import type { Config } from '../../infra/config/index.ts';
import { askTemporal } from './temporal.ts';

type Service = Client['connection']['workflowService'];
type Of = Readonly<{ namespace: string; deploymentName: string }>;

export async function listReleases(config: Config, deployment: string | undefined): Promise<object> {
  return asked(config, deployment, async (service, of) => {
    const { workerDeploymentInfo } = await service.describeWorkerDeployment(of);
    const { routingConfig, versionSummaries } = workerDeploymentInfo ?? {};
    return {
      deployment: of.deploymentName,
      current: routingConfig?.currentDeploymentVersion?.buildId ?? null,
      ramping: routingConfig?.rampingDeploymentVersion?.buildId ?? null,
      ramping_percent: routingConfig?.rampingVersionPercentage ?? 0,
      builds: (versionSummaries ?? []).map(({ deploymentVersion, drainageInfo }) => ({
        build_id: deploymentVersion?.buildId,
        drained: Number(drainageInfo?.status) === DRAINED,
      })),
    };
  });
}

/** The drained state in Temporal's `VersionDrainageStatus`. */
const DRAINED = 2;

/** `percent` is 1 to 99. Without `percent`, the release gets all workflows. */
export async function promoteRelease(
  config: Config,
  { deployment, buildId, percent }: { deployment: string | undefined; buildId: string; percent: number | undefined },
): Promise<object> {
  return asked(config, deployment, async (service, of) => {
    const request = { ...of, buildId, identity: 'ringfence admin' };
    if (percent === undefined) await service.setWorkerDeploymentCurrentVersion(request);
    else await service.setWorkerDeploymentRampingVersion({ ...request, percentage: percent });
    return { deployment: of.deploymentName, build_id: buildId, percent: percent ?? 100 };
  });
}

async function asked(
  config: Config,
  deployment: string | undefined,
  question: (service: Service, of: Of) => Promise<object>,
): Promise<object> {
  const deploymentName = deployment ?? config.worker.deployment?.name ?? 'ringfence';
  const of = { namespace: config.temporal.namespace, deploymentName };
  return askTemporal(config, `refused the command for the deployment ${deploymentName}`, ({ connection }) =>
    question(connection.workflowService, of),
  );
}
