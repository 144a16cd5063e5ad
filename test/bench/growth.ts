import pg from 'pg';
import { inOwnProcess } from './load.ts';
import type { RouteName } from './load-routes.ts';
import { progress, type Part, type Row } from './report.ts';
import { accepted, prepare, type Measured, type RoutesBench } from './routes.ts';
import { startStack } from './stack.ts';
import { median } from './statistics.ts';

export interface GrowthOptions {
  /** How many ledger entries there are to be, ten to each owner. */
  entries: number;
}

const MEASURED: readonly RouteName[] = [
  'auth/me by key',
  'auth/me of a user',
  'calculate',
  'allocate',
  'transfer',
  'vault store',
  'vault get',
];
const ROUNDS = 5;
const SECONDS = 3;
const WARM_UP_SECONDS = 2;
const ENTRIES_OF_AN_OWNER = 10;
const OWNERS_AT_ONCE = 50_000;
const LEAST_RATIO = 0.9;

/** The routes on a database with a thousand owners, and on the same one after it has grown. */
export async function benchGrowth({ entries }: GrowthOptions): Promise<Part> {
  const owners = Math.ceil(entries / ENTRIES_OF_AN_OWNER);
  const stack = await startStack({ temporal: false });
  try {
    const bench = await prepare(stack);
    const before = await measure(bench);
    await grow(stack.config.database.url, owners);
    const after = await measure(bench);
    return {
      name: 'growth',
      setting: `16 connections, median of ${ROUNDS} rounds of ${SECONDS} s in turns; before and after ${owners} owners with ${ENTRIES_OF_AN_OWNER} ledger entries each were added.`,
      rows: MEASURED.flatMap((route) => rowsOf(route, before, after)),
    };
  } finally {
    await stack.stop();
  }
}

function rowsOf(route: RouteName, before: Loads, after: Loads): Row[] {
  const of = (loads: Loads, figure: keyof Measured) => median(loads.get(route)!.map((load) => load[figure]));
  const figures = (loads: Loads) => ({
    perSecond: of(loads, 'perSecond'),
    p50Ms: of(loads, 'p50Ms'),
    p95Ms: of(loads, 'p95Ms'),
    p99Ms: of(loads, 'p99Ms'),
    value: `${of(loads, 'cpuMs').toFixed(2)} ms CPU, ${of(loads, 'memoryMb').toFixed(0)} MB`,
  });
  const ratio = of(after, 'perSecond') / of(before, 'perSecond');
  const what = `${route}, grown`;
  const target = `>= ${LEAST_RATIO.toFixed(2)}`;
  return [
    { what: route, ...figures(before) },
    { what, ...figures(after), ratio, against: 'the same before', target, met: ratio >= LEAST_RATIO },
  ];
}

type Loads = ReadonlyMap<RouteName, readonly Measured[]>;

async function measure(bench: RoutesBench): Promise<Loads> {
  for (const route of MEASURED) await inOwnProcess(bench.job(route, WARM_UP_SECONDS));
  const loads = new Map(MEASURED.map((route) => [route, [] as Measured[]]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const route of MEASURED) loads.get(route)!.push(await accepted(bench, bench.job(route, SECONDS)));
  }
  return loads;
}

const MOVED = ['ledger_entries', 'ledger_accounts', 'ledger_transfers', 'allocations', 'vaults', 'owners'];

/**
 * Adds owners with a wage and four allocations each, as the ledger would have them, without asking the ledger: balances, entries
 * and lots agree, and the verification of the ledger finds nothing.
 */
async function grow(connectionString: string, owners: number): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query('set synchronous_commit = off');
    for (const table of MOVED) await client.query(`alter table ${table} disable trigger user`);
    for (let first = 1; first <= owners; first += OWNERS_AT_ONCE) {
      const last = Math.min(owners, first + OWNERS_AT_ONCE - 1);
      for (const statement of OWNERS) await client.query(statement, [first, last]);
      progress(`${last} of ${owners} owners ...`);
    }
    await client.query(
      `select setval(pg_get_serial_sequence('ledger_accounts', 'account_id'), (select max(account_id) from ledger_accounts))`,
    );
    for (const table of MOVED) await client.query(`alter table ${table} enable trigger user`);
    for (const table of MOVED) await client.query(`vacuum analyze ${table}`);
  } finally {
    await client.end();
  }
}

const NAMES = `select 'grown-' || o as owner, 'vlt_01900000-' || lpad(to_hex(o), 23, '0') as vault, 1000000000::bigint + 3 * o as account, o
    from generate_series($1::bigint, $2::bigint) as o`;

/** $1 to $2 are numbers of owners. A wage of £10,000 in transfer 1, £1,000 into a vault in each of transfers 2 to 5. */
const OWNERS = [
  `insert into owners (owner_id, created_at) select owner, now() from (${NAMES}) n`,
  `insert into vaults (vault_id, owner_id, vault_type, label, created_at)
   select vault, owner, 'SAVINGS', 'grown', now() from (${NAMES}) n`,
  `insert into ledger_accounts (account_id, owner_id, kind, vault_id, balance)
   select account + place, owner, kind, case kind when 'vault' then vault else '' end, balance
     from (${NAMES}) n,
          (values (0, 'employer', -1000000), (1, 'safe_to_spend', 600000), (2, 'vault', 400000)) as held (place, kind, balance)`,
  `insert into allocations (allocation_id, owner_id, vault_id, source, amount, available, created_at)
   select 'alloc_' || uuidv7(), owner, vault, 'allocation', 100000, 100000, now() from (${NAMES}) n, generate_series(1, 4)`,
  `insert into ledger_transfers (transfer_id, owner_id, kind, subject_id, created_at)
   select 'mov_01900000-' || lpad(to_hex(o * 8 + t), 23, '0'), owner, case t when 1 then 'paycheck' else 'allocation' end,
          'grown_' || o * 8 + t, now()
     from (${NAMES}) n, generate_series(1, 5) as t`,
  `insert into ledger_entries (entry_id, transfer_id, account_id, owner_id, kind, vault_id, amount, balance_after, created_at)
   select 'ent_' || uuidv7(), 'mov_01900000-' || lpad(to_hex(o * 8 + t), 23, '0'), account + leg.place, owner, 'allocation',
          case leg.place when 2 then vault else '' end, leg.amount, leg.after, now()
     from (${NAMES}) n, generate_series(1, 5) as t,
          lateral (select * from (values (1, 0, -1000000, -1000000), (1, 1, 1000000, 1000000),
                     (2, 1, -100000, 1000000 - 100000 * (t - 1)), (2, 2, 100000, 100000 * (t - 1))) as l (kind, place, amount, after)
                    where l.kind = least(t, 2)) as leg
    order by o, t, leg.place`,
];
