import { randomBytes } from 'node:crypto';
import { runCommand } from '../../programs/admin/run.ts';
import { prepareDatabase } from '../../programs/admin/prepare-database.ts';
import { requireDatabase } from '../../infra/process/require-database.ts';
import type { Services } from '../../infra/services.ts';
import { cloneDatabase, openTestServices } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { administer, dropDatabase, serviceUrl, urlOf } from '../helpers/postgres.ts';

interface Empty {
  url: string;
  migrationUrl: string;
}

async function inEmpty<T>(work: (database: Empty) => Promise<T>): Promise<T> {
  const { databaseUrl } = testEnvironment();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(databaseUrl, `create database ${name}`);
  const migrationUrl = urlOf(databaseUrl, name);
  try {
    return await work({ url: serviceUrl(migrationUrl), migrationUrl });
  } finally {
    await dropDatabase(databaseUrl, name);
  }
}

async function served<T>(
  url: string,
  environment: 'sandbox' | 'production',
  work: (services: Services) => Promise<T>,
): Promise<T> {
  const services = await openTestServices(url, { env: { RINGFENCE_ENV: environment } });
  try {
    return await work(services);
  } finally {
    await services.close();
  }
}
const starts = (url: string, environment: 'sandbox' | 'production') => served(url, environment, requireDatabase);

describe('the purpose of a database', () => {
  test('must be given for an empty database before anything is created', async () => {
    await inEmpty(async (database) => {
      await expect(prepareDatabase({ database }, undefined)).rejects.toThrow('Set RINGFENCE_ENV');
      await expect(starts(database.migrationUrl, 'sandbox')).rejects.toThrow('Run them first');
    });
  });

  test.each(['sandbox', 'production'] as const)(
    'is permanently %s, and a process of the other kind refuses the database',
    async (kind) => {
      const other = kind === 'sandbox' ? 'production' : 'sandbox';
      await inEmpty(async (database) => {
        await expect(prepareDatabase({ database }, kind)).resolves.toEqual({});
        await starts(database.url, kind);
        const refusal = `RINGFENCE_ENV is "${other}", but the database was made for "${kind}"`;
        await expect(starts(database.url, other)).rejects.toThrow(refusal);
        await expect(prepareDatabase({ database }, other)).rejects.toThrow(refusal);
        const env = { RINGFENCE_DATA: testEnvironment().dir, DATABASE_URL: database.url, RINGFENCE_ENV: other };
        const { exitCode, stderr } = await runCommand(['app', 'list'], env);
        expect({ exitCode, stderr }).toEqual({ exitCode: 78, stderr: expect.stringContaining(refusal) as string });
        await prepareDatabase({ database }, undefined);
        await starts(database.url, kind);
      });
    },
  );
});

describe('a database of another program', () => {
  const TABLES = ['create table orders (n int)', 'create table customers (n int)'];
  const LIST = 'create table mikro_orm_migrations (id serial primary key, name text, executed_at timestamptz)';

  test.each([
    ['without a list of migrations', TABLES],
    [
      'with its own list of migrations',
      [...TABLES, LIST, "insert into mikro_orm_migrations (name) values ('Migration1')"],
    ],
  ])('%s is refused by name, and stays as it is', async (_what, statements) => {
    await inEmpty(async (database) => {
      for (const statement of statements) await administer(database.migrationUrl, statement);
      const { host, pathname } = new URL(database.migrationUrl);
      const refusal = `The database ${pathname.slice(1)} at ${host} belongs to another program: it has tables (customers, orders), but no mark of Ringfence.`;
      await expect(prepareDatabase({ database }, 'sandbox')).rejects.toThrow(refusal);
      await administer(database.migrationUrl, 'drop table orders, customers');
    });
  });

  test('with an empty list of migrations counts as empty, because a first start may have been killed', async () => {
    await inEmpty(async (database) => {
      await administer(database.migrationUrl, LIST);
      await expect(prepareDatabase({ database }, 'sandbox')).resolves.toEqual({});
    });
  });
});

