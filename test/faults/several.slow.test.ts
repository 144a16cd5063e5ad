import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../../programs/admin/run.ts';
import { expectNoWorkflows, expectOnceEach, expectWhole } from '../helpers/faults-checks.ts';
import { openFaultClient, type FaultClient } from '../helpers/faults-client.ts';
import { bodyFor, bodyOf, caOf, chance, fundOwners, ordersFor, placeOver, settled } from '../helpers/faults-load.ts';
import type { Owner, Payment } from '../helpers/faults-load.ts';
import { startFaultStack } from '../helpers/faults.ts';
import { freePort } from '../helpers/ports.ts';
import { until } from '../helpers/until.ts';

// The test starts two more workers: one shares the work of the stack's own worker, and the other does the rest.
const stack = startFaultStack({
  WORKER_QUEUES: 'payments,bank',
  WORKER_LOOPS: 'relay',
  CREDENTIAL_SIGN_WITHIN_MS: '20000',
});
const THE_REST = { WORKER_QUEUES: 'upkeep,batch,documents', WORKER_LOOPS: 'bank-events,mail,upkeep' };
const random = chance(Date.now());
let port: string;
let both: FaultClient;
let others: ChildProcess[];
let rest: ChildProcess;
let owners: Owner[];

const otherApi = () => stack.another('API', { RINGFENCE_PORT_API: port });

beforeAll(async () => {
  port = String(await freePort());
  const sharing = stack.another('worker', { WORKER_QUEUES: 'payments,bank', WORKER_LOOPS: 'relay' });
  [rest, ...others] = await Promise.all([stack.another('worker', THE_REST), otherApi(), sharing]);
  both = openFaultClient({ urls: [stack.url, `https://localhost:${port}`], ca: caOf(stack) });
  owners = await fundOwners(both, 6);
});
afterAll(() => both.close());

describe('two API processes, and workers that share the queues out, on one database', () => {
  it('make one payment of a request that is sent to both at once, also while an API and a worker are killed', async () => {
    const orders = ordersFor(owners, 60);
    const placing = Promise.all([placeOver(both, orders, 4_000, random), placeOver(both, orders, 4_000, random)]);
    await sleep(1_000 + random() * 2_000);
    for (const other of others) other.kill('SIGKILL');
    const [once, twice] = await placing;
    const ids = (paid: typeof once) => paid.map(({ key, paymentId }) => ({ key, paymentId }));
    expect(ids(twice)).toEqual(ids(once));
    await settled(both, owners, 120_000);
    await expectOnceEach(stack, { client: both, owners, paid: once });
    await expectNoWorkflows(stack);
  });

  it('sign a credential at the worker of that queue, whichever API is asked', async () => {
    await otherApi();
    const [{ token, userId }] = owners as [Owner];
    for (const key of ['credential-1', 'credential-2']) {
      const asked = { token, key, body: { user_id: userId } };
      const made = await both.call('POST', '/api/v1/credential/generate', asked);
      expect({ key, status: made.status }).toEqual({ key, status: 201 });
    }
  });
});

describe('the business clock of a sandbox', () => {
  const DAY_MS = 86_400_000;
  const CLOCK = '/api/v1/sandbox/clock';
  let one: FaultClient;
  let other: FaultClient;
  let token: string;

  beforeAll(async () => {
    one = openFaultClient({ urls: [stack.url], ca: caOf(stack) });
    other = openFaultClient({ urls: [`https://localhost:${port}`], ca: caOf(stack) });
    const run = async (...argv: string[]) =>
      JSON.parse((await runCommand(argv, stack.env)).stdout) as Record<string, string>;
    const { app_id } = await run('app', 'create', '--name', 'Operator');
    token = (await run('key', 'create', '--app', app_id!, '--scopes', 'admin:audit')).key!;
  });
  afterAll(() => Promise.all([one.close(), other.close()]));

  const timeIn = async (answering: ReturnType<FaultClient['call']>) =>
    Date.parse((await bodyFor<{ now: string }>(200, answering)).now);
  const move = (client: FaultClient, advance: string) =>
    timeIn(client.call('POST', CLOCK, { token, body: { advance } }));
  const read = (client: FaultClient) => timeIn(client.call('GET', CLOCK, { token }));

  async function schedule(count: number, days: number): Promise<Payment[]> {
    const execute_on = new Date((await read(one)) + days * DAY_MS).toISOString().slice(0, 10);
    const payments = await Promise.all(
      ordersFor(owners, count, ['prov_sandbox_instant']).map((order) => {
        const asked = { token: order.owner.token, key: order.key, body: { ...bodyOf(order), execute_on } };
        return bodyFor<Payment>(201, one.call('POST', '/api/v1/payments/execute', asked));
      }),
    );
    expect(payments.map(({ status }) => status)).toEqual(payments.map(() => 'pending'));
    return payments;
  }

  const statusOf = async ({ payment_id, user_id }: Payment) => {
    const own = { token: owners.find(({ userId }) => userId === user_id)!.token };
    return (await bodyFor<Payment>(200, one.call('GET', `/api/v1/payments/${payment_id}`, own))).status;
  };
  const allOf = async (payments: readonly Payment[], ...statuses: string[]) =>
    (await Promise.all(payments.map(statusOf))).every((status) => statuses.includes(status));

  test('every process sees an answered move, and due payments are paid within seconds', async () => {
    const nextWeek = await schedule(12, 7);
    const nextMonth = await schedule(3, 31);
    const moved = await move(one, 'P8D');
    const movedAt = Date.now();
    expect(await read(other)).toBeGreaterThanOrEqual(moved);
    const started = () => allOf(nextWeek, 'processing', 'completed');
    await until(started, 'the start of what is due', 5_000 - (Date.now() - movedAt));
    await until(() => allOf(nextWeek, 'completed'), 'the end of what is due', 20_000);
    expect(await allOf(nextMonth, 'pending')).toBe(true);
  });

  test('a move and the payments due by it survive the crash of every process', async () => {
    const due = await schedule(6, 3);
    await stack.kill('worker', 'SIGKILL');
    const moved = await move(one, 'P4D');
    rest.kill('SIGKILL');
    await stack.killAll();
    await stack.start();
    await stack.another('worker', THE_REST);
    expect(await read(one)).toBeGreaterThanOrEqual(moved);
    await until(() => allOf(due, 'completed'), 'the payments that were due', 60_000);
  });

  test('a payment scheduled a month ahead is paid when the clock gets there, and all balances are right', async () => {
    await move(one, 'P1M');
    await settled(one, owners);
    await expectWhole(stack);
    expect([both, one, other].flatMap(({ wrongs }) => wrongs)).toEqual([]);
  });
});
