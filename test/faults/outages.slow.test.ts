import { setTimeout as sleep } from 'node:timers/promises';
import { expectNoWorkflows, expectOnceEach, findingsOf, movedAtBank } from '../helpers/faults-checks.ts';
import { openFaultClient, type FaultClient } from '../helpers/faults-client.ts';
import {
  bodyFor,
  bodyOf,
  caOf,
  fundOwners,
  ordersFor,
  settled,
  type Order,
  type Owner,
  type Paid,
  type Payment,
} from '../helpers/faults-load.ts';
import { startFaultStack } from '../helpers/faults.ts';
import { until } from '../helpers/until.ts';

const IN_A_MONTH = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
const stack = startFaultStack();
const paid: Paid[] = [];
let client: FaultClient;
let owners: Owner[];

beforeAll(async () => {
  client = openFaultClient({ urls: [stack.url], ca: caOf(stack) });
  owners = await fundOwners(client, 3);
}, 30_000);
afterAll(() => client.close());

async function execute(order: Order, more: object = {}): Promise<Payment> {
  const asked = { token: order.owner.token, key: order.key, body: { ...bodyOf(order), ...more } };
  return bodyFor<Payment>(201, client.once('POST', '/api/v1/payments/execute', asked));
}

async function executeAll(orders: readonly Order[]): Promise<Paid[]> {
  return Promise.all(orders.map(async (order) => ({ ...order, paymentId: (await execute(order)).payment_id })));
}

function read({ owner, paymentId }: Paid): Promise<Payment> {
  return bodyFor<Payment>(200, client.call('GET', `/api/v1/payments/${paymentId}`, { token: owner.token }));
}

function cancel({ owner, paymentId, key }: Paid) {
  return client.once('POST', `/api/v1/payments/${paymentId}/cancel`, { token: owner.token, key: `${key}-cancel` });
}

async function retriedWhereRejected(payments: readonly Paid[]): Promise<readonly Paid[]> {
  for (const payment of payments.filter(({ payee }) => payee === 'prov_sandbox_reject_once')) {
    const hasFailed = async () => (await read(payment)).status === 'failed';
    await until(hasFailed, `the rejection of ${payment.paymentId}`, 120_000);
    const again = { token: payment.owner.token, key: `${payment.key}-again` };
    await bodyFor(202, client.call('POST', `/api/v1/payments/${payment.paymentId}/retry`, again));
  }
  return payments;
}

async function allEndRight(): Promise<void> {
  await settled(client, owners);
  await expectOnceEach(stack, { client, owners, paid });
  await expectNoWorkflows(stack);
}

const instant = (count: number) => ordersFor(owners, count, ['prov_sandbox_instant']);

describe('while Temporal is down', () => {
  it('payments are accepted, scheduled ones can be cancelled, and all others start when it is back', async () => {
    const [early, late] = instant(2) as [Order, Order];
    const scheduled = [{ ...early, paymentId: (await execute(early, { execute_on: IN_A_MONTH })).payment_id }];
    await sleep(1_000);
    const comesBack = await stack.takeAway('Temporal');
    scheduled.push({ ...late, paymentId: (await execute(late, { execute_on: IN_A_MONTH })).payment_id });
    const now = await executeAll(instant(4));
    for (const payment of scheduled) expect((await bodyFor<Payment>(200, cancel(payment))).status).toBe('cancelled');
    await sleep(2_000);
    for (const payment of now) expect((await read(payment)).status).toBe('processing');
    comesBack();
    paid.push(...now);
    await allEndRight();
    for (const payment of scheduled) expect((await read(payment)).status).toBe('cancelled');
  }, 120_000);
});

