import { randomBytes } from 'node:crypto';
import { Migration } from '@mikro-orm/migrations';
import pg from 'pg';
import { migrate } from '../../infra/db/migrate.ts';
import { BASELINE, migrations, type MigrationClass } from '../../infra/db/migrations/index.ts';
import { PROGRAM } from '../../infra/db/schema-program.ts';
import { requireSchema } from '../../infra/db/schema-version.ts';
import { startApi } from '../helpers/api.ts';
import { cloneDatabase, openTestServices } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { faultsOf } from '../helpers/migration-rules.ts';
import { ownerSql } from '../helpers/owner.ts';
import { administer, dropDatabase, ownerUrl, urlOf } from '../helpers/postgres.ts';
import { PATIENCE_MS, until } from '../helpers/until.ts';

function migrationOf(statements: readonly string[], more: { removes?: readonly string[]; outside?: boolean } = {}) {
  class Migration20990101000000_tried extends Migration {
    static readonly removes = more.removes ?? [];
    override up(): void {
      for (const statement of statements) this.addSql(statement);
    }
    override isTransactional(): boolean {
      return more.outside !== true;
    }
  }
  return Migration20990101000000_tried as MigrationClass;
}

const withMigrations = (list: readonly MigrationClass[]) => ({ ...PROGRAM, migrations: list });
const withOneMore = (one: MigrationClass) => withMigrations([...migrations, one]);

async function holding(url: string, statement: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('begin');
  await client.query(statement);
  return async () => {
    await client.query('rollback');
    await client.end();
  };
}

async function inEmptyDatabase<T>(work: (url: string) => Promise<T>): Promise<T> {
  const { databaseUrl } = testEnvironment();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(databaseUrl, `create database ${name}`);
  try {
    return await work(urlOf(databaseUrl, name));
  } finally {
    await dropDatabase(databaseUrl, name);
  }
}

async function inMigrated<T>(work: (url: string) => Promise<T>): Promise<T> {
  const database = await cloneDatabase();
  try {
    return await work(database.ownerUrl);
  } finally {
    await database.drop();
  }
}

describe('migrations after the first release', () => {
  test('can run while the previous version serves: none breaks a rule', async () => {
    const released = migrations.indexOf(BASELINE) + 1;
    expect(released).toBeGreaterThan(0);
    await inEmptyDatabase(async (url) => {
      await migrate({ database: { url } }, withMigrations(migrations.slice(0, released)));
      for (let place = released; place < migrations.length; place += 1) {
        const one = migrations[place]!;
        expect([one.name, await faultsOf(url, migrations.slice(0, place), one)]).toEqual([one.name, []]);
      }
    });
  });

  test.each([
    ['a column that is gone', ['alter table payments drop column reference'], 'payments.reference is gone'],
    ['a column with another name', ['alter table payments rename column reference to note'], 'reference is gone'],
    ['a table with another name', ['alter table payments rename to bills'], 'payments is gone or has another name'],
    ['another type', ['alter table owners alter owner_id type varchar(200)'], 'owners.owner_id was text and is'],
    ['rows written anew', ['alter table owners add column w uuid default gen_random_uuid()'], 'owners is written anew'],
    ['what has to be given', ['alter table owners add column region text not null'], 'region has to be given'],
    ['null no longer', ['alter table payments alter execute_on set not null'], 'execute_on may no longer be null'],
    ['an index under lock', ['create index tried on payments (reference)'], 'nobody writes to payments meanwhile'],
    ['a check of all rows', [`alter table owners add check (owner_id <> '')`], 'looks at every row of owners'],
  ])('%s is found', async (_what, statements, fault) => {
    await inMigrated(async (url) => {
      expect((await faultsOf(url, migrations, migrationOf(statements))).join('; ')).toContain(fault);
    });
  });

  test.each<[string, readonly string[], { removes?: readonly string[]; outside?: boolean }]>([
    ['a column that may be absent', ['alter table payments add column channel text'], {}],
    ['one with a constant default', [`alter table owners add column region text not null default 'GB'`], {}],
    ['a new table with its indexes', ['create table tried (id int primary key)', 'create index on tried (id)'], {}],
    [
      'an index made beside the writers',
      ['create index concurrently tried on payments (reference)'],
      { outside: true },
    ],
    ['a check for new rows', [`alter table owners add constraint tried check (owner_id <> '') not valid`], {}],
    ['a column that nobody uses', ['alter table payments drop column reference'], { removes: ['payments.reference'] }],
  ])('%s is allowed', async (_what, statements, more) => {
    await inMigrated(async (url) => {
      expect(await faultsOf(url, migrations, migrationOf(statements, more))).toEqual([]);
    });
  });
});

