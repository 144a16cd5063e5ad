import { setTimeout as sleep } from 'node:timers/promises';
import { Migration } from '@mikro-orm/migrations';
import pg from 'pg';
import { checkReady } from '../../activities/readiness.ts';
import { prepareDatabase } from '../../programs/admin/prepare-database.ts';
import { migrate } from '../../infra/db/migrate.ts';
import { BASELINE, migrations, type MigrationClass } from '../../infra/db/migrations/index.ts';
import { PROGRAM, type SchemaProgram } from '../../infra/db/schema-program.ts';
import { changedMigrations, requireSchema } from '../../infra/db/schema-version.ts';
import type { Services } from '../../infra/services.ts';
import { startApi } from '../helpers/api.ts';
import { cloneDatabase, emptyDatabase, inDatabase, openTestServices, type TestDatabase } from '../helpers/database.ts';
import { RATES } from '../helpers/environment.ts';
import { ownerSql } from '../helpers/owner.ts';
import { ownerUrl } from '../helpers/postgres.ts';
import { PATIENCE_MS, until } from '../helpers/until.ts';

function migrationOf(...statements: string[]) {
  return class Migration20990101000000_tried extends Migration {
    override up(): void {
      for (const statement of statements) this.addSql(statement);
    }
  } as MigrationClass;
}
const withMigrations = (list: readonly MigrationClass[]): SchemaProgram => ({ ...PROGRAM, migrations: list });
const withOneMore = (...statements: string[]) => withMigrations([...migrations, migrationOf(...statements)]);

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

/** Facts about the tables. A `demand` is what a later version may ask of new tables alone. */
const CATALOGUE = `
  with tables as (select oid, relname, relfilenode from pg_class
                   where relnamespace = 'public'::regnamespace and relkind in ('r', 'p'))
  select relname || ' has its rows in file ' || relfilenode as fact, false as demand from tables
   union all
  select relname || '.' || attname || ' ' || fact, fact = 'has to be given'
    from tables join pg_attribute on attrelid = tables.oid and attnum > 0 and not attisdropped,
         lateral (values ('is ' || format_type(atttypid, atttypmod), true), ('may be null', not attnotnull),
                         ('has to be given', attnotnull and not atthasdef and attidentity = '')) facts (fact, holds)
   where holds
   union all
  select relname || case when indisvalid then ' has the index ' else ' has a half of the index ' end || indexrelid::regclass, true
    from tables join pg_index on indrelid = tables.oid
   union all
  select relname || ' was looked at row by row for ' || conname, true
    from tables join pg_constraint on conrelid = tables.oid and convalidated and contype in ('c', 'f')`;

/** How a migration would break the version before, which still serves. It may drop what it names in `removes`. */
async function faultsOf(
  client: pg.Client,
  { removes = [], locks }: { removes?: readonly string[]; locks: boolean },
  apply: () => Promise<unknown>,
): Promise<string[]> {
  const catalogue = async () => (await client.query<{ fact: string; demand: boolean }>(CATALOGUE)).rows;
  const before = await catalogue();
  await apply();
  const after = await catalogue();
  const [was, is] = [before, after].map((facts) => new Set(facts.map(({ fact }) => fact)));
  const isOf = (name: string, fact: string) => fact.startsWith(`${name} `) || fact.startsWith(`${name}.`);
  const gone = before.filter(
    ({ fact, demand }) => !demand && !is!.has(fact) && !removes.some((name) => isOf(name, fact)),
  );
  const old = new Set(before.map(({ fact }) => fact.split(/[ .]/, 1)[0]!));
  const demanded = after.filter(
    ({ fact, demand }) =>
      demand && !was!.has(fact) && old.has(fact.split(/[ .]/, 1)[0]!) && (locks || !/ has the index /.test(fact)),
  );
  return [...gone.map(({ fact }) => `no longer: ${fact}`), ...demanded.map(({ fact }) => fact)];
}

