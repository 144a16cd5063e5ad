import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { findingsOf, movedAtBank } from '../helpers/faults-checks.ts';
import type { Answer } from '../helpers/faults-client.ts';
import { bodyFor, bodyOf, chance, ordersFor, placeOver, settled } from '../helpers/faults-load.ts';
import type { Order, Paid, Payment } from '../helpers/faults-load.ts';
import { withPayingStack } from '../helpers/faults-paying.ts';
import { until } from '../helpers/until.ts';

const IN_A_MONTH = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
const on = withPayingStack({ DATABASE_TIMEOUT_MS: '3000' });
const { stack, read, cancel, execute, executeAll } = on;

const everyStatus = async (payments: readonly Paid[]) => [
  ...new Set((await Promise.all(payments.map(read))).map(({ status }) => status)),
];

describe('while Temporal is down for a minute', () => {
  const AWAY_MS = 60_000;

  async function retriedWhereRejected(payments: readonly Paid[]): Promise<readonly Paid[]> {
    for (const payment of payments.filter(({ payee }) => payee === 'prov_sandbox_reject_once')) {
      const hasFailed = async () => (await read(payment)).status === 'failed';
      await until(hasFailed, `the rejection of ${payment.paymentId}`, 120_000);
      const again = { token: payment.owner.token, key: `${payment.key}-again` };
      await bodyFor(202, on.client.call('POST', `/api/v1/payments/${payment.paymentId}/retry`, again));
    }
    return payments;
  }

  it('payments are accepted all along, none is refused or lost, and each is settled once when it is back', async () => {
    const { client, owners } = on;
    const schedule = async (order: Order) => ({
      ...order,
      paymentId: (await execute(order, { execute_on: IN_A_MONTH })).payment_id,
    });
    const [early, late] = on.instant(2) as [Order, Order];
    const scheduled = [await schedule(early)];
    // Some payments are at the bank or between two attempts when Temporal goes down.
    const underWay = await executeAll(ordersFor(owners, 12));
    const comesBack = await stack.takeAway('Temporal');
    const goneAt = Date.now();
    const refused = client.seen.get(503) ?? 0;
    scheduled.push(await schedule(late));
    for (const payment of scheduled) expect((await bodyFor<Payment>(200, cancel(payment))).status).toBe('cancelled');
    const meanwhile: Paid[] = [];
    while (Date.now() - goneAt < AWAY_MS) {
      const asked = await executeAll(ordersFor(owners, 6));
      expect(await everyStatus(asked)).toEqual(['processing']);
      meanwhile.push(...asked);
      await sleep(5_000);
    }
    // The first six payments without Temporal have waited for about a minute.
    expect(await everyStatus(meanwhile.slice(0, 6))).toEqual(['processing']);
    expect([...(await movedAtBank(stack, client)).keys()]).not.toContain(meanwhile[0]!.paymentId);
    expect(client.seen.get(503) ?? 0).toBe(refused);
    expect(await findingsOf(stack)).toEqual([]);
    comesBack();
    on.paid.push(...(await retriedWhereRejected([...underWay, ...meanwhile])));
    await on.allEndRight(120_000);
    expect(await everyStatus(scheduled)).toEqual(['cancelled']);
  });
});

/** API and worker must not restart. */
async function withoutRestart(work: () => Promise<void>): Promise<void> {
  const pids = async () => [await stack.pid('API'), await stack.pid('worker')];
  const before = await pids();
  await work();
  await on.allEndRight();
  expect(await pids()).toEqual(before);
}

