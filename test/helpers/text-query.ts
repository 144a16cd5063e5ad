import type { Query } from '../../infra/db/query.ts';

/** A test's query: a text with its values by position. */
export function textQuery<Row = Record<string, never>>(
  name: string,
  text: string,
): (...values: unknown[]) => Query<Row> {
  return (...values) => ({ name, preparedAs: name, text, values });
}
