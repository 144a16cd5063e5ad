import { setTimeout as sleep } from 'node:timers/promises';
import { expectWhole } from '../helpers/faults-checks.ts';
import { openFaultClient, type FaultClient } from '../helpers/faults-client.ts';
import { bodyFor, caOf } from '../helpers/faults-load.ts';
import { openVaultBeside, type VaultBeside } from '../helpers/faults-vault.ts';
import { startFaultStack } from '../helpers/faults.ts';
import { until } from '../helpers/until.ts';

const RECORDS = 6_000;
/** The number of records that one step of the rotation rewraps. */
const PAGE = 500;
const stack = startFaultStack({ KEY_RELOAD_MS: '500' });
let client: FaultClient;
let vault: VaultBeside;
/** The bank details of the sandbox payees. */
let ownRecords: number;

beforeAll(async () => {
  client = openFaultClient({ urls: [stack.url], ca: caOf(stack) });
  vault = await openVaultBeside(stack);
  ownRecords = (await vault.versions())[1] ?? 0;
  await vault.fill(RECORDS);
});
afterAll(async () => {
  await client.close();
  await vault.close();
});

let users = 0;
// The API encrypts and decrypts an email address.
async function registerAndLook(): Promise<void> {
  const who = { email: `user-${(users += 1)}@example.test`, password: 'a long enough passphrase' };
  await bodyFor(201, client.call('POST', '/api/v1/auth/register', { body: who }));
  const signingIn = client.call('POST', '/api/v1/auth/login', { body: who });
  const { access_token: token } = await bodyFor<{ access_token: string }>(200, signingIn);
  const { email } = await bodyFor<{ email: string }>(200, client.call('GET', '/api/v1/auth/me', { token }));
  expect(email).toBe(who.email);
}

/** @returns a function that stops the registrations, and returns the number of users so far */
function serving(): () => Promise<number> {
  let going = true;
  const load = (async () => {
    while (going) {
      await registerAndLook();
      await sleep(150);
    }
  })();
  return async () => {
    going = false;
    await load;
    return users;
  };
}

describe('a rotation of the master key over thousands of records', () => {
  it('ends although the worker is killed with kill -9 again and again, while the service goes on, and nothing is lost', async () => {
    await registerAndLook();
    const rest = serving();
    const started = await vault.rotate();
    await until(async () => (await vault.keys.masterKeys.versions()).current === 2, 'the new version');
    await stack.kill('worker');
    expect(await vault.rotate()).toEqual(started);

    await until(async () => ((await vault.versions())[2] ?? 0) >= 500, 'the first pages');
    await stack.kill('worker');
    const between = await vault.versions();
    expect(between[1]).toBeGreaterThan(0);
    process.stderr.write(`killed with these under each version: ${JSON.stringify(between)}\n`);
    expect(await vault.expectAllOpen()).toBe(RECORDS);

    const result = await vault.rotated();
    const registered = await rest();
    expect(result).toMatchObject({ from_version: 1, to_version: 2, unreadable: 0 });
    // The worker can die after it rewraps a page but before it reports the page, so the result may lack one page.
    expect(result.rewrapped).toBeGreaterThanOrEqual(RECORDS - PAGE);
    expect(await vault.versions()).toEqual({ 2: ownRecords + RECORDS + registered });
    expect((await vault.keys.masterKeys.versions()).versions.map(({ version }) => version)).toEqual([1, 2]);
    expect(await vault.expectAllOpen()).toBe(RECORDS);
    await registerAndLook();
    await expectWhole(stack);
    expect(client.wrongs).toEqual([]);
  });

  it('completes although all processes are killed at once and restarted', async () => {
    await vault.fill(RECORDS);
    await vault.rotate();
    await until(async () => ((await vault.versions())[3] ?? 0) >= 500, 'the first pages');
    await stack.killAll();
    await stack.start();
    expect(await vault.rotated()).toMatchObject({ from_version: 2, to_version: 3, unreadable: 0 });
    expect(await vault.versions()).toEqual({ 3: ownRecords + 2 * RECORDS + users });
    expect(await vault.expectAllOpen()).toBe(2 * RECORDS);
    await registerAndLook();
    await expectWhole(stack);
  });
});
