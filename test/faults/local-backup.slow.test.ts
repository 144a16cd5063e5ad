import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../infra/config/index.ts';
import { restoreFrom } from '../../programs/local/restore.ts';
import { expectOnceEach } from '../helpers/faults-checks.ts';
import { openFaultClient, type FaultClient } from '../helpers/faults-client.ts';
import {
  bodyFor,
  bodyOf,
  caOf,
  fundOwners,
  ordersFor,
  settled,
  type Paid,
  type Payment,
} from '../helpers/faults-load.ts';
import { startFaultStack } from '../helpers/faults.ts';
import { stackFolder } from '../helpers/local-stacks.ts';
import { runAs } from '../helpers/run-as.ts';

const folder = stackFolder('archives');
const file = join(folder, 'backup.tar.gz');
const stack = startFaultStack();
const clients: FaultClient[] = [];
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  rmSync(folder, { recursive: true });
});

function newClient(): FaultClient {
  const client = openFaultClient({ urls: [stack.url], ca: caOf(stack) });
  clients.push(client);
  return client;
}
const backup = (to = file) => runAs(['programs/local/backup.ts', to], stack.env).ended;
const begun: string[] = [];
/** In place of the command, which ends all sign-ins. */
const begin = (_config: unknown, madeAt: string) => Promise.resolve(begun[begun.push(madeAt) - 1]!);
const restore = (from = file) => restoreFrom(from, readConfig(stack.env), { log: () => {}, begin });
const dataDir = () => stack.env.RINGFENCE_DATA!;

test('a backup stops the stack, archives its folder and starts it; an empty folder gets back all that was there', async () => {
  const client = newClient();
  const owners = await fundOwners(client, 2);
  const paid: Paid[] = [];
  for (const order of ordersFor(owners, 4, ['prov_sandbox_instant'])) {
    const asked = { token: order.owner.token, key: order.key, body: bodyOf(order) };
    const taken = client.call('POST', '/api/v1/payments/execute', asked);
    paid.push({ ...order, paymentId: (await bodyFor<Payment>(201, taken)).payment_id });
  }
  await settled(client, owners);

  const before = Date.now();
  expect(await backup()).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(/MiB in [\d.]+ s/) as string,
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['backup.tar.gz']);
  // The stack runs again, in its own process.
  await expectOnceEach(stack, { client: newClient(), owners, paid });
  expect(await backup()).toMatchObject({ code: 1, stderr: expect.stringMatching(/exists already/) as string });
  expect(await backup(join(dataDir(), 'in.tar.gz'))).toMatchObject({ code: 1 });

  await expect(restore()).rejects.toThrow(/in use/);
  expect(await stack.end()).toBe(0);
  await expect(restore()).rejects.toThrow(/is not empty/);
  rmSync(dataDir(), { recursive: true });
  await restore();
  expect(Date.parse(begun[0]!)).toBeGreaterThan(before);
  await stack.start();
  await expectOnceEach(stack, { client: newClient(), owners, paid });
});

test('a backup of a stack that does not run starts none; a restored stack refuses writes until its restore has finished', async () => {
  expect(await stack.end()).toBe(0);
  const cold = join(folder, 'cold.tar.gz');
  expect(await backup(cold)).toMatchObject({ code: 0, stderr: '' });
  expect(existsSync(join(dataDir(), 'stack.lock'))).toBe(false);
  rmSync(dataDir(), { recursive: true });
  await expect(
    restoreFrom(cold, readConfig(stack.env), { log: () => {}, begin: () => Promise.reject(new Error('not begun')) }),
  ).rejects.toThrow('not begun');
  // Nobody can start a stack on a restored folder whose restore did not begin.
  expect(existsSync(dataDir())).toBe(false);
  const restored = await runAs(['programs/local/restore.ts', cold], stack.env).ended;
  expect(restored).toMatchObject({ code: 0, stderr: '' });
  await stack.start();
  const body = { email: 'late@example.test', password: 'a long enough passphrase' };
  const refused = await newClient().once('POST', '/api/v1/auth/register', { body });
  expect(refused).toMatchObject({ status: 503, body: { code: 'restoring' } });
  expect(await stack.end()).toBe(0);
  rmSync(dataDir(), { recursive: true });
});

const HOSTILE: Record<string, (into: string) => string[]> = {
  'a link': (into) => {
    symlinkSync('/etc', join(into, 'postgres'));
    return ['.'];
  },
  'two names of a file': (into) => {
    writeFileSync(join(into, 'one'), '');
    linkSync(join(into, 'one'), join(into, 'two'));
    return ['.'];
  },
  'a path out of the folder': (into) => {
    writeFileSync(join(into, '..', 'outside'), '');
    return ['./../outside'];
  },
  'no time at which it was made': (into) => {
    writeFileSync(join(into, 'one'), '');
    return ['.'];
  },
};

test.each(Object.entries(HOSTILE))('an archive with %s is refused, and leaves nothing', async (what, fill) => {
  const made = join(folder, what, 'data');
  mkdirSync(made, { recursive: true });
  const hostile = join(folder, `${what}.tar.gz`);
  execFileSync('tar', ['-czPf', hostile, '-C', made, ...fill(made)]);
  await expect(restore(hostile)).rejects.toThrow(/is no backup of a data folder/);
  expect(existsSync(dataDir())).toBe(false);
});
