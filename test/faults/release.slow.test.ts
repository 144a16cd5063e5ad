import { Client, Connection } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../../programs/admin/run.ts';
import { expectNoWorkflows, expectOnceEach } from '../helpers/faults-checks.ts';
import { openFaultClient, type FaultClient } from '../helpers/faults-client.ts';
import { bodyFor, bodyOf, caOf, fundOwners, ordersFor, settled } from '../helpers/faults-load.ts';
import type { Owner, Paid, Payee, Payment } from '../helpers/faults-load.ts';
import { startFaultStack } from '../helpers/faults.ts';
import { until } from '../helpers/until.ts';

const stack = startFaultStack({ WORKER_DEPLOYMENT_NAME: 'ringfence', WORKER_BUILD_ID: 'A' });
const paid: Paid[] = [];
let client: FaultClient;
let owners: Owner[];
let temporal: Client;

beforeAll(async () => {
  client = openFaultClient({ urls: [stack.url], ca: caOf(stack) });
  owners = await fundOwners(client, 3);
  const address = `localhost:${stack.env.RINGFENCE_PORT_TEMPORAL}`;
  temporal = new Client({ connection: await Connection.connect({ address }) });
}, 60_000);
afterAll(async () => {
  await client.close();
  await temporal.connection.close();
});

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
  const placed = ordersFor(owners, count, [payee]).map(async (order) => {
    const asked = { token: order.owner.token, key: order.key, body: bodyOf(order) };
    const { payment_id: paymentId } = await bodyFor<Payment>(
      201,
      client.call('POST', '/api/v1/payments/execute', asked),
    );
    return { ...order, paymentId };
  });
  const those = await Promise.all(placed);
  paid.push(...those);
  return those;
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
    await settled(client, owners);
    await workedOnBy([...underA, ...underB], 'B');
    expect(all('A')(await releasesOf(first))).toBe(true);

    comesBack();
    await sleep(1_000);
    const before = await pay(6, 'prov_sandbox_slow');
    await workedOnBy(before, 'B');
    await command('release', 'promote', 'A');
    const after = await pay(6, 'prov_sandbox_instant');
    await settled(client, owners);
    await workedOnBy([...before, ...after], 'A');

    await expectOnceEach(stack, { client, owners, paid });
    await expectNoWorkflows(stack);
  }, 280_000);
});
