import { commandLine } from '../../test/helpers/command-line.ts';
import { say } from '../../test/helpers/holds.ts';
import { findEngine } from '../image/engine.ts';
import { allHealthy, isClosed } from './closed.ts';
import { openDeployment, type Deployment } from './deployment.ts';
import { backsUp, restarts, restores, scales, upgrades } from './operated.ts';
import { deploy } from './prepare.ts';
import { pays, queuesAreServed, reads, registers, uiAnswers } from './serves.ts';

const USAGE = `npm run test:compose -- [--image NAME]

Deploys infra/deploy/compose.yaml with Docker or Podman (CONTAINER_ENGINE) and its compose, by the commands of docs/operate. A sandbox
bank runs beside it. The test pays, checks that nobody else gets in, adds workers, backs up, restores, upgrades and restarts. Then it
removes everything. It builds the image, or takes the named one. It needs root.`;
const BUILT = 'localhost/ringfence:tried';

async function main(): Promise<void> {
  const { values } = commandLine(USAGE, { options: { image: { type: 'string' }, help: { type: 'boolean' } } });
  if (values.help) {
    say(USAGE);
    return;
  }
  const deployment = await openDeployment();
  const stopping = () => void takeAway(deployment).then(() => process.exit(130));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stopping);
  try {
    if (values.image === undefined) {
      say(`building the image with ${deployment.engine} ...`);
      await findEngine().build(BUILT);
    }
    await tryOut(deployment, values.image ?? BUILT);
    say('The deployment does what it should.');
  } catch (error) {
    await tellMore(deployment);
    throw error;
  } finally {
    await takeAway(deployment);
  }
}

async function tryOut(deployment: Deployment, image: string): Promise<void> {
  const tried = await deploy(deployment, image);
  try {
    await allHealthy(tried);
    await registers(tried);
    const paymentId = await pays(tried);
    await reads(tried);
    await queuesAreServed(tried);
    await uiAnswers(tried);
    await isClosed(tried);
    await scales(tried);
    await backsUp(tried);
    await restores(tried);
    await upgrades(tried);
    await restarts(tried, paymentId);
  } finally {
    await tried.client.close();
  }
}

async function tellMore({ engine, shell }: Deployment): Promise<void> {
  say(`${engine} says:`);
  const said = shell('compose ps --all', 'compose logs --tail 15 2>&1');
  say(await said.catch((error: unknown) => String(error)));
}

async function takeAway(deployment: Deployment): Promise<void> {
  say('taking it away ...');
  await deployment.remove();
}

try {
  await main();
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
