import type { Query } from '../../infra/db/query.ts';

/** Makes a query from SQL with positional parameters. */
export function textQuery<Row = Record<string, never>>(
  name: string,
  text: string,
): (...values: unknown[]) => Query<Row> {
  return (...values) => ({ name, preparedAs: name, text, values });
}
