import type { Query } from '../../infra/db/query.ts';

export function textQuery<Row = Record<string, never>>(
  name: string,
  text: string,
): (...values: unknown[]) => Query<Row> {
  return (...values) => ({ name, preparedAs: name, text, values });
}