describe('migrations after the first release', () => {
  let database: TestDatabase;
  let client: pg.Client;
  beforeAll(async () => {
    database = await cloneDatabase();
    client = await connected(database.ownerUrl);
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  test('can run while the previous version serves: none breaks a rule', async () => {
    const released = migrations.indexOf(BASELINE) + 1;
    await inDatabase(async ({ ownerUrl: url }) => {
      await migrate({ database: { url } }, withMigrations(migrations.slice(0, released)));
      const observer = await connected(url);
      for (const [index, one] of migrations.slice(released).entries()) {
        // The constructor's arguments play no part.
        const locks = new one(...([] as unknown as ConstructorParameters<MigrationClass>)).isTransactional();
        const upToIt = withMigrations(migrations.slice(0, released + index + 1));
        const faults = await faultsOf(observer, { ...one, locks }, () => migrate({ database: { url } }, upToIt));
        expect([one.name, faults]).toEqual([one.name, []]);
      }
      await observer.end();
    }, emptyDatabase);
  });

  const planted = async (statement: string, removes: string[] = []) => {
    await client.query('begin');
    const faults = await faultsOf(client, { removes, locks: true }, () => client.query(statement));
    await client.query('rollback');
    return faults.join('; ');
  };

  test.each([
    ['alter table payments drop column reference', 'no longer: payments.reference is text'],
    ['alter table payments rename column reference to note', 'no longer: payments.reference is text'],
    ['alter table payments rename to bills', 'no longer: payments.reference is text'],
    ['alter table owners alter owner_id type varchar(200)', 'no longer: owners.owner_id is text'],
    ['alter table owners add column w uuid default gen_random_uuid()', 'no longer: owners has its rows in file'],
    ['alter table owners add column region text not null', 'owners.region has to be given'],
    ['alter table payments alter execute_on set not null', 'no longer: payments.execute_on may be null'],
    ['create index tried on payments (reference)', 'payments has the index tried'],
    [`alter table owners add check (owner_id <> '')`, 'owners was looked at row by row for'],
  ])('%s is found', async (statement, fault) => {
    expect(await planted(statement)).toContain(fault);
  });

  test.each([
    ['alter table payments add column channel text'],
    [`alter table owners add column region text not null default 'GB'`],
    ['create table tried (id int primary key); create index on tried (id)'],
    [`alter table owners add constraint tried check (owner_id <> '') not valid`],
    ['alter table payments drop column reference', 'payments.reference'],
  ])('%s is allowed', async (statement, ...removes) => {
    expect(await planted(statement, removes)).toBe('');
  });

  test('an index that is made beside the writers is allowed', async () => {
    const make = () => client.query('create index concurrently tried on payments (reference)');
    expect(await faultsOf(client, { locks: false }, make)).toEqual([]);
  });
});

const BODY = (value: string) =>
  `create or replace function business_today() returns date language sql stable as $$ select ${value} $$;`;
function withFile(name: string, text: string): SchemaProgram {
  return { ...PROGRAM, files: [...PROGRAM.files.filter((file) => file.name !== name), { name, text }] };
}
const CHANGED = withFile('functions/business_today', BODY(`date '2030-01-02'`));

describe('a database', () => {
  let database: TestDatabase;
  let owner: pg.Client;
  let services: Services & { close(): Promise<void> };
  beforeEach(async () => {
    database = await cloneDatabase();
    owner = await connected(database.ownerUrl);
    services = await openTestServices(database.url);
  });
  afterEach(async () => {
    await services.close();
    await owner.end();
    await database.drop();
  });

  const asked = async (text: string) => (await owner.query<Record<string, unknown>>(text)).rows;
  const isMade = async (table: string) => (await asked(`select to_regclass('${table}') is not null as made`))[0]!.made;
  const today = async () => (await asked('select business_today()::text as today'))[0]!.today;
  const canRead = async () =>
    (await asked(`select has_table_privilege('ringfence_service', 'owners', 'SELECT') as reads`))[0]!.reads;
  const urls = () => ({ url: database.url, migrationUrl: database.ownerUrl });
  const apply = (program: SchemaProgram, more: { migrationLockMs?: number; migrationTryS?: number } = {}) =>
    migrate({ database: { ...urls(), ...more }, service: 'ringfence_service' }, program);
  const holding = async (lock: string) => {
    const holder = await connected(database.ownerUrl);
    await holder.query(`begin; ${lock}`);
    return holder;
  };

  test('whose lock a migration never gets does not change: the migration gives up', async () => {
    const holder = await holding('lock table payments in access share mode');
    const tried = withOneMore('create table tried (id int)', 'alter table payments add column channel text');
    await expect(apply(tried, { migrationLockMs: 50, migrationTryS: 1 })).rejects.toThrow('lock timeout');
    await holder.end();
    expect(await isMade('tried')).toBe(false);
  });

  test('that lacks a migration is refused, which says what to do, and then serves the version before too', async () => {
    const next = withOneMore('select 1');
    const refusal = `1 of ${migrations.length + 1} migrations, and 0 of ${PROGRAM.files.length} files of functions and triggers, are missing. Run them first`;
    await expect(requireSchema(services, next)).rejects.toThrow(refusal);
    await apply(next);
    await requireSchema(services, next);
    await requireSchema(services);
  });

  test('gets a changed file of a function and the grants at the next run, and processes of both versions start', async () => {
    await owner.query('revoke select on owners from ringfence_service');
    await expect(requireSchema(services, CHANGED)).rejects.toThrow(`1 of ${PROGRAM.files.length} files`);
    await Promise.all([apply(CHANGED), apply(CHANGED), apply(CHANGED)]);
    expect([await today(), await canRead()]).toEqual(['2030-01-02', true]);
    const applied = `select count(*)::int as times from schema_files where name = 'functions/business_today'`;
    expect(await asked(applied)).toEqual([{ times: 2 }]);
    await requireSchema(services, CHANGED);
    await apply(PROGRAM);
    expect(await today()).not.toBe('2030-01-02');
    await requireSchema(services, CHANGED);
    await owner.query(BODY(`date '2031-03-04'`));
    await apply(PROGRAM);
    // The file has not changed, so it was not applied again.
    expect(await today()).toBe('2031-03-04');
  });

  test('keeps its functions and grants if one file fails', async () => {
    await owner.query('revoke select on owners from ringfence_service');
    const files = () => asked('select name, checksum, applied_at from schema_files order by name, checksum');
    const before = await files();
    const inPlpgsql = 'create function f() returns int language plpgsql as $$ begin retrun 1; end $$';
    for (const text of ['create or replace function', BODY('no_such_column'), inPlpgsql]) {
      const wrong = { ...CHANGED, files: [...CHANGED.files, { name: 'functions/wrong', text }] };
      await expect(apply(wrong)).rejects.toMatchObject({ code: expect.stringMatching(/^42/) as string });
      expect(await files()).toEqual(before);
      expect(await today()).not.toBe('2030-01-02');
      expect(await canRead()).toBe(false);
    }
  });

  test('with a lock on a table gets the trigger of this table when the lock is free', async () => {
    const holder = await holding('lock table vaults in access exclusive mode');
    const text = 'create or replace trigger tried before truncate on vaults execute function refuse_change();';
    const applied = apply(withFile('triggers/tried', text), { migrationLockMs: 50, migrationTryS: 60 });
    await sleep(500);
    const made = () => asked(`select tgname::text from pg_trigger where tgname = 'tried'`);
    expect(await made()).toEqual([]);
    await holder.end();
    await applied;
    expect(await made()).toEqual([{ tgname: 'tried' }]);
  });

  test('with a migration whose text has changed is refused by migrate and by every process', async () => {
    const later = withOneMore('create table made_later (id int primary key)');
    await apply(later);
    expect(await changedMigrations(services.db, later)).toEqual([]);
    const otherwise = { ...withOneMore('create table made_otherwise (id int primary key)'), files: CHANGED.files };
    const refusal =
      /its migration Migration20990101000000_tried differs from this program's\. .* use an empty database/;
    await expect(apply(otherwise)).rejects.toThrow(refusal);
    expect(await isMade('made_otherwise')).toBe(false);
    expect(await today()).not.toBe('2030-01-02');
    await expect(requireSchema(services, otherwise)).rejects.toThrow(refusal);
  });

  test('with another checksum is refused by db:migrate and by the readiness check of a running process', async () => {
    await expect(checkReady(services)).resolves.toEqual({ status: 'ready' });
    await owner.query(`update schema_files set checksum = 'other' where name = '${migrations[0]!.name}'`);
    await expect(checkReady(services)).rejects.toMatchObject({ code: 'dependency-unavailable' });
    const refusal = 'from another state of the program';
    await expect(prepareDatabase({ database: urls(), ...RATES }, 'sandbox')).rejects.toThrow(refusal);
  });

  test('of a state without checksums is refused', async () => {
    await owner.query('drop table schema_files');
    await owner.query(`update mikro_orm_migrations set name = 'Migration20261121000000_tables'`);
    const refusal = 'its migration Migration20261121000000_tables differs';
    await expect(requireSchema(services)).rejects.toThrow(refusal);
    await expect(prepareDatabase({ database: urls(), ...RATES }, 'sandbox')).rejects.toThrow(refusal);
  });
});

describe('while the previous version serves', () => {
  const api = startApi();

  test('a migration that waits for a lock delays no requests, and runs when the lock is free', async () => {
    const url = ownerUrl(api.services.config.database.url);
    const key = await api.apiKey(['write:paycheck', 'read:allocations']);
    let serving = true;
    const statuses = new Set<number>();
    const served = [0, 0, 0, 0];
    const caller = async (who: number) => {
      for (let turn = 0; serving; turn += 1) {
        const obligations = [{ type: 'Rent', amount: 90_000, category: 'FIXED' }];
        const body = { employee_id: `emp-${who}-${turn}`, gross_pay: 200_000, obligations };
        statuses.add((await api.post('/api/v1/engine/paycheck/calculate', { token: key, body })).status);
        served[who]! += 1;
      }
    };
    const eachIsServed = async (what: string) => {
      const before = [...served];
      await until(() => served.every((count, who) => count >= before[who]! + 2), what, PATIENCE_MS, 20);
    };
    const waits = `select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query ilike 'alter table%'`;
    // Other roles than the schema's owner do not see the queries of other sessions.
    const isWaiting = async () => (await ownerSql(api.services, waits)).length > 0;
    const holder = await connected(url);
    // Locks the tables that every calculation writes, as a long report does.
    await holder.query('begin; lock table owners, ledger_entries, audit_events in access share mode');
    const callers = Promise.all(served.map((_, who) => caller(who)));
    const expanding = withOneMore(
      `alter table owners add column region text not null default 'GB'`,
      'alter table ledger_entries add column note text',
      'alter table audit_events add column source text',
    );
    let done = false;
    const database = { url, migrationLockMs: 200, migrationTryS: 60 };
    const migrating = migrate({ database }, expanding).then(() => (done = true));
    for (let times = 0; times < 3; times += 1) {
      await until(isWaiting, 'the migration to wait for its lock', PATIENCE_MS, 20);
      await eachIsServed('everybody to be served between its tries');
    }
    expect(done).toBe(false);
    await holder.end();
    await migrating;
    await eachIsServed('everybody to be served after it');
    serving = false;
    await callers;
    expect([...statuses]).toEqual([201]);
  });
});
