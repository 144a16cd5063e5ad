import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { audit } from '../../activities/audit.ts';
import { authActivities } from '../../activities/auth.ts';
import { runCommand } from '../../programs/admin/run.ts';
import { adminProcess } from '../helpers/admin-process.ts';
import { adminOf, expectRefused } from '../helpers/admin.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { withDatabase } from '../helpers/database.ts';
import { ownerSql } from '../helpers/owner.ts';

const services = withDatabase();
const auth = authActivities(services);

const { env, admin, reply } = adminOf(services);
const sql = (text: string) => ownerSql(services, text);

const newApp = async (...more: string[]) =>
  (await reply<{ app_id: string }>('app', 'create', '--name', 'Payroll', ...more)).app_id;
const newKey = (app: string, scopes = 'read:payments') =>
  reply<{ key_id: string; key: string }>('key', 'create', '--app', app, '--scopes', scopes);

test('user invite prints a link to the page for a new account, valid for the requested days', async () => {
  const { invitation_id, url, expires_at } = await reply<Record<string, string>>('user', 'invite', '--days', '2');
  expect(invitation_id).toMatch(/^inv_/);
  expect(url).toMatch(/^https:\/\/localhost:\d+\/api\/v1\/auth\/create-account\?invitation=rf_in_[\w-]{43}$/);
  expect((Date.parse(expires_at!) - Date.now()) / 86_400_000).toBeCloseTo(2, 2);
  expectRefused(await admin('user', 'invite', '--days', '31'), 1, /^An invitation works for 1 to 30 days\.\n$/);
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
        disabled_at: null,
        status: 'active',
        created_at: expect.any(String) as string,
        expires_at: null,
        revoked_at: null,
      },
    ]);
    expect(JSON.stringify(await reply('key', 'list'))).not.toContain(key.slice(8, -6));
  });

  test('key create gives a key limits and a name, which key list shows and key rotate keeps', async () => {
    const app = await newApp();
    const limits = ['--income-per-owner', '300000', '--income-per-month', '9000000', '--per-minute', '12'];
    const create = ['key', 'create', '--app', app, '--scopes', 'write:paycheck assert:income', ...limits, '--name'];
    const { key_id } = await reply<{ key_id: string }>(...create, ' Payroll of Ashby ');
    await reply('key', 'rotate', key_id);
    const { items } = await reply<{ items: object[] }>('key', 'list', '--app', app);
    const income = { income_per_owner: 300_000, income_per_month: 9_000_000 };
    const kept = { ...income, per_minute: 12, name: 'Payroll of Ashby' };
    expect(items).toMatchObject([kept, kept]);
    for (const name of ['', 'x'.repeat(129), 'bell\u0007'])
      expectRefused(await admin(...create, name), 1, /^A name must have 1 to 128 printable characters\.\n$/);
  });

  test('client create gives an id and a secret; a public client has none', async () => {
    const uri = ['--redirect-uri', 'https://a.example/cb'];
    const args = ['client', 'create', '--app', await newApp(), '--name', 'Budget', ...uri];
    const secret = expect.stringMatching(/^rf_cs_/) as string;
    const client_id = expect.stringMatching(/^client_/) as string;
    expect(await reply(...args, '--redirect-uri', 'http://localhost:9/cb', '--scopes', 'read:debt')).toEqual({
      client_id,
      client_secret: secret,
    });
    expect(await reply(...args, '--scopes', 'read:debt', '--public')).toEqual({ client_id, client_secret: null });
  });
});

const instant = expect.stringMatching(/^20\d\d-.*Z$/) as string;

describe('owner prefixes', () => {
  test('app list shows the prefix that an application was created with', async () => {
    const app_id = await newApp('--owner-prefix', 'payroll-');
    const { items } = await reply<{ items: object[] }>('app', 'list');
    expect(items).toContainEqual({ app_id, name: 'Payroll', created_at: instant, owner_prefix: 'payroll-' });
  });

  test.each([
    ['the same one', 'taken-', 'taken-'],
    ['a shorter one', 'taken-', 'tak'],
    ['a longer one', 'taken-', 'taken-too'],
    ['one of a person', 'usr_', 'usr_'],
    ['a part of one of a person', 'usr_', 'u'],
    ['a longer one than a payment has', 'pay_', 'pay_roll'],
    ['one of the PII vault', 'vault:', 'vault:'],
  ])('a prefix is refused if it overlaps another one: %s', async (_what, taken, prefix) => {
    await admin('app', 'create', '--name', 'First', '--owner-prefix', 'taken-');
    const outcome = await admin('app', 'create', '--name', 'Second', '--owner-prefix', prefix);
    expectRefused(outcome, 1, `The prefix ${prefix} overlaps with ${taken}, which is already in use.`);
  });

  test('of two applications created at once with overlapping prefixes only one is created', async () => {
    const outcomes = await Promise.all(
      ['race-', 'race-one', 'race-', 'ra'].map((prefix) =>
        admin('app', 'create', '--name', 'X', '--owner-prefix', prefix),
      ),
    );
    expect(outcomes.filter(({ exitCode }) => exitCode === 0)).toHaveLength(1);
  });

  test('a prefix has 1 to 64 printable characters', async () => {
    for (const prefix of ['x'.repeat(65), 'bell\u0007']) {
      const outcome = await admin('app', 'create', '--name', 'X', '--owner-prefix', prefix);
      expectRefused(outcome, 1, 'An owner prefix must have 1 to 64 printable characters.');
    }
  });
});

