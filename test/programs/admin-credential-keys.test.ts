import { runCommand } from '../../programs/admin/run.ts';
import { credentialActivities } from '../../activities/credential/index.ts';
import { withDatabase } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { join } from 'node:path';

const services = withDatabase();
const { dir } = testEnvironment();

async function reply(...args: string[]): Promise<Record<string, unknown>> {
  const { stdout, stderr, exitCode } = await runCommand(args, {
    RINGFENCE_DATA: dir,
    MASTER_KEY_FILE: join(dir, 'keys', 'master.json'),
    DATABASE_URL: services.config.database.url,
  });
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout).toMatch(/^\{.*\}\n$/);
  expect(stdout).not.toContain('"d"');
  return JSON.parse(stdout) as Record<string, unknown>;
}

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
  const { keys } = await credentialActivities(services).publishedKeys();
  expect(keys.map(({ kid }) => kid)).toEqual([second, first]);
});
