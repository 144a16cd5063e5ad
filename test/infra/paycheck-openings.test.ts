import pg from 'pg';
import { ROWS, TABLES } from '../../tools/bench/grow.ts';
import { BY_INDEX } from '../../infra/db/orm.ts';
import { cloneDatabase, type TestDatabase } from '../helpers/database.ts';

const FEW_OWNERS = 200;
const MANY_OWNERS = 20_000;
/** As many owners as a batch has. */
const OPENED_AT_ONCE = 16;
/** PostgreSQL keeps a function's plans after five calls. */
const CALLS = 10;
/** Twice what the indexes need. Reading all allocations for each owner of a batch takes twenty thousand. */
const MOST_PAGES = 1_500;

/** `ROWS` numbers an owner's calculation and allocations one after the other. */
const PAID_INTO_ALLOCATIONS = `
  update calculations set obligations = (
    select jsonb_agg(jsonb_build_object('allocation_id', 'alloc_grown_' || split_part(calculation_id, '_', 3)::int - 1 + t))
      from generate_series(2, 5) as t)
   where obligations = '[]'`;

const each = (value: string) => `array_fill(${value}, array[${OPENED_AT_ONCE}])`;

const opened = (wage: string) => `
  select opened.revision, jsonb_array_length(opened.booked -> 'obligations') as obligations, opened.has_earned
    from (select array_agg('grown-' || o) as owners, array_agg(o) as places
            from generate_series(1, ${OPENED_AT_ONCE}) as o) asked,
         lateral paychecks_open(true, owners, ${each('now()')}, ${each("'1990-01-01'::date")},
           ${each('null::text')}, ${each(wage)}, places, ${each("'SAVINGS'::text")}, ${each("'grown'::text")}) opened`;
const OPENINGS = [opened('null::text'), opened("'wage_other'::text")];

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await cloneDatabase();
  client = new pg.Client({ connectionString: database.ownerUrl, options: BY_INDEX });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

async function addOwners(first: number, last: number): Promise<void> {
  for (const table of TABLES.toReversed()) await client.query(ROWS[table], [first, last]);
  await client.query(PAID_INTO_ALLOCATIONS);
}

test("opening a paycheck again reads only its owner's rows, even if the tables grew since they were analysed", async () => {
  for (const table of TABLES) {
    await client.query(`alter table ${table} disable trigger user, set (autovacuum_enabled = false)`);
  }
  await addOwners(1, FEW_OWNERS);
  await client.query('analyze');
  for (let call = 0; call < CALLS * OPENINGS.length; call += 1) {
    const { rows } = await client.query(OPENINGS[call % OPENINGS.length]!);
    expect(rows).toEqual(Array(OPENED_AT_ONCE).fill({ revision: 1, obligations: 4, has_earned: false }));
  }
  await addOwners(FEW_OWNERS + 1, MANY_OWNERS);
  for (const opening of OPENINGS) {
    const { rows } = await client.query(`explain (analyze, buffers, format json) ${opening}`);
    const { Plan: plan } = rows[0]['QUERY PLAN'][0] as { Plan: Record<string, number> };
    expect(plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!).toBeLessThan(MOST_PAGES);
  }
});
