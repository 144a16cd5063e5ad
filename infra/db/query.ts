import type { Compilable, InsertResult, RawBuilder } from 'kysely';
import { tables, type NewRow, type Table } from './tables.ts';

export interface Query<Row = unknown> {
  /** Appears in metrics and traces, as `module.name`. */
  readonly name: string;
  /** PostgreSQL caches the plan under this name, so each SQL text needs its own name. */
  readonly preparedAs: string;
  readonly text: string;
  readonly values: readonly unknown[];
  /** Never set. Carries the type of the rows for type inference. */
  readonly __row?: Row;
}

type Built<Row> = Compilable<Row> | RawBuilder<Row>;

export function query<Values extends readonly unknown[], Row>(
  name: string,
  build: (...values: Values) => Built<Row>,
): (...values: Values) => Query<Row> {
  return (...values) => compiled(name, build(...values));
}

/** Inserts one row. */
export function insertion<T extends Table>(name: string, table: T): (row: NewRow<T>) => Query<InsertResult> {
  return query(name, (row: NewRow<T>) => tables.insertInto(table).values(row as never));
}

function compiled<Row>(name: string, built: Built<Row>): Query<Row> {
  const { sql: text, parameters: values } = built.compile(tables);
  return { name, preparedAs: preparedAs(name, text), text, values };
}

const textsByName = new Map<string, Map<string, string>>();

function preparedAs(name: string, text: string): string {
  const texts = textsByName.get(name) ?? new Map<string, string>();
  textsByName.set(name, texts);
  const known = texts.get(text);
  if (known !== undefined) return known;
  const fresh = texts.size === 0 ? name : `${name}/${texts.size + 1}`;
  texts.set(text, fresh);
  return fresh;
}

/** A row for one entry of a batch. `ordinal` is the entry's number, counted from 1. */
export interface Numbered {
  ordinal: number;
}

/** One caller's part of a batch. Calls that run at the same time can share one query. */
export interface Entry<Row> {
  readonly batch: Batch<Row>;
  readonly values: unknown;
}

export interface Batch<Row> {
  /** Names the lock of an entry. Undefined if the query takes no locks. */
  readonly lockOf: ((values: never) => string) | undefined;
  /** If true, nobody reads the rows before the commit, so that a group commit writes them last. */
  readonly isLast: boolean;
  all(entries: readonly never[], waits?: boolean): Query<Row>;
}

/** A query for several entries at once. Calling the query with one entry's values returns an `Entry`. */
export interface BatchQuery<Values, Row> extends Batch<Row> {
  (values: Values): Entry<Row>;
  readonly lockOf: ((values: Values) => string) | undefined;
  all(entries: readonly Values[], waits?: boolean): Query<Row>;
}

export type Statement<Row> = Query<Row> | Entry<Row>;

interface BatchOptions<Values> {
  lockOf?: (values: Values) => string;
  isLast?: boolean;
}

/** `build` gets `waits`: if false, entries that other transactions have locked get no row, or a negative ordinal. */
export function batchQuery<Values, Row>(
  name: string,
  build: (entries: readonly Values[], waits: boolean) => Built<Row>,
  { lockOf, isLast = false }: BatchOptions<Values> = {},
): BatchQuery<Values, Row> {
  const own: BatchQuery<Values, Row> = Object.assign((values: Values) => ({ batch: own, values }), {
    lockOf,
    isLast,
    all: (entries: readonly Values[], waits = true) => compiled(name, build(entries, waits)),
  });
  return own;
}

export function queryOf<Row>(statement: Statement<Row>): Query<Row> {
  return 'batch' in statement ? statement.batch.all([statement.values as never]) : statement;
}