describe('while Temporal is down for a minute', () => {
  const AWAY_MS = 60_000;

  it('payments are accepted all along, none is refused or lost, and each is settled once when it is back', async () => {
    // Some payments are at the bank or between two attempts when Temporal goes down.
    const underWay = await executeAll(ordersFor(owners, 12));
    const comesBack = await stack.takeAway('Temporal');
    const goneAt = Date.now();
    const refused = client.seen.get(503) ?? 0;
    const meanwhile: Paid[] = [];
    while (Date.now() - goneAt < AWAY_MS) {
      const asked = await executeAll(ordersFor(owners, 6));
      for (const payment of asked) expect((await read(payment)).status).toBe('processing');
      meanwhile.push(...asked);
      await sleep(5_000);
    }
    // The first six payments without Temporal have waited for about a minute.
    for (const payment of meanwhile.slice(0, 6)) expect((await read(payment)).status).toBe('processing');
    expect([...(await movedAtBank(stack, client)).keys()]).not.toContain(meanwhile[0]!.paymentId);
    expect(client.seen.get(503) ?? 0).toBe(refused);
    expect(await findingsOf(stack)).toEqual([]);
    comesBack();
    paid.push(...(await retriedWhereRejected([...underWay, ...meanwhile])));
    await settled(client, owners, 120_000);
    await allEndRight();
  }, 280_000);
});

describe('while the database is down', () => {
  it.each(['SIGINT', 'SIGKILL'] as const)(
    'callers get 503 with Retry-After, and API and worker recover automatically: %s',
    async (signal) => {
      const others = [await stack.pid('API'), await stack.pid('worker')];
      const orders = instant(12);
      let over = false;
      const broken: unknown[] = [];
      const refusedBefore = client.seen.get(503) ?? 0;
      const asking = orders.map(async ({ owner: { token } }) => {
        while (!over) {
          await client.once('GET', '/api/v1/payments', { token }).catch((error: unknown) => broken.push(String(error)));
          await sleep(20);
        }
      });
      const paying = orders.map(async (order, index) => {
        await sleep(index * 150);
        for (;;) {
          const asked = { token: order.owner.token, key: order.key, body: bodyOf(order) };
          const answer = await client.once('POST', '/api/v1/payments/execute', asked);
          if (answer.status === 201) return { ...order, paymentId: (answer.body as Payment).payment_id };
          expect(answer.status).toBe(503);
          await sleep(200);
        }
      });
      await sleep(500);
      await stack.kill('PostgreSQL', signal);
      paid.push(...(await Promise.all(paying)));
      over = true;
      await Promise.all(asking);
      expect(broken).toEqual([]);
      expect(client.seen.get(503)).toBeGreaterThan(refusedBefore);
      await allEndRight();
      expect([await stack.pid('API'), await stack.pid('worker')]).toEqual(others);
    },
    120_000,
  );
});

describe('while the bank is down', () => {
  it('an unanswered payment stays in flight as unknown, cannot be cancelled, and ends correctly when the bank answers', async () => {
    // Only on an open connection to the bank can a lost request have an unknown outcome.
    paid.push(...(await executeAll(instant(6))));
    await settled(client, owners);
    const answersAgain = await stack.freeze('sandbox bank');
    const silent = await executeAll(instant(6));
    paid.push(...silent);
    const unknown = async () => {
      const payments = await Promise.all(silent.map(read));
      return payments.filter(({ bank_status }) => bank_status === 'UNKNOWN');
    };
    await until(async () => (await unknown()).length > 0, 'an outcome that is not known');
    for (const { payment_id, status } of await unknown()) {
      expect(status).toBe('processing');
      const refusal = await cancel(silent.find(({ paymentId }) => paymentId === payment_id)!);
      expect(refusal).toMatchObject({
        status: 409,
        body: { code: 'payment-not-pending', payment_status: 'processing' },
      });
    }
    answersAgain();
    await allEndRight();
  }, 120_000);

  it('a payment that cannot be submitted is pending, can be cancelled, and otherwise is made when the bank is back', async () => {
    const comesBack = await stack.takeAway('sandbox bank');
    const waiting = await executeAll(instant(5));
    const pending = async () => (await Promise.all(waiting.map(read))).every(({ status }) => status === 'pending');
    await until(pending, 'all to be pending');
    const [cancelled, ...others] = waiting as [Paid, ...Paid[]];
    expect((await bodyFor<Payment>(200, cancel(cancelled))).status).toBe('cancelled');
    comesBack();
    paid.push(...others);
    await allEndRight();
    expect((await read(cancelled)).status).toBe('cancelled');
    expect((await movedAtBank(stack, client)).has(cancelled.paymentId)).toBe(false);
  }, 120_000);
});
