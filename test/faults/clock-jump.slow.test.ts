import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SCOPES } from '../../domain/auth.ts';
import { runCommand } from '../../programs/admin/run.ts';
import { settableClock } from '../helpers/faketime.ts';
import { expectNoWorkflows, expectOnceEach, movedAtBank } from '../helpers/faults-checks.ts';
import { openFaultClient, type FaultClient } from '../helpers/faults-client.ts';
import {
  bodyFor,
  bodyOf,
  caOf,
  chance,
  ENDS,
  fundOwners,
  ordersFor,
  paymentsOf,
  placeOver,
  settled,
  type Order,
  type Owner,
  type Paid,
  type Payment,
} from '../helpers/faults-load.ts';
import { startFaultStack } from '../helpers/faults.ts';
import { until } from '../helpers/until.ts';

const [HOUR_S, DAY_MS] = [3_600, 86_400_000];
const FORWARD_S = 3 * HOUR_S;
const BACK_S = -HOUR_S / 2;
/** Not much earlier than `BACK_S`, because the test waits while the bank settles payments by the clock. */
const BACK_AGAIN_S = BACK_S - 20;
/* PostgreSQL and Temporal use the real clock, as if on other machines. */
const clock = await settableClock();
const stack = startFaultStack(clock.env);
const paid: Paid[] = [];
let client: FaultClient;
let people: Owner[];
/** An API key replaces the owners' tokens, because the key does not expire. */
let owners: Owner[];
let key: string;
let first: Order;
let scheduled: Payment;

beforeAll(async () => {
  client = openFaultClient({ urls: [stack.url], ca: caOf(stack) });
  key = await operatorKey();
  people = await fundOwners(client, 3);
  owners = people.map((owner) => ({ ...owner, token: key }));
  const [one, later] = ordersFor(owners, 2, ['prov_sandbox_instant']);
  first = one!;
  paid.push(...(await placeOver(client, [first], 0, chance(0))));
  const body = { ...bodyOf(later!), execute_on: new Date(Date.now() + 3 * DAY_MS).toISOString().slice(0, 10) };
  const scheduling = client.call('POST', '/api/v1/payments/execute', { token: key, key: later!.key, body });
  scheduled = await bodyFor<Payment>(201, scheduling);
});
afterAll(async () => {
  await client.close();
  clock.remove();
});

async function operatorKey(): Promise<string> {
  const run = async (...argv: string[]) =>
    JSON.parse((await runCommand(argv, stack.env)).stdout) as Record<string, string>;
  const { app_id } = await run('app', 'create', '--name', 'Operator');
  return (await run('key', 'create', '--app', app_id!, '--scopes', SCOPES.join(' '))).key!;
}

async function payWhileSet(seconds: number): Promise<void> {
  const placing = placeOver(client, ordersFor(owners, 24), 6_000, chance(seconds));
  await sleep(2_000);
  await clock.set(seconds);
  paid.push(...(await placing));
  const reading = client.call('GET', `/api/v1/payments/${scheduled.payment_id}`, { token: key });
  expect((await bodyFor<Payment>(200, reading)).status).toBe('pending');
}

async function signsIn(): Promise<void> {
  const body = { email: `clock-${Math.random()}@example.test`, password: 'a long enough passphrase' };
  await bodyFor(201, client.call('POST', '/api/v1/auth/register', { body }));
  const signingIn = client.call('POST', '/api/v1/auth/login', { body });
  const { access_token: token } = await bodyFor<{ access_token: string }>(200, signingIn);
  await bodyFor(200, client.call('GET', '/api/v1/auth/me', { token }));
  const outbox = join(stack.env.RINGFENCE_DATA!, 'outbox');
  const letters = () => (existsSync(outbox) ? readdirSync(outbox).length : 0);
  const before = letters();
  await bodyFor(202, client.call('POST', '/api/v1/auth/forgot-password', { body: { email: body.email } }));
  await until(() => letters() > before, 'the letter');
}

// The bank refused the time in the payments' signatures. The payee can reject the first retry, so there is a second.
async function triesAgainWhatWasRefused(): Promise<void> {
  const meantToFail = new Set(paid.filter(({ payee }) => ENDS[payee] === 'failed').map(({ paymentId }) => paymentId));
  for (const time of ['again', 'once-more']) {
    const moved = await movedAtBank(stack, client);
    for (const { payment_id, status } of await paymentsOf(client, owners)) {
      if (status !== 'failed' || meantToFail.has(payment_id)) continue;
      const path = `/api/v1/payments/${payment_id}`;
      expect(moved.get(payment_id)).toBeUndefined();
      await bodyFor(202, client.call('POST', `${path}/retry`, { token: key, key: `${payment_id}-${time}` }));
    }
    await settled(client, owners, 60_000, scheduled.payment_id);
  }
}

async function repeatsFirst(): Promise<Payment> {
  const asked = { token: key, key: first.key, body: bodyOf(first) };
  const answer = await client.call('POST', '/api/v1/payments/execute', asked);
  expect(answer.headers['idempotent-replayed']).toBe('true');
  return answer.body as Payment;
}

describe("when the machine's clock is set", () => {
  test('hours ahead during payments, each payment moves its money once, and people stay signed in', async () => {
    await payWhileSet(FORWARD_S);
    expect((await client.call('GET', '/api/v1/auth/me', { token: people[0]!.token })).status).toBe(200);
    await signsIn();
    expect((await repeatsFirst()).payment_id).toBe(paid[0]!.paymentId);
    // The bank settles payments by this clock, so other payments must settle before the clock goes back by hours.
    await settled(client, owners, 60_000, scheduled.payment_id);
  });

  test('hours back, no request waits for hours, nothing is paid twice, and no payment is lost', async () => {
    const path = `/api/v1/payments/${scheduled.payment_id}`;
    const begun = performance.now();
    const waiting = client.once('GET', path, { token: key, headers: { prefer: 'wait=10' } });
    await sleep(1_000);
    await clock.set(BACK_S);
    expect((await waiting).status).toBe(200);
    expect(performance.now() - begun).toBeLessThan(60_000);
    await payWhileSet(BACK_AGAIN_S);
    await signsIn();
    expect((await repeatsFirst()).payment_id).toBe(paid[0]!.paymentId);
  });

  test('a scheduled payment is paid once on its day, and all balances are right', async () => {
    await settled(client, owners, 60_000, scheduled.payment_id);
    await triesAgainWhatWasRefused();
    const moving = client.call('POST', '/api/v1/sandbox/clock', { token: key, body: { advance: 'P4D' } });
    await bodyFor(200, moving);
    await settled(client, owners);
    expect(await movedAtBank(stack, client).then((moved) => moved.get(scheduled.payment_id)?.length)).toBe(1);
    await expectOnceEach(stack, { client, owners, paid });
    await expectNoWorkflows(stack);
  });
});