describe('the role of a process', () => {
  test('never owns the schema in production: neither a migration nor a process accepts it', async () => {
    await inEmpty(async (database) => {
      const alone = { database: { url: database.migrationUrl } };
      await expect(prepareDatabase(alone, 'production')).rejects.toThrow('DATABASE_MIGRATION_URL is not set');
      await expect(starts(database.migrationUrl, 'production')).rejects.toThrow('Run them first');
      await prepareDatabase({ database }, 'production');
      await expect(prepareDatabase(alone, undefined)).rejects.toThrow('DATABASE_MIGRATION_URL is not set');
      await starts(database.url, 'production');
      await expect(starts(database.migrationUrl, 'production')).rejects.toThrow(
        /The role of DATABASE_URL owns tables, .*Set DATABASE_URL to the role of the service, and, only for migrations, set DATABASE_MIGRATION_URL/,
      );
    });
  });

  test.each([
    [
      'owns tables',
      'alter table outbox_messages owner to ringfence_service',
      'alter table outbox_messages owner to ringfence',
    ],
    [
      'may create in the schema',
      'grant create on schema public to public',
      'revoke create on schema public from public',
    ],
    [
      'may make temporary tables',
      'grant temporary on database this to public',
      'revoke temporary on database this from public',
    ],
    ['may create schemas', 'grant create on database this to public', 'revoke create on database this from public'],
    [
      'may write the tables of ledger or audit log',
      'grant update on audit_heads to public',
      'revoke update on audit_heads from public',
    ],
    [
      'may write the tables of ledger or audit log',
      'grant trigger on vaults to public',
      'revoke trigger on vaults from public',
    ],
  ])('that %s is refused in production (%s)', async (excess, give, take) => {
    await inEmpty(async (database) => {
      await prepareDatabase({ database }, 'production');
      const name = new URL(database.url).pathname.slice(1);
      const owner = (text: string) =>
        administer(database.migrationUrl, text.replace('database this', `database ${name}`));
      if (excess === 'owns tables') await owner('grant create on schema public to ringfence_service');
      await owner(give);
      await expect(starts(database.url, 'production')).rejects.toThrow(excess);
      if (excess === 'owns tables') return;
      await owner(take);
      await starts(database.url, 'production');
    });
  });

  test('must exist in the database, and differ from the owner', async () => {
    await inEmpty(async ({ migrationUrl }) => {
      const nobody = new URL(migrationUrl);
      nobody.username = 'nobody_here';
      await expect(prepareDatabase({ database: { url: nobody.href, migrationUrl } }, 'sandbox')).rejects.toThrow(
        'DATABASE_URL names the role "nobody_here", which the database does not have',
      );
      await expect(prepareDatabase({ database: { url: migrationUrl, migrationUrl } }, 'sandbox')).rejects.toThrow(
        'DATABASE_URL names the role "ringfence", as DATABASE_MIGRATION_URL does',
      );
      await expect(prepareDatabase({ database: { url: migrationUrl } }, 'production')).rejects.toThrow(
        'DATABASE_MIGRATION_URL is not set',
      );
      await expect(starts(migrationUrl, 'sandbox')).rejects.toThrow('Run them first');
    });
  });

  test('without its rights gets an error that names the command to grant them', async () => {
    await inEmpty(async (database) => {
      await prepareDatabase({ database: { url: database.migrationUrl } }, 'sandbox');
      await expect(starts(database.url, 'sandbox')).rejects.toThrow('The role of DATABASE_URL lacks rights');
      await prepareDatabase({ database }, 'sandbox');
      await starts(database.url, 'sandbox');
    });
  });

  test('gets its rights once, however many migrations run at the same time', async () => {
    await inEmpty(async (database) => {
      await Promise.all([1, 2, 3].map(() => prepareDatabase({ database }, 'sandbox')));
      await starts(database.url, 'sandbox');
    });
  });
});

test("the tests' cloned databases have production's rights", async () => {
  const database = await cloneDatabase();
  await administer(database.ownerUrl, 'alter table deployment disable trigger user');
  await administer(database.ownerUrl, `update deployment set environment = 'production'`);
  await starts(database.url, 'production');
  await database.drop();
});
