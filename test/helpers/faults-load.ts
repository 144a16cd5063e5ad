import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tlsFetch } from '../../client/src/node.ts';
import { approveAtBank } from '../../programs/demo/browser.ts';
import type { Answer, FaultClient } from './faults-client.ts';
import { type FaultStack } from './faults.ts';
import { until } from './until.ts';

const PASSWORD = 'a long enough passphrase';

export interface Person {
  email: string;
  userId: string;
  token: string;
}

export interface Owner extends Person {
  allocationId: string;
}

export interface Order {
  key: string;
  owner: Owner;
  payee: Payee;
  amount: number;
}

export interface Paid extends Order {
  paymentId: string;
}

/** The final status of a payment to each payee. For `prov_sandbox_reject_once`, the caller must retry the payment. */
export const ENDS = {
  prov_sandbox_instant: 'completed',
  prov_sandbox_slow: 'completed',
  prov_sandbox_lost_reply: 'completed',
  prov_sandbox_unavailable: 'completed',
  prov_sandbox_reject_once: 'completed',
  prov_sandbox_reject: 'failed',
  prov_sandbox_forbidden: 'failed',
  prov_sandbox_return: 'returned',
} as const;
export type Payee = keyof typeof ENDS;
const PAYEES = Object.keys(ENDS) as Payee[];

/** In pence. */
export const FUNDS = 50_000_00;
let keys = 0;

/** Makes a generator of pseudo-random numbers from 0 to 1. */
export function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Without money. */
export async function registerPersons(client: FaultClient, count: number): Promise<Person[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const who = { email: `owner-${(keys += 1)}@example.test`, password: PASSWORD };
      const registering = client.call('POST', '/api/v1/auth/register', { body: who });
      const { user_id: userId } = await bodyFor<{ user_id: string }>(201, registering);
      const signingIn = client.call('POST', '/api/v1/auth/login', { body: who });
      const { access_token: token } = await bodyFor<{ access_token: string }>(200, signingIn);
      return { email: who.email, userId, token };
    }),
  );
}

export async function fundOwners(client: FaultClient, count: number): Promise<Owner[]> {
  const persons = await registerPersons(client, count);
  return Promise.all(
    persons.map(async (person) => {
      const body = {
        employee_id: person.userId,
        gross_pay: FUNDS,
        obligations: [{ type: 'Bills', amount: FUNDS, category: 'FIXED' }],
      };
      const asked = { token: person.token, key: `wage-${(keys += 1)}`, body };
      const paycheck = client.call('POST', '/api/v1/engine/paycheck/calculate', asked);
      const { vaults } = await bodyFor<{ vaults: { allocation_id: string }[] }>(201, paycheck);
      return { ...person, allocationId: vaults[0]!.allocation_id };
    }),
  );
}

/** The owners pay these payees from their own accounts from now on. */
export async function connectToPay(
  { client, stack }: { client: FaultClient; stack: FaultStack },
  owners: readonly Person[],
  payees: readonly Payee[],
): Promise<void> {
  const fetch = tlsFetch({ ca: readFileSync(caOf(stack)) });
  const limits = { per_payment: FUNDS, per_month: FUNDS };
  for (const { email, userId: user_id, token } of owners) {
    for (const provider_id of payees) {
      const body = { user_id, bank_id: 'sandbox', kind: 'payments', provider_id, limits };
      const asked = { token, key: `connect-${(keys += 1)}`, body };
      const made = await bodyFor<{ authorise_url: string }>(
        201,
        client.call('POST', '/api/v1/bank/connections', asked),
      );
      await approveAtBank(fetch, { email, password: PASSWORD, customer: user_id, authoriseUrl: made.authorise_url });
    }
  }
}

export function ordersFor(owners: readonly Owner[], count: number, payees: readonly Payee[] = PAYEES): Order[] {
  return Array.from({ length: count }, (_, index) => ({
    key: `order-${(keys += 1)}`,
    owner: owners[index % owners.length]!,
    payee: payees[Math.floor(index / owners.length + index) % payees.length]!,
    amount: 100 + keys,
  }));
}

