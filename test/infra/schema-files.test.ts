import pg from 'pg';
import { Migration } from '@mikro-orm/migrations';
import { checkReady } from '../../activities/readiness.ts';
import { prepareDatabase } from '../../programs/admin/prepare-database.ts';
import { migrate } from '../../infra/db/migrate.ts';
import { migrations, type MigrationClass } from '../../infra/db/migrations/index.ts';
import { PROGRAM, type SchemaProgram } from '../../infra/db/schema-program.ts';
import { changedMigrations, requireSchema } from '../../infra/db/schema-version.ts';
import type { Services } from '../../infra/services.ts';
import { cloneDatabase, openTestServices, type TestDatabase } from '../helpers/database.ts';

let database: TestDatabase;
let owner: pg.Client;
let services: Services & { close(): Promise<void> };

beforeEach(async () => {
  database = await cloneDatabase();
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  services = await openTestServices(database.url);
});
afterEach(async () => {
  await services.close();
  await owner.end();
  await database.drop();
});

const asked = async (text: string) => (await owner.query<Record<string, unknown>>(text)).rows;
const apply = (program: SchemaProgram, more: { migrationLockMs?: number; migrationTryS?: number } = {}) =>
  migrate(
    { database: { url: database.url, migrationUrl: database.ownerUrl, ...more }, service: 'ringfence_service' },
    program,
  );

function withFile(name: string, text: string): SchemaProgram {
  const others = PROGRAM.files.filter((file) => file.name !== name);
  return { ...PROGRAM, files: [...others, { name, text }] };
}
const BODY = (value: string) =>
  `create or replace function business_today() returns date language sql stable as $$ select ${value} $$;`;
const CHANGED = withFile('functions/business_today', BODY(`date '2030-01-02'`));
const today = () => asked('select business_today()::text as today');

class Migration20990101000000_later extends Migration {
  override up(): void {
    this.addSql('create table made_later (id int primary key)');
  }
}
const LATER = { ...PROGRAM, migrations: [...migrations, Migration20990101000000_later as MigrationClass] };

class Migration20990101000000_other extends Migration {
  override up(): void {
    this.addSql('create table made_otherwise (id int primary key)');
  }
}
Object.defineProperty(Migration20990101000000_other, 'name', { value: Migration20990101000000_later.name });
const OTHERWISE = { ...CHANGED, migrations: [...migrations, Migration20990101000000_other as MigrationClass] };

describe('a file of a function or trigger', () => {
  test('that has changed is applied by the next run, with the grants, and a process needs that run', async () => {
    await owner.query('revoke select on owners from ringfence_service');
    await expect(requireSchema(services, CHANGED)).rejects.toThrow(
      `1 of ${PROGRAM.files.length} files of functions and triggers, are missing`,
    );
    await apply(CHANGED);
    expect(await today()).toEqual([{ today: '2030-01-02' }]);
    await requireSchema(services, CHANGED);
    expect(await asked(`select has_table_privilege('ringfence_service', 'owners', 'SELECT') as reads`)).toEqual([
      { reads: true },
    ]);
  });

  test('that has not changed is not applied again', async () => {
    await owner.query(BODY(`date '2031-03-04'`));
    await apply(PROGRAM);
    expect(await today()).toEqual([{ today: '2031-03-04' }]);
  });

  test('that changes back is applied again, and processes of both versions start', async () => {
    await apply(CHANGED);
    await apply(PROGRAM);
    expect(await today()).not.toEqual([{ today: '2030-01-02' }]);
    await requireSchema(services);
    await requireSchema(services, CHANGED);
  });

  test.each([
    ['a statement', 'create or replace function'],
    ['the body of a function', BODY('no_such_column')],
    [
      'the body of a PL/pgSQL function',
      `create function f() returns int language plpgsql as $$ begin retrun 1; end $$`,
    ],
  ])('that fails by %s leaves functions and grants as they were', async (_what, text) => {
    await owner.query('revoke select on owners from ringfence_service');
    const before = await asked('select name, checksum, applied_at from schema_files order by name, checksum');
    await expect(
      apply({ ...CHANGED, files: [...CHANGED.files, { name: 'functions/wrong', text }] }),
    ).rejects.toMatchObject({ code: expect.stringMatching(/^42/) as string });
    expect(await asked('select name, checksum, applied_at from schema_files order by name, checksum')).toEqual(before);
    expect(await today()).not.toEqual([{ today: '2030-01-02' }]);
    expect(await asked(`select has_table_privilege('ringfence_service', 'owners', 'SELECT') as reads`)).toEqual([
      { reads: false },
    ]);
  });

  test('that waits for a lock is tried again until the lock is free', async () => {
    const holder = new pg.Client({ connectionString: database.ownerUrl });
    await holder.connect();
    await holder.query('begin; lock table vaults in access exclusive mode');
    const text = 'create or replace trigger tried before truncate on vaults execute function refuse_change();';
    const applied = apply(withFile('triggers/tried', text), { migrationLockMs: 50, migrationTryS: 60 });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await asked(`select tgname from pg_trigger where tgname = 'tried'`)).toEqual([]);
    await holder.end();
    await applied;
    expect(await asked(`select tgname::text from pg_trigger where tgname = 'tried'`)).toEqual([{ tgname: 'tried' }]);
  });

  test('is applied once by migrators that start at the same time', async () => {
    await Promise.all([apply(CHANGED), apply(CHANGED), apply(CHANGED)]);
    expect(
      await asked(`select count(*)::int as rows from schema_files where name = 'functions/business_today'`),
    ).toEqual([{ rows: 2 }]);
  });
});

describe('an applied migration whose text has changed', () => {
  test('makes migrate apply nothing, and every process refuse', async () => {
    await apply(LATER);
    expect(await changedMigrations(services.db, LATER)).toEqual([]);
    const refusal =
      /its migration Migration20990101000000_later differs from this program's\. .* use an empty database/;
    await expect(apply(OTHERWISE)).rejects.toThrow(refusal);
    expect(await asked(`select to_regclass('made_otherwise') as made`)).toEqual([{ made: null }]);
    expect(await today()).not.toEqual([{ today: '2030-01-02' }]);
    await expect(requireSchema(services, OTHERWISE)).rejects.toThrow(refusal);
  });

  test('makes db:migrate and the readiness check of a running process refuse', async () => {
    await expect(checkReady(services)).resolves.toEqual({ status: 'ready' });
    await owner.query(`update schema_files set checksum = 'other' where name = '${migrations[0]!.name}'`);
    await expect(checkReady(services)).rejects.toMatchObject({ code: 'dependency-unavailable' });
    const prepared = prepareDatabase({ database: { url: database.url, migrationUrl: database.ownerUrl } }, 'sandbox');
    await expect(prepared).rejects.toThrow('from another state of the program');
  });
});

test('a database of a state without checksums is refused', async () => {
  await owner.query('drop table schema_files');
  await owner.query(`update mikro_orm_migrations set name = 'Migration20261121000000_tables'`);
  const refusal = 'its migration Migration20261121000000_tables differs';
  await expect(requireSchema(services)).rejects.toThrow(refusal);
  const urls = { url: database.url, migrationUrl: database.ownerUrl };
  await expect(prepareDatabase({ database: urls }, 'sandbox')).rejects.toThrow(refusal);
});
