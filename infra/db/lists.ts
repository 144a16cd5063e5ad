import { sql, type RawBuilder } from 'kysely';

/**
 * One list for each of these columns of the rows, with its PostgreSQL type, as `unnest` and our functions take them.
 */
export function listsOf<Row>(
  rows: readonly Row[],
  types: Readonly<Partial<Record<keyof Row & string, string>>>,
): RawBuilder<unknown> {
  const columns = Object.entries(types) as [keyof Row & string, string][];
  return sql.join(columns.map(([column, type]) => sql`${rows.map((row) => row[column])}::${sql.raw(type)}[]`));
}

/** Rows as a relation with this name and these columns, in order; `place` counts them from 1. */
export function relationOf<Row>(
  name: string,
  rows: readonly Row[],
  types: Readonly<Partial<Record<keyof Row & string, string>>>,
): RawBuilder<unknown> {
  const columns = sql.join([...Object.keys(types), 'place'].map((column) => sql.ref(column)));
  return sql`unnest(${listsOf(rows, types)}) with ordinality as ${sql.ref(name)} (${columns})`;
}

/** A value as `jsonb`: pg would write an array as a PostgreSQL array. */
export function json(value: unknown): RawBuilder<unknown> {
  return sql`${value === null ? null : JSON.stringify(value)}::jsonb`;
}