describe('owner show and owner assign', () => {
  test('an owner is assigned, shown and reassigned, and each assignment is audited', async () => {
    const [first, second] = [await newApp(), await newApp()];
    expect(await reply('owner', 'show', 'emp-1')).toEqual({ owner_id: 'emp-1', app_id: null, bound_at: null });
    const assigned = await reply('owner', 'assign', 'emp-1', '--app', first);
    expect(assigned).toEqual({ owner_id: 'emp-1', app_id: first, bound_at: instant });
    expect(await reply('owner', 'show', 'emp-1')).toEqual(assigned);
    expect(await reply('owner', 'assign', 'emp-1', '--app', second)).toMatchObject({ app_id: second });
    const events = await sql(
      `select data from audit_events where subject = 'emp-1' and kind = 'owner.assigned' and actor like 'operator:%' order by seq`,
    );
    expect(events.map(({ data }) => data)).toEqual([
      { app_id: first, from: null },
      { app_id: second, from: first },
    ]);
  });

  test('a registered person cannot be assigned, and an unknown application gets no owner', async () => {
    const person = await admin('owner', 'assign', 'usr_1', '--app', await newApp());
    expectRefused(person, 1, 'A registered person cannot be assigned to an application');
    const unknown = await admin('owner', 'assign', 'emp-2', '--app', 'app_none');
    expectRefused(unknown, 1, 'There is no application app_none.');
    expect(await reply('owner', 'show', 'emp-2')).toMatchObject({ app_id: null });
  });

  test('ids with a prefix can only be assigned to its application, and no others to that application', async () => {
    const [plain, withPrefix] = [await newApp(), await newApp('--owner-prefix', 'desk-')];
    const other = await admin('owner', 'assign', 'desk-7', '--app', plain);
    expect(other.stderr).toContain(`Owner ids that begin with desk- are reserved for the application ${withPrefix}.`);
    const outside = await admin('owner', 'assign', 'emp-7', '--app', withPrefix);
    expect(outside.stderr).toContain(`The application ${withPrefix} can have only owners whose ids begin with desk-.`);
    expect(await reply('owner', 'assign', 'desk-7', '--app', withPrefix)).toMatchObject({ app_id: withPrefix });
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
    expectRefused(await admin(...args), 2, '');
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
    const outcome = await admin(...args);
    expectRefused(outcome, 1, sentence);
    expect(outcome.stderr.trimEnd()).not.toContain('\n');
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
    const app_id = await newApp();
    for (const [more, words, exitCode = 78] of cases) {
      const refused = await runCommand([...create.slice(0, 3), app_id], { ...of, ...more });
      expectRefused(refused, exitCode, words);
      expect(refused.stderr.trimEnd()).not.toContain('\n');
    }
    const days = [...create.slice(0, 3), app_id, '--days'];
    expect((await admin(...days, '826')).exitCode).toBe(2);
    const certificate = expect.stringMatching(/^-----BEGIN CERT/) as string;
    expect(await reply(...days, '825')).toMatchObject({ app_id, certificate });
  });

  test('--help shows every command and does nothing', async () => {
    const { stdout, stderr, exitCode } = await admin('--help');
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    for (const command of ['app create', 'key rotate KEY_ID', 'client create', 'audit verify', 'payment resolve'])
      expect(stdout).toContain(command);
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

  const changed = (change: Partial<URL>) =>
    env({ DATABASE_URL: Object.assign(new URL(env().DATABASE_URL!), change).href });

  test('a database without a password gives one sentence', async () => {
    // In a process of its own, because pg leaves a connection open that it cannot sign in on.
    const outcome = await adminProcess(['app', 'list'], changed({ password: '' }));
    const sentence = 'cannot be used: it asks for a password; add the password to DATABASE_URL';
    expectRefused(outcome, 1, new RegExp(`^The database \\S+ at \\S+ ${sentence}\\.\\n$`));
  });

  test('a database without tables gives one sentence', async () => {
    const outcome = await runCommand(['app', 'list'], changed({ pathname: '/postgres' }));
    expectRefused(outcome, 1, /it has no tables yet/);
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
