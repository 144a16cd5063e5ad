import { join } from 'node:path';
import { runCommand } from '../../infra/admin/run.ts';
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

/** The reply of a command that must succeed: one JSON object on one line. */
async function reply<T = Record<string, unknown>>(...args: string[]): Promise<T> {
  const { stdout, stderr, exitCode } = await admin(...args);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout).toMatch(/^\{.*\}\n$/);
  return JSON.parse(stdout) as T;
}

const SECRET = 'not-to-be-seen-anywhere';
const create = (issuer: string, name = 'Example ID') =>
  ['provider', 'create', '--name', name, '--issuer', issuer, '--client-id', 'abc', '--client-secret', SECRET] as const;

interface Listed {
  items: { provider_id: string; removed_at: string | null }[];
}

test('provider create shows the address to register at the provider, and list all there are, never a secret', async () => {
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
      created_at: expect.any(String) as string,
      removed_at: null,
      redirect_uri: made.redirect_uri,
    },
  ]);
  expect(JSON.stringify(await sql.many('select t::text from sign_in_providers t'))).not.toContain(SECRET);
  expect(JSON.stringify(await sql.many('select t::text from audit_events t'))).not.toContain(SECRET);
});

test('provider remove ends it at once and forgets its secret; then its issuer can be registered anew', async () => {
  const { provider_id } = await reply<{ provider_id: string }>(...create('https://removed.example'));
  expect(await reply('provider', 'remove', provider_id)).toEqual({
    provider_id,
    removed_at: expect.any(String) as string,
  });
  const { items } = await reply<Listed>('provider', 'list');
  expect(items.find((item) => item.provider_id === provider_id)?.removed_at).not.toBeNull();
  expect(
    await sql.many('select client_secret_sealed as sealed from sign_in_providers where provider_id = $1', [
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
  [create('http://id.example'), 1, 'An issuer is'],
  [create('https://id.example/?x=1'), 1, 'An issuer is'],
  [create('https://one.example', 'a\nb'), 1, 'A name is'],
  [create('https://one.example').slice(0, -2), 2, '--client-secret is missing.'],
  [['provider', 'remove', 'sip_unknown'], 1, 'There is no provider sip_unknown.'],
  [['provider', 'remove'], 2, 'Usage: provider remove PROVIDER_ID'],
] as [string[], number, string][])('%j is refused in a sentence', async (args, exitCode, says) => {
  const outcome = await admin(...args);
  expect({ stdout: outcome.stdout, exitCode: outcome.exitCode }).toEqual({ stdout: '', exitCode });
  expect(outcome.stderr).toContain(says);
  expect(outcome.stderr).not.toContain(SECRET);
});

test('an issuer is registered once at a time', async () => {
  await reply(...create('https://twice.example/'));
  const { stderr, exitCode } = await admin(...create('https://twice.example'));
  expect({ stderr, exitCode }).toEqual({
    stderr: 'There is a provider with the issuer https://twice.example; remove it first.\n',
    exitCode: 1,
  });
});