export function bodyOf({ owner, payee, amount, key }: Order) {
  return { vault_allocation_id: owner.allocationId, amount, currency: 'GBP', provider_id: payee, reference: key };
}

async function place(client: FaultClient, order: Order): Promise<Paid> {
  const { token } = order.owner;
  const asked = { token, key: order.key, body: bodyOf(order) };
  const { payment_id: paymentId } = await bodyFor<Payment>(201, client.call('POST', '/api/v1/payments/execute', asked));
  if (order.payee === 'prov_sandbox_reject_once') {
    const path = `/api/v1/payments/${paymentId}`;
    const rejected = async () => {
      const { status, attempt } = await bodyFor<Payment>(200, client.call('GET', path, { token }));
      return status === 'failed' || attempt > 1;
    };
    await until(rejected, `the rejection of ${paymentId}`, 90_000);
    await bodyFor(202, client.call('POST', `${path}/retry`, { token, key: `${order.key}-again` }));
  }
  return { ...order, paymentId };
}

/** Sends orders at random moments in the next `spanMs` milliseconds. */
export function placeOver(
  client: FaultClient,
  orders: readonly Order[],
  spanMs: number,
  random: () => number,
): Promise<Paid[]> {
  return Promise.all(
    orders.map(async (order) => {
      await sleep(random() * spanMs);
      return place(client, order);
    }),
  );
}

/**
 * Waits until no payment outside `except` is open, and the bank has returned the payments to `prov_sandbox_return`.
 * @returns how many milliseconds that took.
 */
export async function settled(
  client: FaultClient,
  owners: readonly Owner[],
  withinMs = 60_000,
  except?: string,
): Promise<number> {
  const begun = Date.now();
  let open: string[] = [];
  const done = async () => {
    const payments = await paymentsOf(client, owners);
    const ends = ({ status, provider_id }: Payment) =>
      ['failed', 'cancelled', 'returned'].includes(status) ||
      (status === 'completed' && provider_id !== 'prov_sandbox_return');
    open = payments
      .filter((payment) => payment.payment_id !== except && !ends(payment))
      .map((payment) => `${payment.payment_id} to ${payment.provider_id}: ${payment.status}`);
    return open.length === 0;
  };
  await until(done, 'every payment to end', withinMs).catch(() => {
    throw new Error(`after ${withinMs / 1000} s these payments are still open:\n${open.join('\n')}`);
  });
  return Date.now() - begun;
}

export interface Payment {
  payment_id: string;
  status: string;
  bank_status?: string | null;
  amount: number;
  provider_id: Payee;
  reference: string;
  user_id: string;
  connection_id: string | null;
  attempt: number;
}

export async function paymentsOf(client: FaultClient, owners: readonly Person[]): Promise<Payment[]> {
  const lists = owners.map(async ({ token, userId }) => {
    const found: Payment[] = [];
    for (let cursor = ''; ;) {
      const listing = client.call('GET', `/api/v1/payments?limit=100&user_id=${userId}${cursor}`, { token });
      const { items, next_cursor } = await bodyFor<{ items: Payment[]; next_cursor: string | null }>(200, listing);
      found.push(...items);
      if (next_cursor === null) return found;
      cursor = `&cursor=${next_cursor}`;
    }
  });
  return (await Promise.all(lists)).flat();
}

export function caOf({ env }: FaultStack): string {
  return join(env.RINGFENCE_DATA!, 'pki', 'ca.crt');
}

export async function bodyFor<Body>(status: number, answering: Promise<Answer>): Promise<Body> {
  const answer = await answering;
  if (answer.status !== status)
    throw new Error(`${answer.status} instead of ${status}: ${JSON.stringify(answer.body)}`);
  return answer.body as Body;
}
