import { runCommand } from '../../programs/admin/run.ts';
import { expectWhole } from '../helpers/faults-checks.ts';
import { openFaultClient, type FaultClient } from '../helpers/faults-client.ts';
import {
  bodyFor,
  bodyOf,
  caOf,
  fundOwners,
  ordersFor,
  settled,
  type Owner,
  type Payment,
} from '../helpers/faults-load.ts';
import { startFaultStack } from '../helpers/faults.ts';
import { until } from '../helpers/until.ts';
import { freePort } from '../helpers/ports.ts';

const DAY_MS = 86_400_000;
const CLOCK = '/api/v1/sandbox/clock';
const stack = startFaultStack();
let one: FaultClient;
let other: FaultClient;
let owners: Owner[];
let key: string;

beforeAll(async () => {
  const port = String(await freePort());
  await stack.another('API', { RINGFENCE_PORT_API: port });
  one = openFaultClient({ urls: [stack.url], ca: caOf(stack) });
  other = openFaultClient({ urls: [`https://localhost:${port}`], ca: caOf(stack) });
  owners = await fundOwners(one, 3);
  key = await operatorKey();
}, 60_000);
afterAll(() => Promise.all([one.close(), other.close()]));

async function operatorKey(): Promise<string> {
  const run = async (...argv: string[]) =>
    JSON.parse((await runCommand(argv, stack.env)).stdout) as Record<string, string>;
  const { app_id } = await run('app', 'create', '--name', 'Operator');
  return (await run('key', 'create', '--app', app_id!, '--scopes', 'admin:audit')).key!;
}

const move = async (client: FaultClient, body: object, name?: string) => {
  const asked = { token: key, body, ...(name && { key: name }) };
  return Date.parse((await bodyFor<{ now: string }>(200, client.call('POST', CLOCK, asked))).now);
};
const read = async (client: FaultClient) =>
  Date.parse((await bodyFor<{ now: string }>(200, client.call('GET', CLOCK, { token: key }))).now);

async function schedule(count: number, days: number): Promise<Payment[]> {
  const execute_on = new Date((await read(one)) + days * DAY_MS).toISOString().slice(0, 10);
  const orders = ordersFor(owners, count, ['prov_sandbox_instant']);
  const payments = await Promise.all(
    orders.map((order) => {
      const body = { ...bodyOf(order), execute_on };
      const asked = { token: order.owner.token, key: order.key, body };
      return bodyFor<Payment>(201, one.call('POST', '/api/v1/payments/execute', asked));
    }),
  );
  expect(payments.map(({ status }) => status)).toEqual(payments.map(() => 'pending'));
  return payments;
}

const statusOf = async ({ payment_id, user_id }: Payment) => {
  const { token } = owners.find(({ userId }) => userId === user_id)!;
  return (await bodyFor<Payment>(200, one.call('GET', `/api/v1/payments/${payment_id}`, { token }))).status;
};
const allOf = async (payments: readonly Payment[], ...statuses: string[]) =>
  (await Promise.all(payments.map(statusOf))).every((status) => statuses.includes(status));

describe('the business clock of a sandbox', () => {
  test('every process sees an answered move, and due payments are paid within seconds', async () => {
    const nextWeek = await schedule(12, 7);
    const nextMonth = await schedule(3, 31);
    const moved = await move(one, { advance: 'P8D' });
    const movedAt = Date.now();
    expect(await read(other)).toBeGreaterThanOrEqual(moved);
    await until(
      () => allOf(nextWeek, 'processing', 'completed'),
      'the start of what is due',
      5_000 - (Date.now() - movedAt),
    );
    await until(() => allOf(nextWeek, 'completed'), 'the end of what is due', 20_000);
    expect(await allOf(nextMonth, 'pending')).toBe(true);
  }, 60_000);

  test('moves at two processes in turn are visible to the other at once', async () => {
    for (let turn = 0; turn < 20; turn += 1) {
      const [moves, reads] = turn % 2 === 0 ? [one, other] : [other, one];
      const moved = await move(moves, { advance: 'PT1M' }, `turn-${turn}`);
      expect(await read(reads)).toBeGreaterThanOrEqual(moved);
    }
  }, 60_000);

  test('forty simultaneous moves at both processes all count', async () => {
    const before = await read(one);
    await Promise.all(Array.from({ length: 40 }, (_, turn) => move(turn % 2 ? one : other, { advance: 'PT1H' })));
    const passed = (await read(other)) - before;
    expect(passed).toBeGreaterThanOrEqual(40 * 3_600_000);
    expect(passed).toBeLessThan(41 * 3_600_000);
  }, 60_000);

  test('a move and the payments due by it survive the crash of every process', async () => {
    const due = await schedule(6, 3);
    await stack.kill('worker', 'SIGKILL');
    const moved = await move(one, { advance: 'P4D' });
    await stack.killAll();
    await stack.start();
    expect(await read(one)).toBeGreaterThanOrEqual(moved);
    await until(() => allOf(due, 'completed'), 'the payments that were due', 60_000);
  }, 120_000);

  test('a payment scheduled a month ahead is paid when the clock gets there, and all balances are right', async () => {
    await move(one, { advance: 'P1M' });
    await settled(one, owners);
    await expectWhole(stack);
    expect([...one.wrongs, ...other.wrongs]).toEqual([]);
  }, 90_000);
});
