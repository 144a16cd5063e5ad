import { sql, type RawBuilder } from 'kysely';

/** Turns rows into one typed PostgreSQL array per column, which `unnest` and the schema's SQL functions take. */
export function listsOf<Row>(
  rows: readonly Row[],
  types: Readonly<Partial<Record<keyof Row & string, string>>>,
): RawBuilder<unknown> {
  const columns = Object.entries(types) as [keyof Row & string, string][];
  return sql.join(columns.map(([column, type]) => sql`${rows.map((row) => row[column])}::${sql.raw(type)}[]`));
}

/** Turns rows into a relation with the given name and columns. Its column `place` numbers the rows from 1. */
export function relationOf<Row>(
  name: string,
  rows: readonly Row[],
  types: Readonly<Partial<Record<keyof Row & string, string>>>,
): RawBuilder<unknown> {
  const columns = sql.join([...Object.keys(types), 'place'].map((column) => sql.ref(column)));
  return sql`unnest(${listsOf(rows, types)}) with ordinality as ${sql.ref(name)} (${columns})`;
}

/** Converts a value to `jsonb`. pg itself would send an array as a PostgreSQL array. */
export function json(value: unknown): RawBuilder<unknown> {
  return sql`${value === null ? null : JSON.stringify(value)}::jsonb`;
}
