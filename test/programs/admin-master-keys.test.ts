import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../programs/admin/run.ts';
import { openTemporal } from '../../infra/temporal/client.ts';
import { withDatabase } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { temporalAddress } from '../helpers/temporal.ts';

const MASTER_KEY_FILE = join(testEnvironment().dir, 'keys', `admin-${randomBytes(4).toString('hex')}.json`);
const services = withDatabase({ env: { MASTER_KEY_FILE } });

const env = () => ({
  RINGFENCE_DATA: testEnvironment().dir,
  MASTER_KEY_FILE,
  DATABASE_URL: services.config.database.url,
});
const admin = (args: readonly string[], more: Record<string, string> = {}) => runCommand(args, { ...env(), ...more });

async function reply(args: readonly string[], more: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const { stdout, stderr, exitCode } = await admin(args, more);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout).toMatch(/^\{.*\}\n$/);
  return JSON.parse(stdout) as Record<string, unknown>;
}

const NOTHING = { vault_records: 0, documents: 0, identity_providers: 0, sealed_secrets: 0, idempotent_answers: 0 };

test('master-key rotate starts the rotation and says where to watch it, and a second command joins it', async () => {
  const address = await temporalAddress();
  const more = { TEMPORAL_ADDRESS: address, TEMPORAL_UI_URL: 'https://temporal.example/' };
  const started = await reply(['master-key', 'rotate'], more);
  const run_id = expect.stringMatching(/^[\da-f-]{36}$/) as string;
  expect(started).toEqual({
    workflow_id: 'vault-keys/rotation',
    run_id,
    ui_url: `https://temporal.example/namespaces/default/workflows/vault-keys%2Frotation/${String(started.run_id)}`,
  });
  expect(await reply(['master-key', 'rotate'], more)).toEqual(started);

  const client = openTemporal({ ...services.config.temporal, address });
  const handle = client.workflow.getHandle('vault-keys/rotation', String(started.run_id));
  const { type, taskQueue, status } = await handle.describe();
  expect({ type, taskQueue, status: status.name }).toEqual({
    type: 'rotateMasterKey',
    taskQueue: 'upkeep',
    status: 'RUNNING',
  });
  await handle.terminate();
  expect(await reply(['master-key', 'rotate'], more)).toMatchObject({ workflow_id: 'vault-keys/rotation' });
  await client.workflow.getHandle('vault-keys/rotation').terminate();
  await client.connection.close();
});

test('master-key rotate without Temporal prints one sentence', async () => {
  const { stdout, stderr, exitCode } = await admin(['master-key', 'rotate'], { TEMPORAL_ADDRESS: 'localhost:1' });
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
  expect(stderr).toMatch(/^Temporal at localhost:1 did not accept the rotation: .*\.\n$/);
});

test('master-key list and retire print the versions and their records as JSON, never a key', async () => {
  await services.keys.masterKeys.rotate(1);
  const created_at = expect.stringMatching(/^20.*Z$/) as string;
  const listed = await reply(['master-key', 'list']);
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

  const early = await admin(['master-key', 'retire', '1']);
  expect(early).toMatchObject({ stdout: '', exitCode: 1 });
  expect(early.stderr).toMatch(
    /^Version 1 of the master key was current until recently\. You can retire it after .*\.\n$/,
  );
  for (const version of file.versions) version.created_at = '2026-01-01T00:00:00.000Z';
  await writeFile(MASTER_KEY_FILE, JSON.stringify(file));
  expect(await reply(['master-key', 'retire', '1'])).toEqual({ version: 1, status: 'retired' });
  expect(await reply(['master-key', 'list'])).toMatchObject({ items: [{ version: 2 }] });
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
  const outcome = await admin(args);
  expect(outcome).toMatchObject({ stdout: '', exitCode });
  expect(outcome.stderr).toMatch(sentence);
});

test('a missing master key file gives one sentence, and is not created', async () => {
  const more = { MASTER_KEY_FILE: join(testEnvironment().dir, 'keys', 'no-such.json') };
  const { stderr, exitCode } = await admin(['master-key', 'list'], more);
  expect(exitCode).toBe(78);
  expect(stderr).toMatch(/no-such\.json, which does not exist\. Restore the file from its backup/);
});
