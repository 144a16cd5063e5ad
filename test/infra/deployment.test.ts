import { runCommand } from '../../programs/admin/run.ts';
import { prepareDatabase } from '../../programs/admin/prepare-database.ts';
import { requireDatabase } from '../../infra/process/require-database.ts';
import { cloneDatabase, emptyDatabase, inDatabase, openTestServices, type TestDatabase } from '../helpers/database.ts';
import { RATES, testEnvironment } from '../helpers/environment.ts';
import { administer } from '../helpers/postgres.ts';

type Kind = 'sandbox' | 'production';

const inEmpty = (work: (database: TestDatabase) => Promise<void>) => inDatabase(work, emptyDatabase);

async function starts(url: string, environment: Kind): Promise<void> {
  const services = await openTestServices(url, { env: { RINGFENCE_ENV: environment } });
  try {
    await requireDatabase(services);
  } finally {
    await services.close();
  }
}

const prepared = ({ url, ownerUrl }: TestDatabase, kind?: Kind) =>
  prepareDatabase({ database: { url, migrationUrl: ownerUrl }, ...RATES }, kind);
const preparedByOwnerAlone = ({ ownerUrl }: TestDatabase, kind?: Kind) =>
  prepareDatabase({ database: { url: ownerUrl }, ...RATES }, kind);

describe('the purpose of a database', () => {
  test('must be given for an empty database before anything is created', async () => {
    await inEmpty(async (database) => {
      await expect(prepared(database)).rejects.toThrow('Set RINGFENCE_ENV');
      await expect(starts(database.ownerUrl, 'sandbox')).rejects.toThrow('Run them first');
    });
  });

  test.each([
    ['sandbox', 'production'],
    ['production', 'sandbox'],
  ] as const)('is permanently %s, and a process of the other kind refuses the database', async (kind, other) => {
    await inEmpty(async (database) => {
      await expect(prepared(database, kind)).resolves.toEqual({ rates: [] });
      await starts(database.url, kind);
      const refusal = `RINGFENCE_ENV is "${other}", but the database was made for "${kind}"`;
      await expect(starts(database.url, other)).rejects.toThrow(refusal);
      await expect(prepared(database, other)).rejects.toThrow(refusal);
      const env = { RINGFENCE_DATA: testEnvironment().dir, DATABASE_URL: database.url, RINGFENCE_ENV: other };
      const { exitCode, stderr } = await runCommand(['app', 'list'], env);
      expect({ exitCode, stderr }).toEqual({ exitCode: 78, stderr: expect.stringContaining(refusal) as string });
      await prepared(database);
      await starts(database.url, kind);
    });
  });
});

describe('a database of another program', () => {
  const TABLES = ['create table orders (n int)', 'create table customers (n int)'];
  const LIST = 'create table mikro_orm_migrations (id serial primary key, name text, executed_at timestamptz)';
  const LISTED = "insert into mikro_orm_migrations (name) values ('Migration1')";

  test.each([
    ['without a list of migrations', TABLES],
    ['with its own list of migrations', [...TABLES, LIST, LISTED]],
  ])('%s is refused by name, and stays as it is', async (_what, statements) => {
    await inEmpty(async (database) => {
      for (const statement of statements) await administer(database.ownerUrl, statement);
      const { host, pathname } = new URL(database.ownerUrl);
      const refusal = `The database ${pathname.slice(1)} at ${host} belongs to another program: it has tables (customers, orders), but no mark of Ringfence.`;
      await expect(prepared(database, 'sandbox')).rejects.toThrow(refusal);
      await administer(database.ownerUrl, 'drop table orders, customers');
    });
  });
});

// A killed first start may leave an empty list of migrations behind.
test('migrators of an empty database that start at the same time prepare it once', async () => {
  await inEmpty(async (database) => {
    const list = 'create table mikro_orm_migrations (id serial primary key, name text, executed_at timestamptz)';
    await administer(database.ownerUrl, list);
    await Promise.all([1, 2, 3].map(() => prepared(database, 'sandbox')));
    await starts(database.url, 'sandbox');
  });
});

describe('the role of a process in production', () => {
  let database: TestDatabase;
  const owner = (text: string) =>
    administer(database.ownerUrl, text.replace('this', new URL(database.url).pathname.slice(1)));
  beforeAll(async () => {
    database = await cloneDatabase();
    await owner('alter table deployment disable trigger user');
    await owner(`update deployment set environment = 'production'`);
    await owner('alter table deployment enable trigger user');
  });
  afterAll(() => database.drop());

  test('never owns the schema: neither a migration nor a process accepts it', async () => {
    await expect(preparedByOwnerAlone(database)).rejects.toThrow('DATABASE_MIGRATION_URL is not set');
    await expect(starts(database.ownerUrl, 'production')).rejects.toThrow(
      /The role of DATABASE_URL owns tables, .*Set DATABASE_URL to the role of the service, and, only for migrations, set DATABASE_MIGRATION_URL/,
    );
  });

  test.each([
    ['may create in the schema', 'create on schema public'],
    ['may make temporary tables', 'temporary on database this'],
    ['may create schemas', 'create on database this'],
    ['may write the tables of ledger or audit log', 'update on audit_heads'],
    ['may write the tables of ledger or audit log', 'trigger on vaults'],
  ])('is refused if it %s: %s', async (excess, right) => {
    await owner(`grant ${right} to public`);
    await expect(starts(database.url, 'production')).rejects.toThrow(excess);
    await owner(`revoke ${right} from public`);
    await starts(database.url, 'production');
  });

  test('is refused if it owns tables', async () => {
    await owner('grant create on schema public to ringfence_service');
    await owner('alter table outbox_messages owner to ringfence_service');
    await expect(starts(database.url, 'production')).rejects.toThrow('owns tables');
  });
});

describe('the role of a process', () => {
  test('must exist in the database, and differ from the owner', async () => {
    await inEmpty(async (database) => {
      const nobody = new URL(database.ownerUrl);
      nobody.username = 'nobody_here';
      for (const [url, refusal] of [
        [nobody.href, 'DATABASE_URL names the role "nobody_here", which the database does not have'],
        [database.ownerUrl, 'DATABASE_URL names the role "ringfence", as DATABASE_MIGRATION_URL does'],
      ] as const)
        await expect(prepared({ ...database, url }, 'sandbox')).rejects.toThrow(refusal);
      await expect(preparedByOwnerAlone(database, 'production')).rejects.toThrow('DATABASE_MIGRATION_URL is not set');
      await expect(starts(database.ownerUrl, 'sandbox')).rejects.toThrow('Run them first');
    });
  });

  test('without its rights gets an error that names the command to grant them', async () => {
    await inDatabase(async (database) => {
      await administer(database.ownerUrl, 'revoke all on all tables in schema public from ringfence_service');
      await expect(starts(database.url, 'sandbox')).rejects.toThrow('The role of DATABASE_URL lacks rights');
      await prepared(database, 'sandbox');
      await starts(database.url, 'sandbox');
    });
  });
});
