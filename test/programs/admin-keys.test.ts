import { TABLES_WITH_MACS } from '../../activities/re-mac.ts';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { credentialActivities } from '../../activities/credential/index.ts';
import { runCommand } from '../../programs/admin/run.ts';
import { SEALED_TABLES } from '../../infra/db/queries/vault-keys.ts';
import { openTemporal } from '../../infra/temporal/client.ts';
import { adminOf, expectRefused, said } from '../helpers/admin.ts';
import { withDatabase } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { temporalAddress } from '../helpers/temporal.ts';

const MASTER_KEY_FILE = join(testEnvironment().dir, 'keys', `admin-${randomBytes(4).toString('hex')}.json`);
const services = withDatabase({ env: { MASTER_KEY_FILE } });

const { env, admin, reply } = adminOf(services, { MASTER_KEY_FILE });
const runWith = (more: Record<string, string>) => (args: string[]) => runCommand(args, env(more));

const COUNTED = [...Object.keys(SEALED_TABLES), ...Object.keys(TABLES_WITH_MACS), 'idempotent_answers'];
const NOTHING = Object.fromEntries(COUNTED.map((table) => [table, 0]));

test('master-key rotate starts the rotation and says where to watch it, and a second command joins it', async () => {
  const address = await temporalAddress();
  const more = { TEMPORAL_ADDRESS: address, TEMPORAL_UI_URL: 'https://temporal.example/' };
  const run = runWith(more);
  const started = said(await run(['master-key', 'rotate']));
  const run_id = expect.stringMatching(/^[\da-f-]{36}$/) as string;
  expect(started).toEqual({
    workflow_id: 'vault-keys/rotation',
    run_id,
    ui_url: `https://temporal.example/namespaces/default/workflows/vault-keys%2Frotation/${String(started.run_id)}`,
  });
  expect(said(await run(['master-key', 'rotate']))).toEqual(started);

  const client = openTemporal({ ...services.config.temporal, address });
  const handle = client.workflow.getHandle('vault-keys/rotation', String(started.run_id));
  const { type, taskQueue, status } = await handle.describe();
  expect({ type, taskQueue, status: status.name }).toEqual({
    type: 'rotateMasterKey',
    taskQueue: 'upkeep',
    status: 'RUNNING',
  });
  await handle.terminate();
  expect(said(await run(['master-key', 'rotate']))).toMatchObject({ workflow_id: 'vault-keys/rotation' });
  await client.workflow.getHandle('vault-keys/rotation').terminate();
  await client.connection.close();
});

test('master-key rotate without Temporal prints one sentence', async () => {
  const outcome = await runWith({ TEMPORAL_ADDRESS: 'localhost:1' })(['master-key', 'rotate']);
  expectRefused(outcome, 1, /^Temporal at localhost:1 did not accept the rotation: .*\.\n$/);
});

test('master-key list and retire print the versions and their records as JSON, never a key', async () => {
  await services.keys.masterKeys.rotate(1);
  const created_at = expect.stringMatching(/^20.*Z$/) as string;
  const listed = await reply('master-key', 'list');
  expect(listed).toEqual({
    service: 'file',
    items: [
      { version: 2, status: 'current', created_at, sealed: NOTHING },
      { version: 1, status: 'older', created_at, sealed: NOTHING },
    ],
  });
  const file = JSON.parse(await readFile(MASTER_KEY_FILE, 'utf8')) as {
    versions: { key: string; created_at: string }[];
  };
  for (const { key } of file.versions) expect(JSON.stringify(listed)).not.toContain(key);

  const early = await admin('master-key', 'retire', '1');
  expectRefused(early, 1, /^Version 1 of the master key was current until recently\. You can retire it after .*\.\n$/);
  for (const version of file.versions) version.created_at = '2026-01-01T00:00:00.000Z';
  await writeFile(MASTER_KEY_FILE, JSON.stringify(file));
  expect(await reply('master-key', 'retire', '1')).toEqual({ version: 1, status: 'retired' });
  expect(await reply('master-key', 'list')).toMatchObject({ items: [{ version: 2 }] });
});

test.each([
  [['master-key', 'retire'], 2, /^Usage: master-key retire VERSION\n$/],
  [['master-key', 'retire', 'old'], 2, /^VERSION is "old", but must be a whole number\.\n$/],
  [['master-key', 'retire', '77'], 1, /^There is no version 77 of the master key\./],
  [
    ['master-key', 'retire', '2'],
    1,
    /^Version 2 of the master key is the current version\. First make a new version .*\n$/,
  ],
])('%j is refused with one sentence', async (args, exitCode, sentence) => {
  expectRefused(await admin(...args), exitCode, sentence);
});

test('credential-key rotate makes the first key and its successors, and list shows them without private keys', async () => {
  expect(await reply('credential-key', 'list')).toEqual({ items: [] });
  const { kid: first, retired } = await reply('credential-key', 'rotate');
  expect(retired).toBeNull();
  const { kid: second, ...after } = await reply('credential-key', 'rotate');
  expect(after).toEqual({ retired: first });
  const at = expect.stringMatching(/^\d{4}-.*Z$/) as string;
  const common = { created_at: at, unexpired_credentials: 0 };
  expect(await reply('credential-key', 'list')).toEqual({
    items: [
      { kid: second, status: 'current', retired_at: null, ...common },
      { kid: first, status: 'retired', retired_at: at, ...common },
    ],
  });
  expect(JSON.stringify(await reply('credential-key', 'list'))).not.toContain('"d"');
  const { keys } = await credentialActivities(services).publishedKeys();
  expect(keys.map(({ kid }) => kid)).toEqual([second, first]);
});