describe('while the database is down', () => {
  it.each(['SIGINT', 'SIGKILL'] as const)(
    'callers get 503 with Retry-After, and API and worker recover automatically: %s',
    (signal) =>
      withoutRestart(async () => {
        const { client } = on;
        const orders = on.instant(12);
        let over = false;
        const broken: unknown[] = [];
        const refusedBefore = client.seen.get(503) ?? 0;
        const asking = orders.map(async ({ owner: { token } }) => {
          while (!over) {
            await client
              .once('GET', '/api/v1/payments', { token })
              .catch((error: unknown) => broken.push(String(error)));
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
        on.paid.push(...(await Promise.all(paying)));
        over = true;
        await Promise.all(asking);
        expect(broken).toEqual([]);
        expect(client.seen.get(503)).toBeGreaterThan(refusedBefore);
      }),
  );
});

describe('a database that accepts connections and never answers', () => {
  /** Covers the statement, the wait for a connection, and delays of a busy machine. */
  const BOUND_MS = 20_000;

  /** Suspends PostgreSQL, as if its storage hung. @returns a function that lets it continue. */
  async function hang(): Promise<() => void> {
    const postmaster = await stack.pid('PostgreSQL');
    const held: number[] = [];
    // The suspended postmaster starts no new processes.
    for (const pid of [postmaster, ...childrenOf(postmaster)]) {
      process.kill(pid, 'SIGSTOP');
      held.push(pid);
    }
    return () => {
      for (const pid of held.toReversed()) process.kill(pid, 'SIGCONT');
    };
  }

  function childrenOf(pid: number): number[] {
    return readdirSync(`/proc/${pid}/task`)
      .flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' '))
      .filter((text) => text !== '')
      .map(Number);
  }

  const timed = async (asking: Promise<Answer>) => {
    const begun = Date.now();
    const { status } = await asking;
    return { status, inTime: Date.now() - begun < BOUND_MS };
  };

  it('gives every kind of request a 503 in limited time, and nothing is lost or done twice when it answers again', () =>
    withoutRestart(async () => {
      const { client, owners } = on;
      const placing = placeOver(client, ordersFor(owners, 20), 6_000, chance(7));
      await sleep(1_500);
      const answersAgain = await hang();
      const { token } = owners[0]!;
      const [order] = on.instant(1) as [Order];
      const executing = { token: order.owner.token, key: order.key, body: bodyOf(order) };
      const answers = await Promise.all([
        timed(client.once('GET', '/readyz')),
        timed(client.once('GET', '/api/v1/auth/me', { token })),
        timed(client.once('GET', '/api/v1/payments', { token })),
        timed(client.once('POST', '/api/v1/payments/execute', executing)),
        timed(client.once('POST', '/api/v1/auth/login', { body: { email: 'a@example.test', password: 'a password' } })),
      ]);
      expect(answers).toEqual(answers.map(() => ({ status: 503, inTime: true })));
      expect(await timed(client.once('GET', '/livez'))).toEqual({ status: 200, inTime: true });
      answersAgain();
      await on.isReady();
      on.paid.push(...(await placing), ...(await placeOver(client, [order], 0, chance(8))));
    }));
});

describe('while the bank is down', () => {
  it('an unanswered payment stays in flight as unknown, cannot be cancelled, and ends correctly when the bank answers', async () => {
    // Only on an open connection to the bank can a lost request have an unknown outcome.
    on.paid.push(...(await executeAll(on.instant(6))));
    await settled(on.client, on.owners);
    const answersAgain = await stack.freeze('sandbox bank');
    const silent = await executeAll(on.instant(6));
    on.paid.push(...silent);
    const unknown = async () => {
      const payments = await Promise.all(silent.map(read));
      return payments.filter(({ bank_status }) => bank_status === 'UNKNOWN');
    };
    await until(async () => (await unknown()).length > 0, 'an outcome that is not known');
    for (const { payment_id, status } of await unknown()) {
      expect(status).toBe('processing');
      const refusal = await cancel(silent.find(({ paymentId }) => paymentId === payment_id)!);
      const body = { code: 'payment-not-pending', payment_status: 'processing' };
      expect(refusal).toMatchObject({ status: 409, body });
    }
    answersAgain();
    await on.allEndRight();
  });

  it('a payment that cannot be submitted is pending, can be cancelled, and otherwise is made when the bank is back', async () => {
    const comesBack = await stack.takeAway('sandbox bank');
    const waiting = await executeAll(on.instant(5));
    await until(async () => (await everyStatus(waiting)).join() === 'pending', 'all to be pending');
    const [cancelled, ...others] = waiting as [Paid, ...Paid[]];
    expect((await bodyFor<Payment>(200, cancel(cancelled))).status).toBe('cancelled');
    comesBack();
    on.paid.push(...others);
    await on.allEndRight();
    expect((await read(cancelled)).status).toBe('cancelled');
    expect((await movedAtBank(stack, on.client)).has(cancelled.paymentId)).toBe(false);
  });
});
