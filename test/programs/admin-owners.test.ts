import { join } from 'node:path';
import { runCommand, type Outcome } from '../../programs/admin/run.ts';
import { textQuery } from '../helpers/text-query.ts';
import { withDatabase } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';

const services = withDatabase();

const admin = (...args: string[]): Promise<Outcome> =>
  runCommand(args, {
    RINGFENCE_DATA: testEnvironment().dir,
    MASTER_KEY_FILE: join(testEnvironment().dir, 'keys', 'master.json'),
    DATABASE_URL: services.config.database.url,
  });

async function reply<T = Record<string, unknown>>(...args: string[]): Promise<T> {
  const { stdout, stderr, exitCode } = await admin(...args);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  return JSON.parse(stdout) as T;
}

const newApp = async (...more: string[]) =>
  (await reply<{ app_id: string }>('app', 'create', '--name', 'Payroll', ...more)).app_id;

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
    const { exitCode, stdout, stderr } = await admin('app', 'create', '--name', 'Second', '--owner-prefix', prefix);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain(`The prefix ${prefix} overlaps with ${taken}, which is already in use.`);
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
      const { exitCode, stderr } = await admin('app', 'create', '--name', 'X', '--owner-prefix', prefix);
      expect(exitCode).toBe(1);
      expect(stderr).toContain('An owner prefix must have 1 to 64 printable characters.');
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
    const events = await services.db.many(
      textQuery<{ data: object }>(
        'test.assigned',
        `select data from audit_events where subject = 'emp-1' and kind = 'owner.assigned' and actor = 'operator' order by seq`,
      )(),
    );
    expect(events.map(({ data }) => data)).toEqual([
      { app_id: first, from: null },
      { app_id: second, from: first },
    ]);
  });

  test('a registered person cannot be assigned', async () => {
    const { exitCode, stderr } = await admin('owner', 'assign', 'usr_1', '--app', await newApp());
    expect(exitCode).toBe(1);
    expect(stderr).toContain('A registered person cannot be assigned to an application');
  });

  test('an unknown application gets no owner', async () => {
    const { exitCode, stderr } = await admin('owner', 'assign', 'emp-2', '--app', 'app_none');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('There is no application app_none.');
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
