import type { Query } from './query.ts';

/** To be replaced by query.ts: a text with its values by position. */
export interface TextQuery<Row = unknown> {
  readonly name: string;
  readonly text: string;
  readonly __row?: Row;
}

export function query<Row = Record<string, never>>(name: string, text: string): TextQuery<Row> {
  return { name, text };
}

export function withValues<Row>(asked: TextQuery<Row>, values: readonly unknown[] = []): Query<Row> {
  return 'values' in asked ? (asked as Query<Row>) : { preparedAs: asked.name, values, ...asked };
}
