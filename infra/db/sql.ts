import type { CustomTypesConfig, Pool, PoolClient, QueryResult, QueryResultRow } from 'pg';

/** A prepared statement: `name` is what PostgreSQL keeps its plan under, so it is unique to the text. */
export interface Query<Row extends QueryResultRow = QueryResultRow> {
  readonly name: string;
  readonly text: string;
  /** Carries the row's type only. */
  readonly __row?: Row;
}

/** Asks a connection, or any of a pool. */
export type Ask = <Row extends QueryResultRow>(
  statement: Query<Row>,
  values: readonly unknown[],
  on: Pool | PoolClient,
) => Promise<QueryResult<Row>>;

/** Names a statement and the row it gives. */
export function query<Row extends QueryResultRow = Record<string, never>>(name: string, text: string): Query<Row> {
  return { name, text };
}

/** A row that a statement gives for the line of that place among those it was asked for, from 1. */
export type PlacedRow = QueryResultRow & { place: number };

/** The values of one of those for whom a statement is asked. */
export type Line = readonly unknown[];

/** A statement that is asked for several lines at once, each of somebody else perhaps. */
export interface LinesQuery<Row extends QueryResultRow = QueryResultRow> extends Query<Row> {
  /** Its values for these lines. `waits` concerns those that open: whether it waits for who else has what is to be locked. */
  valuesOf(lines: readonly Line[], waits: boolean): unknown[];
  /**
   * Whether it locks, until the transaction ends, what the first value of each line names, and leaves out those it does not get; the
   * places of those that somebody else has it may give below nothing.
   */
  readonly opens: boolean;
}

/** A statement that takes a list for each column of its lines, or what `valuesOf` makes of them. */
export function lines<Row extends QueryResultRow = Record<string, never>>(
  name: string,
  text: string,
  valuesOf: (lines: readonly Line[]) => unknown[] = columnsOf,
): LinesQuery<Row> {
  return { name, text, valuesOf, opens: false };
}

/** A statement that locks: $1 says whether it waits, then comes a list for each column of its lines, or what `valuesOf` makes of them. */
export function opening<Row extends PlacedRow>(
  name: string,
  text: string,
  valuesOf: (lines: readonly Line[]) => unknown[] = columnsOf,
): LinesQuery<Row> {
  return { name, text, valuesOf: (asked, waits) => [waits, ...valuesOf(asked)], opens: true };
}

/** The values of a statement that is asked for one line alone, or takes none. */
export function valuesOf(statement: Query | LinesQuery, values: readonly unknown[]): readonly unknown[] {
  return 'valuesOf' in statement ? statement.valuesOf([values], true) : values;
}

/** A list for each of these columns of rows. */
export function listsOf<Row>(rows: readonly Row[], columns: readonly (keyof Row)[]): unknown[] {
  return columns.map((column) => listOf(rows.map((row) => row[column])));
}

/** A list of numbers as PostgreSQL reads it: pg would put each in quotes, and look for what to escape in it. */
export function listOf(values: readonly unknown[]): unknown {
  if (!values.every((value) => typeof value === 'number' || value === null)) return values;
  return `{${values.map((value) => value ?? 'NULL').join()}}`;
}

/** The values of a statement that are lists of these types, the first of them its value of that number. */
export function listParameters(types: readonly string[], first: number): string {
  return types.map((type, place) => `$${first + place}::${type}[]`).join(', ');
}

function columnsOf(asked: readonly Line[]): unknown[] {
  return listsOf(asked, [...asked[0]!.keys()]);
}

/** Where statements run: inside the transaction that is open around the caller, else on a connection of their own. */
export interface Queries {
  /** All rows. */
  many<Row extends QueryResultRow>(statement: Query<Row>, values?: readonly unknown[]): Promise<Row[]>;
  /** The one row there must be. @throws when there is none. */
  one<Row extends QueryResultRow>(statement: Query<Row>, values?: readonly unknown[]): Promise<Row>;
  /** The row, or undefined. */
  maybe<Row extends QueryResultRow>(statement: Query<Row>, values?: readonly unknown[]): Promise<Row | undefined>;
  /** How many rows were written. */
  run(statement: Query, values?: readonly unknown[]): Promise<number>;
}

/** The forms in which rows are asked for, over one way to ask. */
export function queriesBy(
  execute: <Row extends QueryResultRow>(
    statement: Query<Row>,
    values?: readonly unknown[],
  ) => Promise<Pick<QueryResult<Row>, 'rows' | 'rowCount'>>,
): Queries {
  return {
    many: async (statement, values) => (await execute(statement, values)).rows,
    maybe: async (statement, values) => (await execute(statement, values)).rows[0],
    run: async (statement, values) => (await execute(statement, values)).rowCount ?? 0,
    async one(statement, values) {
      const row = (await execute(statement, values)).rows[0];
      if (row === undefined) throw new Error(`${statement.name} gave no row`);
      return row;
    },
  };
}

const BIGINT = 20;
const DATE = 1082;
const TIMESTAMPTZ = 1184;

/** int8 as a safe integer, timestamptz as an ISO 8601 instant, date as `YYYY-MM-DD`; everything else as pg has it. */
export const rowTypes = (base: CustomTypesConfig): CustomTypesConfig => ({
  getTypeParser(type, format) {
    const oid: number = type;
    if (oid === BIGINT) return safeInteger;
    if (oid === TIMESTAMPTZ) return isoInstant;
    if (oid === DATE) return String;
    return base.getTypeParser(type, format) as (text: string) => unknown;
  },
});

function safeInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} does not fit a safe integer`);
  return number;
}

function isoInstant(text: string): string {
  return new Date(text).toISOString();
}
