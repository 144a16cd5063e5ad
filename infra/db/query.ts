import type { Compilable, RawBuilder } from 'kysely';
import { tables } from './tables.ts';

/** A query with its values, ready to be run. */
export interface Query<Row = unknown> {
  /** What metrics and traces count it by: `module.what`. */
  readonly name: string;
  /** PostgreSQL keeps the plan of the prepared statement under it: the same for the same text. */
  readonly preparedAs: string;
  readonly text: string;
  readonly values: readonly unknown[];
  /** Carries the type only. */
  readonly __row?: Row;
}

/** What Kysely builds: a query of the builder, or a text of the `sql` template. */
type Built<Row> = Compilable<Row> | RawBuilder<Row>;

/** Names a query, and says how it is built from its values. */
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

/** A query whose parts depend on its values has several texts, and each needs a name of its own. */
function preparedAs(name: string, text: string): string {
  const texts = textsByName.get(name) ?? new Map<string, string>();
  textsByName.set(name, texts);
  const known = texts.get(text);
  if (known !== undefined) return known;
  const fresh = texts.size === 0 ? name : `${name}/${texts.size + 1}`;
  texts.set(text, fresh);
  return fresh;
}

/** A row for one of the entries of a batch: `place` counts them from 1. */
export interface Placed {
  place: number;
}

/** Any entry, whatever its values. */
export interface AnyEntry {
  readonly batch: AnyBatch;
  readonly values: unknown;
}

/** What every batch query is, whatever its values. */
export interface AnyBatch {
  readonly lockOf: ((values: never) => string) | undefined;
  all(entries: readonly never[], waits?: boolean): Query;
}

/** One entry of a batch query, with its values. */
export interface Entry<Values, Row> {
  readonly batch: BatchQuery<Values, Row>;
  readonly values: Values;
}

/** A query that does the same for several entries at once. Called with the values of one, it gives that entry. */
export interface BatchQuery<Values, Row> {
  (values: Values): Entry<Values, Row>;
  /** What an entry locks until the transaction ends; undefined for a query that locks nothing. */
  readonly lockOf: ((values: Values) => string) | undefined;
  /** The query for all of these. `waits`: whether it waits for a lock that somebody else holds, or leaves that entry out. */
  all(entries: readonly Values[], waits?: boolean): Query<Row>;
}

/** Names a batch query, and says how it is built from the values of its entries. */
export function batchQuery<Values, Row>(
  name: string,
  build: (entries: readonly Values[]) => Built<Row>,
): BatchQuery<Values, Row> {
  return batch(name, undefined, build);
}

/**
 * A batch query that locks. Where it does not wait, it gives no row for an entry whose lock somebody else holds, or one whose place
 * is negative.
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

/** The query of an entry by itself. */
export function queryOf(asked: Query | AnyEntry): Query {
  return 'batch' in asked ? asked.batch.all([asked.values as never]) : asked;
}
