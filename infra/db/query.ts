import type { Compilable, RawBuilder } from 'kysely';
import { tables } from './tables.ts';

/** A query with its values, ready to be run. */
export interface Query<Row = unknown> {
  /** The name in metrics and traces: `module.what`. */
  readonly name: string;
  /** The name of the prepared statement, under which PostgreSQL keeps the plan. The same text has the same name. */
  readonly preparedAs: string;
  readonly text: string;
  readonly values: readonly unknown[];
  /** Only carries the type. */
  readonly __row?: Row;
}

/** A Kysely query: from the builder, or from the `sql` template. */
type Built<Row> = Compilable<Row> | RawBuilder<Row>;

/** Names a query and defines how to build it from its values. */
export function query<Values extends readonly unknown[], Row>(
  name: string,
  build: (...values: Values) => Built<Row>,
): (...values: Values) => Query<Row> {
  return (...values) => compiled(name, build(...values));
}

function compiled<Row>(name: string, built: Built<Row>): Query<Row> {
  const { sql: text, parameters: values } = built.compile(tables);
  return { name, preparedAs: preparedAs(name, text), text, values };
}

const textsByName = new Map<string, Map<string, string>>();

/** If a query's parts depend on its values, it has several texts, and each needs its own name. */
function preparedAs(name: string, text: string): string {
  const texts = textsByName.get(name) ?? new Map<string, string>();
  textsByName.set(name, texts);
  const known = texts.get(text);
  if (known !== undefined) return known;
  const fresh = texts.size === 0 ? name : `${name}/${texts.size + 1}`;
  texts.set(text, fresh);
  return fresh;
}

/** A row for one entry of a batch; `place` counts the entries from 1. */
export interface Placed {
  place: number;
}

/** An entry with any values. */
export interface AnyEntry {
  readonly batch: AnyBatch;
  readonly values: unknown;
}

/** A batch query with any values. */
export interface AnyBatch {
  readonly lockOf: ((values: never) => string) | undefined;
  all(entries: readonly never[], waits?: boolean): Query;
}

/** One entry of a batch query, with its values. */
export interface Entry<Values, Row> {
  readonly batch: BatchQuery<Values, Row>;
  readonly values: Values;
}

/** A query that can handle several entries at once. Call it with the values of one to get an entry. */
export interface BatchQuery<Values, Row> {
  (values: Values): Entry<Values, Row>;
  /** What an entry locks until the transaction ends; undefined if the query locks nothing. */
  readonly lockOf: ((values: Values) => string) | undefined;
  /** The query for all of these. If `waits`, it waits for locks that others hold; else it leaves those entries out. */
  all(entries: readonly Values[], waits?: boolean): Query<Row>;
}

/** Names a batch query and defines how to build it from the values of its entries. */
export function batchQuery<Values, Row>(
  name: string,
  build: (entries: readonly Values[]) => Built<Row>,
): BatchQuery<Values, Row> {
  return batch(name, undefined, build);
}

/**
 * A batch query that locks. If it does not wait, an entry whose lock is held by others gets no row, or one with a
 * negative place.
 */
export function lockingQuery<Values, Row extends Placed>(
  name: string,
  lockOf: (values: Values) => string,
  build: (entries: readonly Values[], waits: boolean) => Built<Row>,
): BatchQuery<Values, Row> {
  return batch(name, lockOf, build);
}

function batch<Values, Row>(
  name: string,
  lockOf: BatchQuery<Values, Row>['lockOf'],
  build: (entries: readonly Values[], waits: boolean) => Built<Row>,
): BatchQuery<Values, Row> {
  const own: BatchQuery<Values, Row> = Object.assign((values: Values) => ({ batch: own, values }), {
    lockOf,
    all: (entries: readonly Values[], waits = true) => compiled(name, build(entries, waits)),
  });
  return own;
}

/** The query of a single entry. */
export function queryOf(asked: Query | AnyEntry): Query {
  return 'batch' in asked ? asked.batch.all([asked.values as never]) : asked;
}
