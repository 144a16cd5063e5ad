import { expectWhole } from '../helpers/faults-checks.ts';
import { openFaultClient, type FaultClient } from '../helpers/faults-client.ts';
import { bodyFor, caOf } from '../helpers/faults-load.ts';
import { openVaultBeside, type VaultBeside } from '../helpers/faults-vault.ts';
import { startFaultStack } from '../helpers/faults.ts';
import { until } from '../helpers/until.ts';
import { startOpenBao, type OpenBao } from '../helpers/openbao.ts';

describe('the whole service on OpenBao', () => {
  const RECORDS = 2_000;
  const env: Record<string, string> = { KEY_SERVICE: 'transit', TRANSIT_TIMEOUT_MS: '2000' };
  let bao: OpenBao;
  beforeAll(async () => {
    bao = await startOpenBao();
    const { url, mount, key, tokenFile, ca } = bao.config;
    const settings = { URL: url, MOUNT: mount, KEY: key, TOKEN_FILE: tokenFile, CA: ca! };
    for (const [name, value] of Object.entries(settings)) env[`TRANSIT_${name}`] = value;
  });
  const stack = startFaultStack(env);
  let client: FaultClient;
  let vault: VaultBeside;
  /** The bank details of the sandbox payees. */
  let ownRecords: number;
  beforeAll(async () => {
    client = openFaultClient({ urls: [stack.url], ca: caOf(stack) });
    vault = await openVaultBeside(stack);
    ownRecords = (await vault.versions())[1] ?? 0;
  });
  afterAll(async () => {
    await client.close();
    await vault.close();
    await bao.stop();
  });

  const who = { email: 'ada@example.test', password: 'a long enough passphrase' };
  const lookAtMe = async () => {
    const signingIn = client.call('POST', '/api/v1/auth/login', { body: who });
    const { access_token: token } = await bodyFor<{ access_token: string }>(200, signingIn);
    return bodyFor<{ email: string }>(200, client.call('GET', '/api/v1/auth/me', { token }));
  };

  it('keeps and finds personal data, in all of its processes', async () => {
    await bodyFor(201, client.call('POST', '/api/v1/auth/register', { body: who }));
    expect(await lookAtMe()).toMatchObject({ email: who.email });
    await vault.fill(RECORDS);
    expect(await vault.versions()).toEqual({ 1: ownRecords + RECORDS + 1 });
  });

  it('while OpenBao is sealed, answers 503 only to requests that need it, and recovers automatically', async () => {
    await bao.seal();
    const other = { email: 'bob@example.test', password: who.password };
    const refused = await client.once('POST', '/api/v1/auth/register', { body: other });
    expect(refused).toMatchObject({ status: 503, body: { code: 'dependency-unavailable', dependency: 'key service' } });
    expect((await client.once('GET', '/livez')).status).toBe(200);
    await bao.unseal();
    expect(await lookAtMe()).toMatchObject({ email: who.email });
    await bodyFor(201, client.call('POST', '/api/v1/auth/register', { body: other }));
    expect(client.wrongs).toEqual([]);
  });

  it('rotates its master key although the worker is killed and OpenBao sealed meanwhile, and can retire the old version', async () => {
    await vault.rotate();
    await until(async () => ((await vault.versions())[2] ?? 0) >= 500, 'the first page');
    await bao.seal();
    await stack.kill('worker');
    await stack.pid('worker');
    await bao.unseal();
    expect(await vault.rotated()).toMatchObject({ from_version: 1, to_version: 2, unreadable: 0 });
    expect(await vault.versions()).toEqual({ 2: ownRecords + RECORDS + 2 });
    expect(await vault.expectAllOpen()).toBe(RECORDS);
    await vault.keys.masterKeys.retire(1);
    expect(await lookAtMe()).toMatchObject({ email: who.email });
    expect(await vault.expectAllOpen()).toBe(RECORDS);
    await expectWhole(stack);
  });
});
