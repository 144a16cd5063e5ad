import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { paymentActivities } from '../../activities/payments/index.ts';
import { runCommand } from '../../infra/admin/run.ts';
import { finishUpgradeOf } from '../../infra/admin/upgrade.ts';
import { migrate } from '../../infra/db/migrate.ts';
import { upgradeSteps } from '../../infra/db/upgrade.ts';
import { openTestServices } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { anyKey } from '../helpers/money.ts';
import { administer, dropDatabase, urlOf } from '../helpers/postgres.ts';

const name = `test_${randomBytes(8).toString('hex')}`;
const url = () => urlOf(testEnvironment().databaseUrl, name);
const admin = (...args: string[]) =>
  runCommand(args, {
    RINGFENCE_DATA: testEnvironment().dir,
    MASTER_KEY_FILE: join(testEnvironment().dir, 'keys', 'master.json'),
    DATABASE_URL: url(),
  });
const PAYEE = {
  principal: anyKey,
  name: 'Northern Energy Ltd',
  category: 'UTILITIES',
  sort_code: '401276',
  account_number: '12345678',
} as const;

// On a connection of its own, as a process of the previous version has.
async function asked(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url() });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text, values)).rows;
  } finally {
    await client.end();
  }
}

async function payees<T>(work: (payments: ReturnType<typeof paymentActivities>) => Promise<T>): Promise<T> {
  const services = await openTestServices(url());
  try {
    return await work(paymentActivities(services));
  } finally {
    await services.close();
  }
}

beforeAll(async () => {
  await administer(testEnvironment().databaseUrl, `create database ${name}`);
  await migrate({ database: { url: url() } });
});
afterAll(() => dropDatabase(testEnvironment().databaseUrl, name));

describe('an upgrade', () => {
  test('lets the previous version write and read payees until it is finished, and stores no new name in the clear', async () => {
    await payees((payments) => payments.addProvider(PAYEE));
    const [row] = await asked('select name, bank_ref from providers');
    expect(row!.name).toBe('');
    const old = `insert into providers (provider_id, held_by, name, category, bank_ref, created_at)
      values ('prov_old', $1, 'Old Name Ltd', 'UTILITIES', $2, now())`;
    await asked(old, ['app_test', row!.bank_ref]);
    const { items } = await payees((payments) => payments.listProviders({ principal: anyKey, limit: 10 }));
    expect(items.map((item) => item.name)).toEqual([PAYEE.name, PAYEE.name]);
  });

  test('that gets no lock is retried, and gives up without any change', async () => {
    const client = new pg.Client({ connectionString: url() });
    await client.connect();
    await client.query('begin; lock table providers in access share mode');
    const tried = finishUpgradeOf({ database: { url: url(), migrationLockMs: 50, migrationTryS: 1 } });
    await expect(tried.finally(() => client.end())).rejects.toThrow('waited too long for a lock');
    expect(await asked('select name from providers order by seq')).toEqual([{ name: '' }, { name: 'Old Name Ltd' }]);
  });

  test('is finished by one command, which says what each step did, and changes nothing when it runs again', async () => {
    const first = await admin('upgrade', 'finish');
    expect({ ...first, stdout: JSON.parse(first.stdout) as unknown }).toEqual({
      stdout: { steps: expect.arrayContaining([{ step: 'drop-payee-names', dropped: true }]) as unknown },
      stderr: '',
      exitCode: 0,
    });
    const again = JSON.parse((await admin('upgrade', 'finish')).stdout) as { steps: { step: string }[] };
    expect(again.steps.map(({ step }) => step)).toEqual(upgradeSteps.map((step) => step.name));
    expect(again.steps).toContainEqual({ step: 'drop-payee-names', dropped: false });
  });

  test('leaves no payee name in the clear when finished, and the service still shows names', async () => {
    const columns = `select column_name from information_schema.columns where table_name = 'providers'`;
    expect(await asked(columns)).not.toContainEqual({ column_name: 'name' });
    await payees(async (payments) => {
      await payments.addProvider({ ...PAYEE, name: 'Another Ltd' });
      const { items } = await payments.listProviders({ principal: anyKey, limit: 10 });
      expect(items.map((item) => item.name)).toEqual(['Another Ltd', PAYEE.name, PAYEE.name]);
    });
  });

  test('that two operators finish at once is finished once', async () => {
    const two = await Promise.all([admin('upgrade', 'finish'), admin('upgrade', 'finish')]);
    expect(two.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual([
      { exitCode: 0, stderr: '' },
      { exitCode: 0, stderr: '' },
    ]);
  });
});
