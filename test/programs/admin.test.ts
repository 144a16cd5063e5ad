import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { audit } from '../../activities/audit.ts';
import { authActivities } from '../../activities/auth.ts';
import { runCommand, type Outcome } from '../../programs/admin/run.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { withDatabase } from '../helpers/database.ts';
import { ownerSql } from '../helpers/owner.ts';

const services = withDatabase();
const auth = authActivities(services);

const env = () => ({
  RINGFENCE_DATA: testEnvironment().dir,
  MASTER_KEY_FILE: join(testEnvironment().dir, 'keys', 'master.json'),
  DATABASE_URL: services.config.database.url,
});
const admin = (...args: string[]): Promise<Outcome> => runCommand(args, env());
const sql = (text: string) => ownerSql(services, text);

async function reply<T = Record<string, unknown>>(...args: string[]): Promise<T> {
  const { stdout, stderr, exitCode } = await admin(...args);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout).toMatch(/^\{.*\}\n$/);
  return JSON.parse(stdout) as T;
}

const newApp = async () => (await reply<{ app_id: string }>('app', 'create', '--name', 'Payroll')).app_id;
const newKey = (app: string, scopes = 'read:payments') =>
  reply<{ key_id: string; key: string }>('key', 'create', '--app', app, '--scopes', scopes);

test('user invite prints a link to the page for a new account, valid for the requested days', async () => {
  const { invitation_id, url, expires_at } = await reply<Record<string, string>>('user', 'invite', '--days', '2');
  expect(invitation_id).toMatch(/^inv_/);
  expect(url).toMatch(/^https:\/\/localhost:\d+\/api\/v1\/auth\/create-account\?invitation=rf_in_[\w-]{43}$/);
  expect((Date.parse(expires_at!) - Date.now()) / 86_400_000).toBeCloseTo(2, 2);
  expect(await admin('user', 'invite', '--days', '31')).toEqual({
    stdout: '',
    stderr: 'An invitation works for 1 to 30 days.\n',
    exitCode: 1,
  });
});

describe('applications and keys', () => {
  test('a key that was created works, with its scopes', async () => {
    const app = await newApp();
    const { key_id, key, ...rest } = await newKey(app, 'read:payments  write:debt');
    expect(rest).toEqual({});
    expect(await auth.authenticate({ token: key })).toMatchObject({
      keyId: key_id,
      appId: app,
      scopes: ['read:payments', 'write:debt'],
    });
  });

  test('app list and key list show applications and keys, never a secret', async () => {
    const app = await newApp();
    const { key_id, key } = await newKey(app);
    const apps = await reply<{ items: { app_id: string; name: string }[] }>('app', 'list');
    expect(apps.items[0]).toMatchObject({ app_id: app, name: 'Payroll' });
    const keys = await reply<{ items: object[] }>('key', 'list', '--app', app);
    expect(keys.items).toEqual([
      {
        key_id,
        app_id: app,
        lineage: key_id,
        scopes: ['read:payments'],
        environment: 'sandbox',
        income_per_owner: null,
        income_per_month: null,
        per_minute: null,
        name: null,
        last_used_at: null,
        status: 'active',
        created_at: expect.any(String) as string,
        expires_at: null,
        revoked_at: null,
      },
    ]);
    expect(JSON.stringify(await reply('key', 'list'))).not.toContain(key.slice(8, -6));
  });

  test('key create limits what a key may assert in a month, and key rotate keeps the limits', async () => {
    const app = await newApp();
    const limits = ['--income-per-owner', '300000', '--income-per-month', '9000000'];
    const scopes = ['--scopes', 'write:paycheck assert:income'];
    const { key_id } = await reply<{ key_id: string }>('key', 'create', '--app', app, ...scopes, ...limits);
    await reply('key', 'rotate', key_id);
    const { items } = await reply<{ items: object[] }>('key', 'list', '--app', app);
    expect(items).toMatchObject([
      { income_per_owner: 300_000, income_per_month: 9_000_000 },
      { income_per_owner: 300_000, income_per_month: 9_000_000 },
    ]);
  });

  test('key create limits the requests of a key in a minute, and key rotate keeps the limit', async () => {
    const app = await newApp();
    const { key_id } = await reply<{ key_id: string }>(
      ...['key', 'create', '--app', app, '--scopes', 'read:payments', '--per-minute', '12'],
    );
    await reply('key', 'rotate', key_id);
    const { items } = await reply<{ items: object[] }>('key', 'list', '--app', app);
    expect(items).toMatchObject([{ per_minute: 12 }, { per_minute: 12 }]);
  });

  test('key create gives a key a name, which key list shows and key rotate keeps', async () => {
    const app = await newApp();
    const named = (name: string) => ['key', 'create', '--app', app, '--scopes', 'read:payments', '--name', name];
    const { key_id } = await reply<{ key_id: string }>(...named(' Payroll of Ashby '));
    await reply('key', 'rotate', key_id);
    const { items } = await reply<{ items: object[] }>('key', 'list', '--app', app);
    expect(items).toMatchObject([{ name: 'Payroll of Ashby' }, { name: 'Payroll of Ashby' }]);
    for (const name of ['', 'x'.repeat(129), 'bell\u0007'])
      expect(await admin(...named(name))).toMatchObject({
        stdout: '',
        exitCode: 1,
        stderr: 'A name must have 1 to 128 printable characters.\n',
      });
  });

  test('key rotate makes a new key and revokes the old one, at once or after the overlap', async () => {
    const first = await newKey(await newApp());
    const second = await reply<{ key_id: string; key: string }>('key', 'rotate', first.key_id);
    await expect(auth.authenticate({ token: first.key })).rejects.toMatchObject({ code: 'invalid-token' });
    await reply('key', 'rotate', second.key_id, '--overlap-days', '7');
    await expect(auth.authenticate({ token: second.key })).resolves.toHaveProperty('lineage', first.key_id);
  });

  test('key revoke takes effect at once', async () => {
    const { key_id, key } = await newKey(await newApp());
    await reply('key', 'revoke', key_id);
    await expect(auth.authenticate({ token: key })).rejects.toMatchObject({ code: 'invalid-token' });
  });

  test('client create gives an id and a secret; a public client has none', async () => {
    const args = [
      'client',
      'create',
      '--app',
      await newApp(),
      '--name',
      'Budget',
      '--redirect-uri',
      'https://a.example/cb',
    ];
    const secret = expect.stringMatching(/^rf_cs_/) as string;
    const client_id = expect.stringMatching(/^client_/) as string;
    expect(await reply(...args, '--redirect-uri', 'http://localhost:9/cb', '--scopes', 'read:debt')).toEqual({
      client_id,
      client_secret: secret,
    });
    expect(await reply(...args, '--scopes', 'read:debt', '--public')).toEqual({ client_id, client_secret: null });
  });
});

