import { join } from 'node:path';
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
import { startFaultStack } from '../helpers/faults.ts';
import { fill, moveToSmallDisk, unmount } from '../helpers/small-disk.ts';
import { until } from '../helpers/until.ts';

const SIZE = '256m';
const stack = startFaultStack();
const paid: Paid[] = [];
let client: FaultClient;
let owners: Owner[];
let disk: string;

beforeAll(async () => {
  disk = join(stack.env.RINGFENCE_DATA!, 'postgres');
  await stack.end();
  moveToSmallDisk(disk, SIZE);
  await stack.start();
  client = openFaultClient({ urls: [stack.url], ca: caOf(stack) });
  owners = await fundOwners(client, 3);
}, 180_000);
// The disk must be unmounted before the stack removes its folder.
afterEach(async () => {
  await stack.end();
  unmount(disk);
}, 60_000);
afterAll(() => client.close());

describe('while the database has no room left', () => {
  it('callers get 503 with Retry-After, nothing is half done, and everything recovers automatically when there is room', async () => {
    const others = [await stack.pid('API'), await stack.pid('worker')];
    paid.push(...(await placeOver(client, ordersFor(owners, 6), 0, chance(1))));
    const giveBack = fill(disk);
    const refusedBefore = client.seen.get(503) ?? 0;
    const placing = placeOver(client, ordersFor(owners, 40), 8_000, chance(2));
    // The rows of new people use up the free space inside the database's files.
    let full = true;
    const coming = (async () => {
      for (let number = 0; full; number += 1) {
        const body = { email: `full-${number}@example.test`, password: 'a long enough passphrase' };
        await client.once('POST', '/api/v1/auth/register', { body }).catch(() => undefined);
      }
    })();
    const refused = () => (client.seen.get(503) ?? 0) - refusedBefore;
    await until(() => refused() >= 20, 'refusals for want of room');
    expect((await client.once('GET', '/livez')).status).toBe(200);
    await sleep(3_000);
    full = false;
    await coming;
    giveBack();
    paid.push(...(await placing));
    await until(async () => (await client.once('GET', '/readyz')).status === 200, 'readiness');
    await settled(client, owners);
    await expectOnceEach(stack, { client, owners, paid });
    await expectNoWorkflows(stack);
    expect([await stack.pid('API'), await stack.pid('worker')]).toEqual(others);
  }, 240_000);
});
