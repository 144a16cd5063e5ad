import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { paymentActivities } from '../../activities/payments/index.ts';
import { ownerUrlOf } from '../../infra/db/migrate.ts';
import { openServices } from '../../infra/services.ts';
import { inOwnProcess } from '../../tools/bench/load.ts';
import type { RouteName } from '../../tools/bench/load-routes.ts';
import { prepare, type RoutesBench } from '../../tools/bench/routes.ts';
import { withStack, type BenchStack } from '../../tools/bench/stack.ts';

const OWNERS = 50;
const COPIES = 99;
const REQUESTS = 200;
const ROUTES: readonly RouteName[] = [
  'auth/me by key',
  'auth/me of a user',
  'token introspection',
  'calculate',
  'allocate',
  'transfer',
  'hot allocate',
  'execute payment',
  'vault store',
  'vault get',
];
/** PostgreSQL reports what an idle connection has read after ten seconds. */
const REPORTED_AFTER_MS = 12_000;
/** An index of a table a hundred times as large is a few pages deeper. A whole read would cost a hundred times. */
const MOST_TIMES = 3;
const MOST_MORE = 5 * REQUESTS * ROUTES.length;

async function useAll({ job }: RoutesBench): Promise<void> {
  for (const route of ROUTES) {
    const { refused } = await inOwnProcess({ ...job(route, 1), requests: REQUESTS });
    expect({ route, refused }).toEqual({ route, refused: 0 });
  }
}

/** The number of pages of each table and of its indexes that all connections have read. */
async function pagesRead(client: pg.Client): Promise<Map<string, number>> {
  await sleep(REPORTED_AFTER_MS);
  const { rows } = await client.query<{ table: string; pages: number }>(`
    select relname as table, (coalesce(heap_blks_read + heap_blks_hit, 0) + coalesce(idx_blks_read + idx_blks_hit, 0))::int as pages
      from pg_statio_user_tables`);
  return new Map(rows.map(({ table, pages }) => [table, pages]));
}

async function pagesFor(client: pg.Client, work: () => Promise<void>): Promise<Map<string, number>> {
  const before = await pagesRead(client);
  await work();
  const after = await pagesRead(client);
  return new Map([...after].map(([table, pages]) => [table, pages - before.get(table)!]));
}

/** Of each unique index, the column to change in a copy: its first text, else its first number. */
const COLUMNS = `
  select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type,
         a.attidentity <> '' or pg_get_expr(d.adbin, d.adrelid) like 'nextval%' as numbered,
         exists (select from pg_index i where i.indrelid = c.oid and i.indisunique and a.attnum = (
           select k.attnum from unnest(i.indkey::int2[]) with ordinality as k (attnum, place)
             join pg_attribute ka on ka.attrelid = c.oid and ka.attnum = k.attnum
            order by format_type(ka.atttypid, null) not in ('text', 'character varying'), k.place limit 1)) as changes
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
   where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
     and c.relname not in ('deployment', 'business_clock', 'schema_files', 'mikro_orm_migrations')
   order by c.relname, a.attnum`;

/** Copies each row of each table, with other keys. */
async function growAll(client: pg.Client): Promise<void> {
  interface Column {
    table: string;
    column: string;
    type: string;
    numbered: boolean | null;
    changes: boolean;
  }
  const { rows } = await client.query<Column>(COLUMNS);
  for (const [table, columns] of Map.groupBy(rows, (row) => row.table)) {
    const copied = columns.filter(({ numbered }) => numbered !== true);
    const values = copied.map(({ column, type, changes }) => {
      if (!changes) return `t."${column}"`;
      return ['text', 'character varying'].includes(type) ? `t."${column}" || '~' || n` : `t."${column}" + n * 10000`;
    });
    const names = copied.map(({ column }) => `"${column}"`);
    await client.query(`alter table "${table}" disable trigger user`);
    await client.query(
      `insert into "${table}" (${names.join()}) select ${values.join()} from "${table}" t, generate_series(1, ${COPIES}) n`,
    );
    await client.query(`alter table "${table}" enable trigger user`);
  }
}

test('requests read about as many pages after every table has grown a hundredfold without new statistics', async () => {
  const options = { temporal: false, environment: 'sandbox', postgres: { autovacuum: 'off' } } as const;
  await withStack(options, async (stack: BenchStack) => {
    const services = await openServices({ ...stack.config, logLevel: 'silent' }, 'test');
    await paymentActivities(services).ensureSandboxPayees();
    await services.close();
    const bench = await prepare(stack, OWNERS);
    const client = new pg.Client({ connectionString: ownerUrlOf(stack.config.database) });
    await client.connect();
    try {
      // With statistics of tiny tables, PostgreSQL would plan to read them whole.
      await client.query('analyze');
      await useAll(bench);
      const small = await pagesFor(client, () => useAll(bench));
      await growAll(client);
      const large = await pagesFor(client, () => useAll(bench));
      const grown = [...large].filter(([table, pages]) => pages > MOST_TIMES * small.get(table)! + MOST_MORE);
      expect(grown.map(([table, pages]) => ({ table, small: small.get(table), large: pages }))).toEqual([]);
      expect(large.get('ledger_accounts')).toBeGreaterThan(REQUESTS);
    } finally {
      await client.end();
    }
  });
});