describe('refused commands', () => {
  test.each([
    [[]],
    [['key']],
    [['key', 'steal']],
    [['constructor', 'x']],
    [['app', 'create']],
    [['app', 'create', '--name', ' ']],
    [['app', 'create', '--nam', 'x']],
    [['app', 'create', 'x', '--name', 'x']],
    [['app', 'create', '--name']],
    [['key', 'revoke']],
    [['key', 'rotate', 'key_1', '--overlap-days', 'two']],
    [['client', 'create', '--app', 'a', '--name', 'n', '--scopes', 'read:debt']],
    [['payment', 'resolve', 'pay_1', '--as', 'lost', '--reason', 'x']],
  ])('%j is invalid: exit code 2, standard output empty', async (args) => {
    const { stdout, stderr, exitCode } = await admin(...args);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test.each([
    [['key', 'create', '--app', 'app_none', '--scopes', 'read:debt'], 'There is no application app_none.'],
    [['key', 'create', '--app', 'app_none', '--scopes', 'read:all'], 'There is no scope read:all.'],
    [['key', 'rotate', 'key_none'], 'There is no key key_none.'],
    [['key', 'rotate', 'key_none', '--overlap-days', '8'], 'The overlap must be a whole number of days from 0 to 7.'],
    [['key', 'revoke', 'key_none'], 'There is no key key_none.'],
    [['vault-certificate', 'create', '--app', 'app_none'], 'There is no application app_none.'],
    [['app', 'create', '--name', 'bell\u0007'], 'A name must have 1 to 128 printable characters.'],
  ])('%j fails: exit code 1 and one sentence', async (args, sentence) => {
    const { stdout, stderr, exitCode } = await admin(...args);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
    expect(stderr).toContain(sentence);
    expect(stderr.trimEnd()).not.toContain('\n');
  });

  test("a vault certificate is not issued without its authority's key, and the command says so", async () => {
    const create = ['vault-certificate', 'create', '--app', 'app_none'];
    const pki = (file: string) => join(testEnvironment().dir, 'pki', file);
    const elsewhere = join(testEnvironment().dir, 'elsewhere.crt');
    await cp(pki('vault-client-ca.crt'), elsewhere);
    const of = { ...env(), VAULT_CLIENT_CA: elsewhere };
    const cases: [Record<string, string>, string, number?][] = [
      [{}, 'VAULT_CLIENT_CA_KEY is not set. Run this command on the machine that has the private key', 1],
      [{ VAULT_CLIENT_CA_KEY: pki('nowhere.key') }, 'which cannot be read as a key (ENOENT)'],
      [{ VAULT_CLIENT_CA_KEY: pki('ca.crt') }, 'which cannot be read as a key'],
      [{ VAULT_CLIENT_CA_KEY: pki('ca.key') }, `which belongs to no certificate in ${elsewhere}`],
    ];
    const { stdout } = await admin('app', 'create', '--name', 'Vault');
    const { app_id } = JSON.parse(stdout) as { app_id: string };
    for (const [more, words, exitCode = 78] of cases) {
      const refused = await runCommand([...create.slice(0, 3), app_id], { ...of, ...more });
      expect({ stdout: refused.stdout, exitCode: refused.exitCode }).toEqual({ stdout: '', exitCode });
      expect(refused.stderr).toContain(words);
      expect(refused.stderr.trimEnd()).not.toContain('\n');
    }
    const days = [...create.slice(0, 3), app_id, '--days'];
    expect((await admin(...days, '826')).exitCode).toBe(2);
    const issued = await admin(...days, '825');
    expect(issued.stderr).toBe('');
    expect(JSON.parse(issued.stdout)).toMatchObject({ app_id, certificate: expect.stringMatching(/^-----BEGIN CERT/) });
  });

  test('--help shows every command and does nothing', async () => {
    const { stdout, stderr, exitCode } = await admin('--help');
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    for (const command of [
      'app create',
      'key rotate KEY_ID',
      'client create',
      'ledger verify',
      'audit verify',
      'payment resolve',
    ]) {
      expect(stdout).toContain(command);
    }
  });

  test.each([
    [['key', 'create', '--help'], ['key create']],
    [
      ['help', 'client'],
      ['client create', 'client list', 'client remove'],
    ],
    [['accrue', '--help'], ['accrue']],
  ])('%j shows only the commands that it names', async (args, names) => {
    const { stdout, exitCode } = await admin(...args);
    expect(exitCode).toBe(0);
    const shown = [...stdout.matchAll(/^ {2}([a-z-]+(?: [a-z-]+)?)/gm)].map(([, name]) => name);
    expect(shown).toEqual(names);
  });

  test('an unknown command gets the names of the commands in its group', async () => {
    const { stderr, exitCode } = await admin('payment', 'nonsense');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^There is no command "payment nonsense"; the commands are payment resolve, /);
    expect(stderr).not.toContain('app create');
  });

  test('an unreachable database gives one sentence that says what to do, without the password', async () => {
    const at = { ...env(), DATABASE_URL: 'postgresql://ringfence:pw-of-the-database@localhost:1/ringfence' };
    const { stderr, exitCode } = await runCommand(['app', 'list'], at);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^The database ringfence at localhost:1 cannot be used: nothing listens at that address; start the stack/,
    );
    expect(stderr).not.toContain('pw-of-the-database');
  });

  test.each([
    ['?sslmode=verify-full', 'it has no TLS; remove sslmode from DATABASE_URL'],
    ['?sslmode=verify-full&sslrootcert=/nowhere/ca.crt', '/nowhere/ca.crt cannot be used: it does not exist'],
  ])('a DATABASE_URL that ends in %s gives one sentence', async (end, says) => {
    const { stderr, exitCode } = await runCommand(['app', 'list'], {
      ...env(),
      DATABASE_URL: `${env().DATABASE_URL}${end}`,
    });
    expect({ exitCode, lines: stderr.trim().split('\n').length }).toEqual({ exitCode: 1, lines: 1 });
    expect(stderr).toContain(says);
  });

  test('a DATABASE_URL without a password gives one sentence', async () => {
    const url = new URL(env().DATABASE_URL);
    url.password = '';
    const { stderr } = await runCommand(['app', 'list'], { ...env(), DATABASE_URL: url.href });
    expect(stderr).toMatch(
      /^The database \S+ at \S+ cannot be used: it asks for a password; add the password to DATABASE_URL\.\n$/,
    );
  });

  test('a database without tables gives one sentence', async () => {
    const url = new URL(env().DATABASE_URL);
    url.pathname = '/postgres';
    const { stderr, exitCode } = await runCommand(['app', 'list'], { ...env(), DATABASE_URL: url.href });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining('it has no tables yet') as string,
    });
  });

  test('a wrong setting is named', async () => {
    const { stderr, exitCode } = await runCommand(['app', 'list'], { RINGFENCE_ENV: 'prod' });
    expect(exitCode).toBe(78);
    expect(stderr).toContain('RINGFENCE_ENV is "prod"');
  });

  test('an unknown payment cannot be resolved', async () => {
    const outcome = await admin('payment', 'resolve', 'pay_none', '--as', 'failed', '--reason', 'statement of 3 May');
    expect(outcome).toMatchObject({ stdout: '', exitCode: 1 });
    expect(outcome.stderr).not.toMatch(/\n\s+at /);
  });
});

