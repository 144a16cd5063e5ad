import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expectNoWorkflows, expectOnceEach } from '../helpers/faults-checks.ts';
import { openFaultClient, type FaultClient } from '../helpers/faults-client.ts';
import { caOf, chance, fundOwners, ordersFor, placeOver, settled, type Owner } from '../helpers/faults-load.ts';
import { startFaultStack } from '../helpers/faults.ts';
import { freePort } from '../helpers/ports.ts';

// The test starts two more workers: one shares the work of the stack's own worker, and the other does the rest.
const stack = startFaultStack({ WORKER_QUEUES: 'payments', WORKER_LOOPS: 'relay', CREDENTIAL_SIGN_WITHIN_MS: '20000' });
const random = chance(Date.now());
let both: FaultClient;
let others: ChildProcess[];
let owners: Owner[];

beforeAll(async () => {
  const port = String(await freePort());
  const stays = stack.another('worker', {
    WORKER_QUEUES: 'upkeep,batch,documents',
    WORKER_LOOPS: 'bank-events,mail,upkeep',
  });
  others = await Promise.all([
    stack.another('API', { RINGFENCE_PORT_API: port }),
    stack.another('worker', { WORKER_QUEUES: 'payments', WORKER_LOOPS: 'relay' }),
  ]);
  await stays;
  both = openFaultClient({ urls: [stack.url, `https://localhost:${port}`], ca: caOf(stack) });
  owners = await fundOwners(both, 6);
}, 180_000);
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
  }, 280_000);

  it('sign a credential at the worker of that queue, whichever API is asked', async () => {
    const [{ token, userId }] = owners as [Owner];
    for (const key of ['credential-1', 'credential-2']) {
      const asked = { token, key, body: { user_id: userId } };
      const made = await both.call('POST', '/api/v1/credential/generate', asked);
      expect({ key, status: made.status }).toEqual({ key, status: 201 });
    }
  }, 60_000);
});
