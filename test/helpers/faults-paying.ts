import { expectNoWorkflows, expectOnceEach } from './faults-checks.ts';
import { openFaultClient, type FaultClient } from './faults-client.ts';
import { bodyFor, bodyOf, caOf, fundOwners, ordersFor, placeOver, settled } from './faults-load.ts';
import type { Order, Owner, Paid, Payment } from './faults-load.ts';
import { startFaultStack, type FaultStack } from './faults.ts';
import { until } from './until.ts';

/** A stack with a client and owners, and with the payments that the test made so far. */
export interface PayingStack {
  readonly stack: FaultStack;
  readonly client: FaultClient;
  readonly owners: readonly Owner[];
  readonly paid: Paid[];
  instant(count: number): Order[];
  /** Sends a payment once, and remembers nothing. @throws if it is not accepted. */
  execute(order: Order, more?: object): Promise<Payment>;
  executeAll(orders: readonly Order[]): Promise<Paid[]>;
  read(payment: { owner: Owner; paymentId: string }): Promise<Payment>;
  cancel(payment: Paid): ReturnType<FaultClient['once']>;
  /** Places orders while something happens, and remembers them. */
  payWhile(
    orders: readonly Order[],
    overMs: number,
    random: () => number,
    happens: () => Promise<unknown>,
  ): Promise<void>;
  isReady(): Promise<void>;
  /** Expects that each remembered payment moved its money once, and that nothing is left to do. */
  allEndRight(withinMs?: number): Promise<void>;
}

/** `prepare` runs between the start of the stack and the first request. */
export function withPayingStack(
  env: Readonly<Record<string, string>> = {},
  { count = 3, prepare }: { count?: number; prepare?: (stack: FaultStack) => Promise<void> } = {},
): PayingStack {
  const stack = startFaultStack(env);
  let client: FaultClient;
  let owners: Owner[];
  beforeAll(async () => {
    await prepare?.(stack);
    client = openFaultClient({ urls: [stack.url], ca: caOf(stack) });
    owners = await fundOwners(client, count);
  });
  afterAll(() => client.close());
  const paid: Paid[] = [];
  const execute = (order: Order, more: object = {}) => {
    const asked = { token: order.owner.token, key: order.key, body: { ...bodyOf(order), ...more } };
    return bodyFor<Payment>(201, client.once('POST', '/api/v1/payments/execute', asked));
  };
  return {
    stack,
    get client() {
      return client;
    },
    get owners() {
      return owners;
    },
    paid,
    instant: (number) => ordersFor(owners, number, ['prov_sandbox_instant']),
    execute,
    executeAll: (orders) =>
      Promise.all(orders.map(async (order) => ({ ...order, paymentId: (await execute(order)).payment_id }))),
    read: ({ owner, paymentId }) =>
      bodyFor<Payment>(200, client.call('GET', `/api/v1/payments/${paymentId}`, { token: owner.token })),
    cancel: ({ owner, paymentId, key }) =>
      client.once('POST', `/api/v1/payments/${paymentId}/cancel`, { token: owner.token, key: `${key}-cancel` }),
    async payWhile(orders, overMs, random, happens) {
      const [placed] = await Promise.all([placeOver(client, orders, overMs, random), happens()]);
      paid.push(...placed);
    },
    isReady: () => until(async () => (await client.once('GET', '/readyz')).status === 200, 'readiness', 120_000),
    async allEndRight(withinMs) {
      await settled(client, owners, withinMs);
      await expectOnceEach(stack, { client, owners, paid });
      await expectNoWorkflows(stack);
    },
  };
}
