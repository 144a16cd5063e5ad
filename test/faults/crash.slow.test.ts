import { setTimeout as sleep } from 'node:timers/promises';
import { expectNoWorkflows, expectOnceEach } from '../helpers/faults-checks.ts';
import { openFaultClient, type FaultClient } from '../helpers/faults-client.ts';
import {
  caOf,
  chance,
  fundOwners,
  ordersFor,
  placeOver,
  settled,
  type Owner,
  type Paid,
} from '../helpers/faults-load.ts';
import { startFaultStack, type Part } from '../helpers/faults.ts';

/* To repeat a run's random moments, set `RINGFENCE_FAULT_SEED` to its seed. */
const seed = Number(process.env.RINGFENCE_FAULT_SEED ?? Date.now() % 1_000_000);
const random = chance(seed);
const stack = startFaultStack();
const paid: Paid[] = [];
let client: FaultClient;
let owners: Owner[];

beforeAll(async () => {
  process.stderr.write(`RINGFENCE_FAULT_SEED=${seed}\n`);
  client = openFaultClient({ urls: [stack.url], ca: caOf(stack) });
  owners = await fundOwners(client, 6);
}, 30_000);
afterAll(() => client.close());

async function payWhile(happens: () => Promise<void>): Promise<void> {
  const placing = placeOver(client, ordersFor(owners, 60), 4_000, random);
  const [placed] = await Promise.all([placing, happens()]);
  paid.push(...placed);
  await settled(client, owners);
  await expectOnceEach(stack, { client, owners, paid });
  await expectNoWorkflows(stack);
}

describe('payments while a part is killed with kill -9 again and again', () => {
  it.each<Part>(['API', 'worker', 'Temporal', 'PostgreSQL', 'sandbox bank'])(
    'all end, and each moves its money once: %s',
    async (part) => {
      await payWhile(async () => {
        for (let kills = 0; kills < 2; kills += 1) {
          await sleep(500 + random() * 3_000);
          await stack.kill(part);
        }
      });
    },
    180_000,
  );

  it('all end, and each moves its money once: everything at once, and restarted', async () => {
    await payWhile(async () => {
      for (let kills = 0; kills < 2; kills += 1) {
        await sleep(1_000 + random() * 2_000);
        await stack.killAll();
        await stack.start();
      }
    });
  }, 240_000);
});
