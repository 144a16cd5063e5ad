import { sql } from 'kysely';
import { listsOf } from '../lists.ts';
import { query } from '../query.ts';
import type { Row, Table } from '../tables.ts';
import type { PageWanted, VersionCount } from './vault-keys.ts';

const OF_KEYS = [
  ...(['key_id', 'secret_hash', 'app_id', 'lineage', 'scopes', 'income_per_owner', 'income_per_month'] as const),
  ...(['per_minute', 'environment', 'created_at', 'expires_at', 'mac', 'mac_version'] as const),
];
const OF_INCOMES = [
  ...(['calculation_id', 'owner_id', 'pay_date', 'number', 'revision', 'gross_income', 'income_evidence'] as const),
  ...(['calculated_by', 'mac', 'mac_version'] as const),
];

const OF_PAYEES = [
  ...(['provider_id', 'held_by', 'bank_ref', 'account_fingerprint', 'vouched_by', 'own_account_of'] as const),
  ...(['mac', 'mac_version'] as const),
];

const OF_OUTCOMES = ['outcome_id', 'payment_id', 'sends', 'outcome', 'mac', 'mac_version'] as const;

export type MacedOutcome = Pick<Row<'payment_outcomes'>, (typeof OF_OUTCOMES)[number]>;
export type MacedPayee = Pick<Row<'payees'>, (typeof OF_PAYEES)[number]>;
/** The columns of the payee `r`. */
export const MACED_PAYEE = sql.join(OF_PAYEES.map((column) => sql.ref(`r.${column}`)));

export type MacedKey = Pick<Row<'api_keys'>, (typeof OF_KEYS)[number]>;
/** The MAC is null unless the income is asserted. */
export type MacedIncome = Pick<Row<'calculations'>, (typeof OF_INCOMES)[number]>;

/** As JSON. */
export type AssertedRow = MacedIncome & { mac: string; mac_version: number };

export const MACED_TABLES = {
  api_keys: macedTable('api_keys', 'key_id', OF_KEYS),
  calculations: macedTable('calculations', 'calculation_id', OF_INCOMES),
  payees: macedTable('payees', 'provider_id', OF_PAYEES),
  payment_outcomes: macedTable('payment_outcomes', 'outcome_id', OF_OUTCOMES),
} as const;

export const pageOfKeys = MACED_TABLES.api_keys.page;
/** All calculations, also those without a MAC. */
export const pageOfIncomes = MACED_TABLES.calculations.page;

export type MacedTableName = keyof typeof MACED_TABLES;

/** `stale` is the MAC that was checked. */
export interface Remaced {
  id: string;
  stale: string;
  mac: string;
  mac_version: number;
}

/** `version` is that of the secret. Rows without a MAC count nowhere. */
function macedTable<T extends Table, Column extends keyof Row<T> & string>(
  table: T,
  id: Column,
  columns: readonly Column[],
) {
  const [from, key] = [sql.table(table), sql.ref(id)];
  const read = sql.join(columns.map((column) => sql.ref(column)));
  return {
    columns,
    page: query(
      `macs.page.${table}`,
      (after: string, most: number) => sql<Pick<Row<T>, Column>>`
        select ${read} from ${from} where ${key} > ${after} order by ${key} limit ${most}`,
    ),
    pageOlder: query(
      `macs.pageOlder.${table}`,
      (wanted: PageWanted) => sql<Pick<Row<T>, Column>>`
        select ${read} from ${from}
         where mac_version < ${wanted.olderThan} and (mac_version, ${key}) > (${wanted.version}, ${wanted.id})
         order by mac_version, ${key} limit ${wanted.most}`,
    ),
    /** Skips rows that changed after the page was read. */
    replace: query(
      `macs.replace.${table}`,
      (fresh: readonly Remaced[]) => sql`
        update ${from} r set mac = fresh.mac, mac_version = fresh.mac_version
          from unnest(${listsOf(fresh, { id: 'text', stale: 'text', mac: 'text', mac_version: 'int' })})
            as fresh (id, stale, mac, mac_version)
         where ${sql.ref(`r.${id}`)} = fresh.id and r.mac = fresh.stale`,
    ),
    countOlder: query(
      `macs.countOlder.${table}`,
      (version: number) => sql<{ count: number }>`select count(*) as count from ${from} where mac_version < ${version}`,
    ),
    countEach: query(
      `macs.countEach.${table}`,
      () => sql<VersionCount>`
        select mac_version as version, count(*) as count from ${from} where mac_version is not null group by 1`,
    ),
  };
}
