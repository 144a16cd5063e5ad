import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expectNoWorkflows, expectOnceEach } from '../helpers/faults-checks.ts';
import { openFaultClient, type Answer, type FaultClient } from '../helpers/faults-client.ts';
import {
  bodyOf,
  caOf,
  chance,
  fundOwners,
  ordersFor,
  placeOver,
  settled,
  type Owner,
  type Paid,
} from '../helpers/faults-load.ts';
import { startFaultStack } from '../helpers/faults.ts';
import { until } from '../helpers/until.ts';

const TIMEOUT_MS = 2_000;
/** Covers the statement, the wait for a connection, and delays of a busy machine. */
const BOUND_MS = 20_000;
const stack = startFaultStack({ DATABASE_TIMEOUT_MS: String(TIMEOUT_MS) });
const paid: Paid[] = [];
let client: FaultClient;
let owners: Owner[];

beforeAll(async () => {
  client = openFaultClient({ urls: [stack.url], ca: caOf(stack) });
  owners = await fundOwners(client, 3);
}, 30_000);
afterAll(() => client.close());

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

describe('a database that accepts connections and never answers', () => {
  it('gives every kind of request a 503 in limited time, and nothing is lost or done twice when it answers again', async () => {
    const others = [await stack.pid('API'), await stack.pid('worker')];
    const placing = placeOver(client, ordersFor(owners, 20), 6_000, chance(7));
    await sleep(1_500);
    const answersAgain = await hang();
    const { token } = owners[0]!;
    const [order] = ordersFor(owners, 1, ['prov_sandbox_instant']);
    const executing = { token: order!.owner.token, key: order!.key, body: bodyOf(order!) };
    const refused = { status: 503, inTime: true };
    const answers = await Promise.all([
      timed(client.once('GET', '/readyz')),
      timed(client.once('GET', '/api/v1/auth/me', { token })),
      timed(client.once('GET', '/api/v1/payments', { token })),
      timed(client.once('POST', '/api/v1/payments/execute', executing)),
      timed(client.once('POST', '/api/v1/auth/login', { body: { email: 'a@example.test', password: 'a password' } })),
    ]);
    expect(answers).toEqual(answers.map(() => refused));
    expect(await timed(client.once('GET', '/livez'))).toEqual({ status: 200, inTime: true });
    answersAgain();
    await until(async () => (await client.once('GET', '/readyz')).status === 200, 'readiness');
    paid.push(...(await placing));
    paid.push(...(await placeOver(client, [order!], 0, chance(8))));
    await settled(client, owners);
    await expectOnceEach(stack, { client, owners, paid });
    await expectNoWorkflows(stack);
    expect([await stack.pid('API'), await stack.pid('worker')]).toEqual(others);
  }, 180_000);
});