describe('a migration', () => {
  test('started by two processes at once runs once', async () => {
    await inEmptyDatabase(async (url) => {
      const config = { database: { url } };
      await Promise.all([migrate(config), migrate(config), migrate(config)]);
      const services = await openTestServices(url);
      await requireSchema(services);
      await services.close();
    });
  });

  test('that never gets its lock gives up, and changes nothing', async () => {
    await inMigrated(async (url) => {
      const letGo = await holding(url, 'lock table payments in access share mode');
      const tried = migrationOf(['create table tried (id int)', 'alter table payments add column channel text']);
      const database = { url, migrationLockMs: 50, migrationTryS: 1 };
      await expect(migrate({ database }, withOneMore(tried))).rejects.toThrow('lock timeout');
      await letGo();
      expect(await faultsOf(url, migrations, migrationOf(['create table tried (id int)']))).toEqual([]);
    });
  });

  test('that is missing prevents a process from starting, which says what to do', async () => {
    await inEmptyDatabase(async (url) => {
      const services = await openTestServices(url);
      try {
        await expect(requireSchema(services)).rejects.toThrow('Run them first (npm run db:migrate');
        await migrate({ database: { url } });
        const next = withOneMore(migrationOf(['select 1']));
        await expect(requireSchema(services, next)).rejects.toThrow(`1 of ${migrations.length + 1} migrations`);
        await migrate({ database: { url } }, next);
        await requireSchema(services, next);
        // The previous version still starts.
        await requireSchema(services);
      } finally {
        await services.close();
      }
    });
  });
});

describe('while the previous version serves', () => {
  const api = startApi();

  test('a migration that waits for a lock delays no requests, and runs when the lock is free', async () => {
    const url = ownerUrl(api.services.config.database.url);
    const key = await api.apiKey(['write:paycheck', 'read:allocations']);
    let serving = true;
    const statuses = new Map<number, number>();
    const served = [0, 0, 0, 0];
    const caller = async (who: number) => {
      for (let turn = 0; serving; turn += 1) {
        const body = {
          employee_id: `emp-${who}-${turn}`,
          gross_pay: 200_000,
          obligations: [{ type: 'Rent', amount: 90_000, category: 'FIXED' }],
        };
        const { status } = await api.post('/api/v1/engine/paycheck/calculate', { token: key, body });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
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
    // Locks the tables that every calculation writes, as a long report does.
    const letGo = await holding(url, 'lock table owners, ledger_entries, audit_events in access share mode');
    const callers = Promise.all(served.map((_, who) => caller(who)));
    const expanding = migrationOf([
      `alter table owners add column region text not null default 'GB'`,
      'alter table ledger_entries add column note text',
      'alter table audit_events add column source text',
    ]);
    let done = false;
    const database = { url, migrationLockMs: 200, migrationTryS: 60 };
    const migrating = migrate({ database }, withOneMore(expanding)).then(() => (done = true));
    for (let times = 0; times < 3; times += 1) {
      await until(isWaiting, 'the migration to wait for its lock', PATIENCE_MS, 20);
      await eachIsServed('everybody to be served between its tries');
    }
    expect(done).toBe(false);
    await letGo();
    await migrating;
    await eachIsServed('everybody to be served after it');
    serving = false;
    await callers;
    expect([...statuses.keys()]).toEqual([201]);
  });
});
