import { AsyncLocalStorage } from 'node:async_hooks';
import type { QueryResultRow } from 'pg';
import { DomainError } from '../../domain/errors.ts';
import { inRounds } from './rounds.ts';
import type { Queries, Query } from './sql.ts';

/** A row that a statement gives for the line of that place among those it was asked for, from 1. */
export type PlacedRow = QueryResultRow & { place: number };

const LIMITS = { most: 64, patienceMs: 20 };

/** The values of a statement that takes a list for each column of its lines. */
const columnsOf = (lines: readonly Line[]) => lines[0]!.map((_, column) => lines.map((line) => line[column]));

type Line = readonly unknown[];
type Many = Pick<Queries, 'many'>;

/** Asks for many lines with one statement, and gives each its rows. */
async function rowsOf<Row extends PlacedRow>({ many }: Many, statement: Query<Row>, lines: readonly Line[]) {
  const rows: Row[][] = lines.map(() => []);
  for (const row of await many(statement, columnsOf(lines))) rows[row.place - 1]!.push(row);
  return rows;
}

/** Asks for one line alone. */
export async function askedAlone<Row extends PlacedRow>(
  queries: Many,
  statement: Query<Row>,
  line: Line,
): Promise<Row[]> {
  const [rows] = await rowsOf(queries, statement, [line]);
  return rows!;
}

/** Asks for lines of about the same moment together; none of them fails by the fault of another. */
export function gathering(queries: Many) {
  const rounds = new Map<string, (line: Line) => Promise<PlacedRow[]>>();
  const outside = AsyncLocalStorage.snapshot();
  const roundsOf = (statement: Query<PlacedRow>) =>
    outside(() => inRounds<Line, PlacedRow[]>((lines) => rowsOf(queries, statement, lines), mayBeOfOneLine, LIMITS));
  return <Row extends PlacedRow>(statement: Query<Row>, line: Line): Promise<Row[]> => {
    let ask = rounds.get(statement.name);
    if (ask === undefined) rounds.set(statement.name, (ask = roundsOf(statement)));
    return ask(line) as Promise<Row[]>;
  };
}

/** A database that is away is so for every line. */
function mayBeOfOneLine(error: unknown): boolean {
  return !(error instanceof DomainError);
}
