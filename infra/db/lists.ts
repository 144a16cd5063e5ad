import { sql, type RawBuilder } from 'kysely';

/** One typed PostgreSQL array per column, for `unnest` or the schema's SQL functions. */
export function listsOf<Row>(
  rows: readonly Row[],
  types: Readonly<Partial<Record<keyof Row & string, string>>>,
): RawBuilder<unknown> {
  const columns = Object.entries(types) as [keyof Row & string, string][];
  return sql.join(columns.map(([column, type]) => sql`${rows.map((row) => row[column])}::${sql.raw(type)}[]`));
}

/** Turns rows into a relation whose column `ordinal` numbers the rows from 1. */
export function relationOf<Row>(
  name: string,
  rows: readonly Row[],
  types: Readonly<Partial<Record<keyof Row & string, string>>>,
): RawBuilder<unknown> {
  const columns = sql.join([...Object.keys(types), 'ordinal'].map((column) => sql.ref(column)));
  return sql`unnest(${listsOf(rows, types)}) with ordinality as ${sql.ref(name)} (${columns})`;
}

/** pg itself would send a JavaScript array as a PostgreSQL array, not as JSON. */
export function json(value: unknown): RawBuilder<unknown> {
  return sql`${value === null ? null : JSON.stringify(value)}::jsonb`;
}
