import pg from 'pg';
import { ownerUrlOf } from '../../infra/db/migrate.ts';
import { ROWS, TABLES } from '../bench/grow.ts';
import { inOwnProcess } from '../bench/load.ts';
import type { RouteName } from '../bench/load-routes.ts';
import { prepare, type RoutesBench } from '../bench/routes.ts';
import { withStack, type BenchStack } from '../bench/stack.ts';
import { until } from '../helpers/until.ts';

/* The database grows from 20 owners to 100,000 after its connections have planned their queries. */

const OWNERS = 20;
const MORE_OWNERS = 100_000;
const GROWN: readonly string[] = [...TABLES, 'vault_records'];
const ROUTES: readonly RouteName[] = [
  'auth/me by key',
  'auth/me of a user',
  'token introspection',
  'calculate',
  'allocate',
  'transfer',
  'hot allocate',
  'vault store',
  'vault get',
];

const MORE_RECORDS = `
  insert into vault_records (vault_ref, pii_type, owner_id, sealed, key_version, created_at)
  select 'pii_user_phone_grown-' || i, 'user_phone', 'grown-' || i, 'sealed', 1, now() from generate_series(1, $1::int) as i`;

async function useAll({ job }: RoutesBench): Promise<void> {
  for (const route of ROUTES) {
    const { refused } = await inOwnProcess(job(route, 1));
    expect({ route, refused }).toEqual({ route, refused: 0 });
  }
}

async function grow(client: pg.Client): Promise<void> {
  for (const table of GROWN) await client.query(`alter table ${table} disable trigger user`);
  for (const table of [...TABLES].toReversed()) await client.query(ROWS[table], [1, MORE_OWNERS]);
  await client.query(MORE_RECORDS, [3 * MORE_OWNERS]);
  for (const table of GROWN) await client.query(`alter table ${table} enable trigger user`);
}

async function analysed(client: pg.Client, since: Date): Promise<void> {
  await until(async () => {
    const { rows } = await client.query<{ table: string }>(
      `select relname as table from pg_stat_user_tables where relname = any($1) and (last_autoanalyze is null or last_autoanalyze < $2)`,
      [GROWN, since],
    );
    return rows.length === 0;
  }, 'autovacuum to analyse what grew');
}

async function wholeReads(client: pg.Client): Promise<Map<string, number>> {
  const { rows } = await client.query<{ table: string; reads: number }>(
    'select relname as table, seq_scan::int as reads from pg_stat_user_tables where relname = any($1)',
    [GROWN],
  );
  return new Map(rows.map(({ table, reads }) => [table, reads]));
}

test('connections that planned queries for 20 owners make no sequential scans with 100,000', async () => {
  const postgres = { autovacuum_naptime: '1s' };
  await withStack({ temporal: false, postgres }, async (stack: BenchStack) => {
    const bench = await prepare(stack, OWNERS);
    await useAll(bench);
    const client = new pg.Client({ connectionString: ownerUrlOf(stack.config.database) });
    await client.connect();
    try {
      const since = new Date();
      await grow(client);
      await analysed(client, since);
      const before = await wholeReads(client);
      await useAll(bench);
      // PostgreSQL reports a connection's last statistics when the connection closes.
      await stack.parts.get('api')!.stop();
      const after = await wholeReads(client);
      const read = [...after].filter(([table, reads]) => reads > before.get(table)!);
      expect(read).toEqual([]);
    } finally {
      await client.end();
    }
  });
});
