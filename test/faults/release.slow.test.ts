import { Client, Connection } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../../programs/admin/run.ts';
import { ordersFor, settled, type Paid, type Payee } from '../helpers/faults-load.ts';
import { withPayingStack } from '../helpers/faults-paying.ts';
import { until } from '../helpers/until.ts';

const on = withPayingStack({ WORKER_DEPLOYMENT_NAME: 'ringfence', WORKER_BUILD_ID: 'A' });
const { stack } = on;
let temporal: Client;

beforeAll(async () => {
  const address = `localhost:${stack.env.RINGFENCE_PORT_TEMPORAL}`;
  temporal = new Client({ connection: await Connection.connect({ address }) });
});
afterAll(() => temporal.connection.close());

// Temporal learns of a new release with a delay.
async function command(...args: string[]): Promise<Record<string, unknown>> {
  let reply: Record<string, unknown> = {};
  await until(
    async () => {
      const { exitCode, stdout } = await runCommand(args, stack.env);
      if (exitCode === 0) reply = JSON.parse(stdout) as Record<string, unknown>;
      return exitCode === 0;
    },
    args.join(' '),
    60_000,
  );
  return reply;
}

async function pay(count: number, payee: Payee): Promise<Paid[]> {
  const placed = await on.executeAll(ordersFor(on.owners, count, [payee]));
  on.paid.push(...placed);
  return placed;
}

// For each payment, the last release whose worker worked on it.
async function releasesOf(payments: readonly Paid[]): Promise<(string | undefined)[]> {
  return Promise.all(
    payments.map(async ({ paymentId }) => {
      const { raw } = await temporal.workflow.getHandle(`payment/${paymentId}`).describe();
      return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId ?? undefined;
    }),
  );
}

const all = (build: string) => (builds: readonly (string | undefined)[]) => builds.every((one) => one === build);
const workedOnBy = (payments: readonly Paid[], build: string) =>
  until(async () => all(build)(await releasesOf(payments).catch(() => [undefined])), `release ${build}`, 60_000);

describe('a release of the workers', () => {
  it('gets nothing before its promotion, then takes over running payments, and gives them back: each is paid once', async () => {
    await command('release', 'promote', 'A');
    const first = await pay(6, 'prov_sandbox_instant');
    await workedOnBy(first, 'A');

    await stack.another('worker', { WORKER_BUILD_ID: 'B' });
    await until(async () => {
      const { builds } = await command('release', 'list');
      return (builds as { build_id: string }[]).some(({ build_id }) => build_id === 'B');
    }, 'Temporal to know B');
    const underA = await pay(6, 'prov_sandbox_slow');
    await workedOnBy(underA, 'A');

    expect(await command('release', 'promote', 'B')).toMatchObject({ build_id: 'B', percent: 100 });
    const comesBack = await stack.takeAway('worker');
    const underB = await pay(6, 'prov_sandbox_slow');
    await settled(on.client, on.owners);
    await workedOnBy([...underA, ...underB], 'B');
    expect(all('A')(await releasesOf(first))).toBe(true);

    comesBack();
    await sleep(1_000);
    const before = await pay(6, 'prov_sandbox_slow');
    await workedOnBy(before, 'B');
    await command('release', 'promote', 'A');
    const after = await pay(6, 'prov_sandbox_instant');
    await settled(on.client, on.owners);
    await workedOnBy([...before, ...after], 'A');
    await on.allEndRight();
  });
});
