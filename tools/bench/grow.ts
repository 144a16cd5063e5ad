import pg from 'pg';
import { progress } from './report.ts';

const OWNERS_AT_ONCE = 50_000;
/** The largest first, so that two connections that take tables in turn finish at about the same time. */
export const TABLES = [
  'ledger_entries',
  'ledger_transfers',
  'allocations',
  'ledger_accounts',
  'calculations',
  'vaults',
  'owners',
] as const;
type Table = (typeof TABLES)[number];
const FILLING = 2;

/** Adds owners by bulk insert, without the ledger's functions. `ledger verify` finds no fault in the result. */
export async function grow(connectionString: string, owners: number): Promise<void> {
  const clients = Array.from({ length: FILLING }, () => new pg.Client({ connectionString }));
  const [client] = clients as [pg.Client];
  await Promise.all(clients.map((each) => each.connect()));
  try {
    for (const each of clients)
      await each.query(`set synchronous_commit = off; set maintenance_work_mem = '512MB'; set work_mem = '128MB'`);
    const references = await dropped(client, FOREIGN_KEYS, TABLES);
    const left = [...TABLES];
    const fillNext = async (by: pg.Client) => {
      for (let table = left.shift(); table !== undefined; table = left.shift()) await fill(by, table, owners);
    };
    await Promise.all(clients.map(fillNext));
    for (const { made } of references) await client.query(made);
    await client.query(
      `select setval(pg_get_serial_sequence('ledger_accounts', 'account_id'), (select max(account_id) from ledger_accounts))`,
    );
    // Copying a database as files begins with a checkpoint, which writes these changes to disk before the measurements.
    await client.query('create database settled strategy file_copy');
    await client.query('drop database settled');
  } finally {
    await Promise.all(clients.map((each) => each.end()));
  }
}

async function fill(client: pg.Client, table: Table, owners: number): Promise<void> {
  await client.query(`alter table ${table} disable trigger user`);
  const indexes = [...(await dropped(client, KEYS, [table])), ...(await dropped(client, INDEXES, [table]))];
  for (let first = 1; first <= owners; first += OWNERS_AT_ONCE) {
    await client.query(ROWS[table], [first, Math.min(owners, first + OWNERS_AT_ONCE - 1)]);
  }
  progress(`${table} is filled`);
  for (const { made } of indexes) await client.query(made);
  await client.query(`alter table ${table} enable trigger user`);
  await client.query(`vacuum analyze ${table}`);
  progress(`${table} has its ${indexes.length} indexes`);
}

/** @returns the definitions of what was dropped */
async function dropped(client: pg.Client, kind: string, tables: readonly Table[]): Promise<{ made: string }[]> {
  const { rows } = await client.query<{ made: string; gone: string }>(kind, [tables]);
  for (const { gone } of rows) await client.query(gone);
  return rows;
}

const CONSTRAINTS = `
  select format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as made,
         format('alter table %s drop constraint %I', conrelid::regclass, conname) as gone
    from pg_constraint`;
const FOREIGN_KEYS = `${CONSTRAINTS} where contype = 'f' and confrelid = any($1::text[]::regclass[])`;
const KEYS = `${CONSTRAINTS} where contype in ('p', 'u', 'x') and conrelid = any($1::text[]::regclass[])`;
/** Drop the key constraints first, because each one has its own index. */
const INDEXES = `
  select pg_get_indexdef(indexrelid) as made, format('drop index %s', indexrelid::regclass) as gone
    from pg_index where indrelid = any($1::text[]::regclass[])`;

const NAMES = `select 'grown-' || o as owner, 'vlt_01900000-' || lpad(to_hex(o), 23, '0') as vault, 1000000000::bigint + 3 * o as account, o
    from generate_series($1::bigint, $2::bigint) as o`;

/** Owners have the numbers $1 to $2. Transfer 1 is a wage of £10,000; transfers 2 to 5 move £1,000 each to a vault. */
export const ROWS: Readonly<Record<Table, string>> = {
  owners: `insert into owners (owner_id, created_at) select owner, now() from (${NAMES}) n`,
  vaults: `insert into vaults (vault_id, owner_id, vault_type, label, created_at)
   select vault, owner, 'SAVINGS', 'grown', now() from (${NAMES}) n`,
  ledger_accounts: `insert into ledger_accounts (account_id, owner_id, kind, vault_id, balance)
   select account + place, owner, kind, case kind when 'vault' then vault else '' end, balance
     from (${NAMES}) n,
          (values (0, 'employer', -1000000), (1, 'safe_to_spend', 600000), (2, 'vault', 400000)) as held (place, kind, balance)`,
  allocations: `insert into allocations (allocation_id, owner_id, vault_id, source, amount, available, created_at)
   select 'alloc_grown_' || o * 8 + t, owner, vault, 'allocation', 100000, 100000, now() from (${NAMES}) n, generate_series(2, 5) as t`,
  calculations: `insert into calculations (calculation_id, owner_id, pay_date, revision, gross_income, locked_for_bills, locked_buffer,
     safe_to_spend, buffer_rate, obligations, calculated_at)
   select 'calc_grown_' || o * 8 + 1, owner, '1990-01-01', 1, 1000000, 0, 0, 1000000, '0', '[]', now() from (${NAMES}) n`,
  ledger_transfers: `insert into ledger_transfers (transfer_id, owner_id, kind, subject_id, created_at)
   select 'mov_01900000-' || lpad(to_hex(o * 8 + t), 23, '0'), owner, case t when 1 then 'paycheck' else 'allocation' end,
          case t when 1 then 'calc_grown_' else 'alloc_grown_' end || o * 8 + t, now()
     from (${NAMES}) n, generate_series(1, 5) as t`,
  ledger_entries: `insert into ledger_entries (entry_id, transfer_id, account_id, owner_id, kind, vault_id, amount, balance_after, created_at)
   select 'ent_' || uuidv7(), 'mov_01900000-' || lpad(to_hex(o * 8 + t), 23, '0'), account + leg.place, owner, 'allocation',
          case leg.place when 2 then vault else '' end, leg.amount, leg.after, now()
     from (${NAMES}) n, generate_series(1, 5) as t,
          lateral (select * from (values (1, 0, -1000000, -1000000), (1, 1, 1000000, 1000000),
                     (2, 1, -100000, 1000000 - 100000 * (t - 1)), (2, 2, 100000, 100000 * (t - 1))) as l (kind, place, amount, after)
                    where l.kind = least(t, 2)) as leg
    order by o, t, leg.place`,
};
