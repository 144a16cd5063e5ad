import { AsyncLocalStorage } from 'node:async_hooks';
import { DomainError } from '../../domain/errors.ts';
import { inRounds } from './rounds.ts';
import type { Line, LinesQuery, PlacedRow, Queries } from './sql.ts';

const LIMITS = { most: 64, patienceMs: 20 };

type Many = Pick<Queries, 'many'>;

/** Asks for many lines with one statement, and gives each its rows. */
async function rowsOf<Row extends PlacedRow>({ many }: Many, statement: LinesQuery<Row>, lines: readonly Line[]) {
  const rows: Row[][] = lines.map(() => []);
  for (const row of await many(statement, statement.valuesOf(lines, true))) rows[row.place - 1]!.push(row);
  return rows;
}

/** Asks for one line alone. */
export async function askedAlone<Row extends PlacedRow>(
  queries: Many,
  statement: LinesQuery<Row>,
  line: Line,
): Promise<Row[]> {
  const [rows] = await rowsOf(queries, statement, [line]);
  return rows!;
}

/** Asks for lines of about the same moment together; none of them fails by the fault of another. */
export function gathering(queries: Many) {
  const rounds = new Map<string, (line: Line) => Promise<PlacedRow[]>>();
  const outside = AsyncLocalStorage.snapshot();
  const roundsOf = (statement: LinesQuery<PlacedRow>) =>
    outside(() => inRounds<Line, PlacedRow[]>((lines) => rowsOf(queries, statement, lines), mayBeOfOneLine, LIMITS));
  return <Row extends PlacedRow>(statement: LinesQuery<Row>, line: Line): Promise<Row[]> => {
    let ask = rounds.get(statement.name);
    if (ask === undefined) rounds.set(statement.name, (ask = roundsOf(statement)));
    return ask(line) as Promise<Row[]>;
  };
}

/** A database that is away is so for every line. */
function mayBeOfOneLine(error: unknown): boolean {
  return !(error instanceof DomainError);
}
