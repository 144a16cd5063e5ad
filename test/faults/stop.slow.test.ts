import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { postgresUrl } from '../../programs/local/postgres.ts';
import { expectNoWorkflows, expectOnceEach } from '../helpers/faults-checks.ts';
import { openFaultClient, type FaultClient } from '../helpers/faults-client.ts';
import {
  bodyFor,
  bodyOf,
  caOf,
  chance,
  fundOwners,
  ordersFor,
  placeOver,
  settled,
  type Owner,
  type Paid,
  type Payment,
} from '../helpers/faults-load.ts';
import { startFaultStack } from '../helpers/faults.ts';
import { until } from '../helpers/until.ts';

const IN_A_MONTH = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
// A bank call is still waiting when the signal arrives.
const stack = startFaultStack({ BANK_TIMEOUT_MS: '6000' });
const paid: Paid[] = [];
let client: FaultClient;
let owners: Owner[];

beforeAll(async () => {
  client = openFaultClient({ urls: [stack.url], ca: caOf(stack) });
  owners = await fundOwners(client, 3);
}, 30_000);
afterAll(() => client.close());

async function connectDatabase(): Promise<pg.Client> {
  const database = new pg.Client(postgresUrl(Number(stack.env.RINGFENCE_PORT_POSTGRES)));
  await database.connect();
  return database;
}

// While the owner is locked, the owner's money cannot move.
async function holdOwner({ userId }: Owner): Promise<() => Promise<void>> {
  const database = await connectDatabase();
  await database.query('begin');
  await database.query('select owner_lock($1, now())', [userId]);
  return () => database.end();
}

async function untilCounted(least: number, sql: string): Promise<void> {
  const database = await connectDatabase();
  const counted = async () =>
    (await database.query<{ found: number }>(`select count(*)::int as found from ${sql}`)).rows[0]!.found;
  await until(async () => (await counted()) >= least, sql);
  await database.end();
}

async function allEndRight(): Promise<void> {
  await settled(client, owners);
  await expectOnceEach(stack, { client, owners, paid });
}

describe('SIGTERM', () => {
  it('lets the API finish running requests, answers waiting requests at once, and ends it with code 0', async () => {
    const [first, second, scheduled] = ordersFor(owners.slice(0, 1), 3, ['prov_sandbox_instant']) as [Paid, Paid, Paid];
    const { token } = owners[0]!;
    const post = (order: Paid, more: object = {}) => {
      const body = { ...bodyOf(order), ...more };
      return bodyFor<Payment>(201, client.once('POST', '/api/v1/payments/execute', { token, key: order.key, body }));
    };
    const { payment_id: waited } = await post(scheduled, { execute_on: IN_A_MONTH });
    const release = await holdOwner(owners[0]!);
    const posting = [post(first), post(second)];
    const begun = Date.now();
    const headers = { prefer: 'wait=25' };
    const waiting = client
      .once('GET', `/api/v1/payments/${waited}`, { token, headers })
      .then((answer) => ({ answer, ms: Date.now() - begun }));
    await untilCounted(2, `pg_stat_activity where wait_event_type = 'Lock'`);
    const stopping = stack.kill('API', 'SIGTERM');
    const { answer, ms } = await waiting;
    expect(answer).toMatchObject({ status: 200, body: { status: 'pending' } });
    expect(ms).toBeLessThan(20_000);
    await release();
    const [one, two] = (await Promise.all(posting)) as [Payment, Payment];
    paid.push({ ...first, paymentId: one.payment_id }, { ...second, paymentId: two.payment_id });
    await stopping;
    await stack.says('The API stopped by itself (exit code 0)');
    const cancelling = client.call('POST', `/api/v1/payments/${waited}/cancel`, { token, key: 'cancel-scheduled' });
    expect((await bodyFor<Payment>(200, cancelling)).status).toBe('cancelled');
    await allEndRight();
  }, 120_000);

  it('lets the worker finish its running bank calls, and ends it with code 0', async () => {
    await stack.pid('API');
    const answersAgain = await stack.freeze('sandbox bank');
    const orders = ordersFor(owners, 12, ['prov_sandbox_instant', 'prov_sandbox_slow', 'prov_sandbox_lost_reply']);
    paid.push(...(await placeOver(client, orders, 0, chance(1))));
    await untilCounted(1, `payment_attempts where submission = 'in_doubt'`);
    const stopping = stack.kill('worker', 'SIGTERM');
    await sleep(500);
    answersAgain();
    await stopping;
    await stack.says('The worker stopped by itself (exit code 0)');
    await allEndRight();
  }, 120_000);

  it('ends the whole service with code 0 in mid-payment, and the next start continues', async () => {
    const placing = placeOver(client, ordersFor(owners, 30), 3_000, chance(2));
    await sleep(2_000);
    expect(await stack.end()).toBe(0);
    await stack.start();
    paid.push(...(await placing));
    await until(async () => (await client.once('GET', '/readyz')).status === 200, 'readiness');
    await allEndRight();
    await expectNoWorkflows(stack);
  }, 120_000);
});
