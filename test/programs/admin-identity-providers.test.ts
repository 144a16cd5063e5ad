import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requireIdentityProvider } from '../../activities/auth/identity-providers.ts';
import { runCommand } from '../../programs/admin/run.ts';
import { adminProcess } from '../helpers/admin-process.ts';
import { withDatabase } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { sqlOf } from '../helpers/oauth.ts';

const services = withDatabase();
const sql = sqlOf(services);

const admin = (...args: string[]) =>
  runCommand(args, {
    RINGFENCE_DATA: testEnvironment().dir,
    MASTER_KEY_FILE: join(testEnvironment().dir, 'keys', 'master.json'),
    DATABASE_URL: services.config.database.url,
    RINGFENCE_PUBLIC_URL: 'https://money.example/',
  });

async function reply<T = Record<string, unknown>>(...args: string[]): Promise<T> {
  const { stdout, stderr, exitCode } = await admin(...args);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout).toMatch(/^\{.*\}\n$/);
  return JSON.parse(stdout) as T;
}

const SECRET = 'not-to-be-seen-anywhere';
const SECRET_FILE = join(testEnvironment().dir, 'admin-providers-secret');
// Editors end a file with a line break.
beforeAll(() => writeFile(SECRET_FILE, `${SECRET}\n`));
const create = (issuer: string, name = 'Example ID', secretFile = SECRET_FILE) => {
  const given = ['--name', name, '--issuer', issuer, '--client-id', 'abc', '--client-secret-file', secretFile];
  return ['provider', 'create', ...given];
};

interface Listed {
  items: { provider_id: string; removed_at: string | null; domains: string[] }[];
}

test('provider create shows the redirect URI for the provider, and list shows all providers, never a secret', async () => {
  const made = await reply<{ provider_id: string; redirect_uri: string }>(...create('https://id.example'));
  expect(made).toEqual({
    provider_id: expect.stringMatching(/^sip_[\da-f-]{36}$/) as string,
    redirect_uri: `https://money.example/api/v1/auth/sign-in/${made.provider_id}/callback`,
  });
  const { items } = await reply<Listed>('provider', 'list');
  expect(items).toEqual([
    {
      provider_id: made.provider_id,
      name: 'Example ID',
      issuer: 'https://id.example',
      client_id: 'abc',
      domains: [],
      created_at: expect.any(String) as string,
      removed_at: null,
      redirect_uri: made.redirect_uri,
    },
  ]);
  expect(JSON.stringify(await sql.many('select t::text from identity_providers t'))).not.toContain(SECRET);
  expect(JSON.stringify(await sql.many('select t::text from audit_events t'))).not.toContain(SECRET);
});

test('provider remove takes effect at once and deletes the secret; then the issuer can be registered again', async () => {
  const { provider_id } = await reply<{ provider_id: string }>(...create('https://removed.example'));
  expect(await reply('provider', 'remove', provider_id)).toEqual({
    provider_id,
    removed_at: expect.any(String) as string,
    sessions_ended: 0,
    token_families_ended: 0,
  });
  const { items } = await reply<Listed>('provider', 'list');
  expect(items.find((item) => item.provider_id === provider_id)?.removed_at).not.toBeNull();
  expect(
    await sql.many('select client_secret_sealed as sealed from identity_providers where provider_id = $1', [
      provider_id,
    ]),
  ).toEqual([{ sealed: '' }]);
  await reply(...create('https://removed.example'));
  const kinds = await sql.many('select kind, actor from audit_events where subject = $1 order by seq', [provider_id]);
  expect(kinds).toEqual([
    { kind: 'provider.created', actor: 'operator' },
    { kind: 'provider.removed', actor: 'operator' },
  ]);
});

test.each([
  [create('http://id.example'), 1, 'An issuer must be'],
  [create('https://id.example/?x=1'), 1, 'An issuer must be'],
  [create('https://one.example', 'a\nb'), 1, 'A name must have'],
  [create('https://one.example').slice(0, -2), 2, '--client-secret-file is missing.'],
  [[...create('https://one.example').slice(0, -2), '--client-secret', SECRET], 2, 'Usage: provider create'],
  [create('https://one.example', 'X', '/nowhere/secret'), 1, 'which cannot be read (ENOENT)'],
  [create('https://one.example', 'X', testEnvironment().dir), 1, 'which cannot be read (EISDIR)'],
  [[...create('https://one.example'), '--domain', 'example'], 1, 'is not a valid email domain'],
  [[...create('https://one.example'), '--domain', 'a@example.org'], 1, 'is not a valid email domain'],
  [['provider', 'remove', 'sip_unknown'], 1, 'There is no provider sip_unknown, or it was already removed.'],
  [['provider', 'remove'], 2, 'Usage: provider remove PROVIDER_ID'],
] as [string[], number, string][])('%j is refused with one sentence', async (args, exitCode, says) => {
  const outcome = await admin(...args);
  expect({ stdout: outcome.stdout, exitCode: outcome.exitCode }).toEqual({ stdout: '', exitCode });
  expect(outcome.stderr).toContain(says);
  expect(outcome.stderr).not.toContain(SECRET);
});

test('provider create limits a provider to mail domains, without duplicates', async () => {
  const domains = ['Example.org', 'example.org', ' staff.example.net'].flatMap((domain) => ['--domain', domain]);
  const { provider_id } = await reply<{ provider_id: string }>(...create('https://domains.example'), ...domains);
  const { items } = await reply<Listed>('provider', 'list');
  expect(items.find((item) => item.provider_id === provider_id)).toMatchObject({
    domains: ['example.org', 'staff.example.net'],
  });
});

test('provider create takes the secret from standard input', async () => {
  const env = {
    RINGFENCE_DATA: testEnvironment().dir,
    MASTER_KEY_FILE: join(testEnvironment().dir, 'keys', 'master.json'),
    DATABASE_URL: services.config.database.url,
  };
  const outcome = await adminProcess(create('https://input.example', 'Input', '-'), env, `${SECRET}\n`);
  expect({ stderr: outcome.stderr, exitCode: outcome.exitCode }).toEqual({ stderr: '', exitCode: 0 });
  const { provider_id } = JSON.parse(outcome.stdout) as { provider_id: string };
  expect(await requireIdentityProvider(services, provider_id)).toMatchObject({ clientSecret: SECRET });
});

test('an issuer cannot be registered twice', async () => {
  await reply(...create('https://twice.example/'));
  const { stderr, exitCode } = await admin(...create('https://twice.example'));
  expect({ stderr, exitCode }).toEqual({
    stderr:
      'A provider with the issuer https://twice.example already exists. To replace that provider, remove it first.\n',
    exitCode: 1,
  });
});
