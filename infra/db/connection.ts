import pg, { type CustomTypesConfig, type Pool, type PoolClient } from 'pg';
import { queryOf, type Statement, type Query } from './query.ts';

export interface Result<Row> {
  rows: Row[];
  rowCount: number;
}

export type Run = <Row>(query: Query<Row>, on: Pool | PoolClient) => Promise<Result<Row>>;

/** `sentAt` is a reading of `performance.now()`. */
export type QueryWatch = (name: string, sentAt: number, failed: boolean) => void;

export function runBy(watch?: QueryWatch): Run {
  return async <Row>({ name, preparedAs, text, values }: Query<Row>, on: Pool | PoolClient): Promise<Result<Row>> => {
    const sentAt = performance.now();
    const prepared = { name: preparedAs, text, values: values as unknown[], types: ROW_TYPES };
    try {
      const { rows, rowCount } = await on.query<Row & pg.QueryResultRow>(prepared);
      watch?.(name, sentAt, false);
      return { rows, rowCount: rowCount ?? 0 };
    } catch (error) {
      watch?.(name, sentAt, true);
      throw error;
    }
  };
}

/** The four ways to run a query. A `Database` commits each query alone; a `Tx` commits all of its queries together. */
export interface Queries {
  many<Row>(query: Query<Row>): Promise<Row[]>;
  /** Fails if there is no row. */
  one<Row>(statement: Statement<Row>): Promise<Row>;
  maybe<Row>(statement: Statement<Row>): Promise<Row | undefined>;
  /** @returns the number of affected rows. */
  run(statement: Statement<unknown>): Promise<number>;
}

export function queriesBy(
  execute: <Row>(query: Query<Row>) => Promise<Result<Row>>,
  maybe: Queries['maybe'] = async (statement) => (await execute(queryOf(statement))).rows[0],
): Queries {
  return {
    maybe,
    many: async (query) => (await execute(query)).rows,
    one: async (statement) => requireRow(await maybe(statement), statement),
    run: async (statement) => (await execute(queryOf(statement))).rowCount,
  };
}

export function requireRow<Row>(row: Row | undefined, statement: Statement<Row>): Row {
  if (row === undefined) throw new Error(`${queryOf(statement).name} returned no row`);
  return row;
}

const BIGINT = 20;
const DATE = 1082;
const TIMESTAMPTZ = 1184;

/** Reads int8 as a safe integer, timestamptz as ISO 8601, date as `YYYY-MM-DD`, and other types as pg does. */
export const ROW_TYPES: CustomTypesConfig = {
  getTypeParser(type, format) {
    const oid: number = type;
    if (oid === BIGINT) return safeInteger;
    if (oid === TIMESTAMPTZ) return isoInstant;
    if (oid === DATE) return String;
    return pg.types.getTypeParser(type, format) as (text: string) => unknown;
  },
};

function safeInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is larger than a safe integer`);
  return number;
}

function isoInstant(text: string): string {
  return new Date(text).toISOString();
}