describe('verification', () => {
  const event = (subject: string) =>
    audit(services.db, services, { subject, kind: 'payment.attention', actor: 'test', data: { n: 1 }, at: new Date() });
  const tamper = async (statement: string, work: () => Promise<void>) => {
    for (const table of ['audit_events', 'audit_heads']) await sql(`alter table ${table} disable trigger user`);
    await sql(statement);
    for (const table of ['audit_events', 'audit_heads']) await sql(`alter table ${table} enable trigger user`);
    await work();
  };

  test('an unchanged ledger and audit log verify', async () => {
    for (let i = 0; i < 3; i += 1) await event('whole');
    expect(await reply('ledger', 'verify')).toMatchObject({ ok: true, faults: [] });
    expect(await reply('audit', 'verify')).toMatchObject({ ok: true, broken: 0, first_broken: null });
  });

  test.each([
    [
      'content',
      `update audit_events set data = '{"n": 2}' where subject = 'content' and subject_seq = 2`,
      2,
      'its content does not match its hash',
    ],
    [
      'a rewritten hash',
      `update audit_events e set data = '{"n": 2}', hash = audit_hash(jsonb_populate_record(e, '{"data": {"n": 2}}'))
        where subject = 'a rewritten hash' and subject_seq = 2`,
      3,
      'it does not follow the event before it',
    ],
    [
      'a missing event',
      `delete from audit_events where subject = 'a missing event' and subject_seq = 2`,
      3,
      'an event before it is missing',
    ],
    [
      'an end that was cut off',
      `delete from audit_events where subject = 'an end that was cut off' and subject_seq >= 3`,
      4,
      'the end of its chain is missing or was changed',
    ],
    [
      'an end that was rewritten',
      `update audit_events e set data = '{"n": 2}', hash = audit_hash(jsonb_populate_record(e, '{"data": {"n": 2}}'))
        where subject = 'an end that was rewritten' and subject_seq = 4`,
      4,
      'the end of its chain is missing or was changed',
    ],
    [
      'a chain that is gone',
      `delete from audit_events where subject = 'a chain that is gone'`,
      4,
      'all its events are missing',
    ],
  ])('%s: the first broken event is named, exit code 1', async (subject, statement, place, fault) => {
    for (let i = 0; i < 4; i += 1) await event(subject);
    await tamper(statement, async () => {
      const { stdout, stderr, exitCode } = await admin('audit', 'verify');
      expect(exitCode).toBe(1);
      expect(stderr).toContain('The audit log was tampered with');
      expect(JSON.parse(stdout)).toMatchObject({
        ok: false,
        broken: 1,
        first_broken: { subject, subject_seq: place, fault },
      });
    });
    await tamper(`delete from audit_events where subject = '${subject}'`, () => Promise.resolve());
    await tamper(`delete from audit_heads where subject = '${subject}'`, () => Promise.resolve());
  });

  test('the head of a chain advances one by one, and never goes back', async () => {
    await event('a head');
    for (const statement of [
      `update audit_heads set subject_seq = 0 where subject = 'a head'`,
      `delete from audit_heads where subject = 'a head'`,
      `update audit_heads set subject_seq = 3 where subject = 'a head'`,
      `update audit_heads set subject = 'another', subject_seq = 2 where subject = 'a head'`,
      `insert into audit_heads (subject, subject_seq, hash) values ('another head', 2, '')`,
    ]) {
      await expect(sql(statement)).rejects.toThrow('audit_heads moves on by an audit event only');
    }
  });

  test('forty simultaneous events of one subject form one chain', async () => {
    await Promise.all(Array.from({ length: 40 }, () => event('at once')));
    expect(await reply('audit', 'verify')).toMatchObject({ ok: true, broken: 0 });
  });
});

describe('the program', () => {
  const program = resolve(import.meta.dirname, '..', '..', 'programs', 'admin', 'main.ts');
  const start = (...args: string[]) =>
    promisify(execFile)(process.execPath, [program, ...args], { env: { ...process.env, ...env() } });

  test('prints one JSON object and nothing else', async () => {
    const { stdout, stderr } = await start('app', 'list');
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toHaveProperty('items');
  });

  test('exits with the right exit code', async () => {
    await expect(start('key', 'revoke', 'key_none')).rejects.toMatchObject({ code: 1, stdout: '' });
    await expect(start('key', 'revoke')).rejects.toMatchObject({ code: 2, stdout: '' });
  });
});
