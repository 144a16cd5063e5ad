import { CONNECTION_BYTES, firstOf, sizeOf, type Caller, type Connection } from './holdings.ts';

/** A connection begins with this much, because it has had no time to move anything. */
const HEAD_START = 65_536;
const LEAST_S = 0.05;
/** For so long, a connection without a credential may be on its way to show one. */
const NEW_MS = 5_000;

/**
 * Connections of the first class are closed first. New ones come late: in a process full of idle connections, nobody could
 * sign in otherwise.
 */
const CLASSES = ['without a credential', 'of a caller over its share', 'idle', 'new', 'other'] as const;
type Class = (typeof CLASSES)[number];

/** Everything that belongs to the caller, with its connections. */
export const usedBy = ({ bytes, lines }: Caller) => bytes + lines * CONNECTION_BYTES;

export interface Choice {
  now: number;
  callerBytes: number;
  among: (connection: Connection) => boolean;
  /** The last class that may be closed. */
  upTo: Class;
}

/**
 * Chooses connections that together hold at least `bytes`: the slowest since their start, by class. Empty if they hold
 * less. Never chooses one with the first large exchange of a person or key.
 */
export function slowestHolding(bytes: number, connections: Iterable<Connection>, choice: Choice): Connection[] {
  const upTo = CLASSES.indexOf(choice.upTo);
  const candidates: { connection: Connection; rank: number; speed: number }[] = [];
  for (const connection of connections) {
    if (!choice.among(connection) || isProtected(connection)) continue;
    const rank = CLASSES.indexOf(classOf(connection, choice));
    if (rank <= upTo) candidates.push({ connection, rank, speed: speedOf(connection, choice.now) });
  }
  candidates.sort((a, b) => a.rank - b.rank || a.speed - b.speed);
  const chosen: Connection[] = [];
  let freed = 0;
  for (const { connection } of candidates) {
    if (freed >= bytes) break;
    chosen.push(connection);
    freed += CONNECTION_BYTES;
    for (const exchange of connection.exchanges) freed += sizeOf(exchange);
  }
  return freed >= bytes ? chosen : [];
}

function classOf(connection: Connection, { now, callerBytes }: Pick<Choice, 'now' | 'callerBytes'>): Class {
  const { exchanges, last, group, since, openedAt } = connection;
  const callers = exchanges.length > 0 ? exchanges.map(({ caller }) => caller) : [last ?? group];
  if (callers.some((caller) => caller?.isKnown === false))
    return now - (last === undefined && group !== undefined ? openedAt : since) < NEW_MS
      ? 'new'
      : 'without a credential';
  if (callers.some((caller) => caller !== undefined && usedBy(caller) > callerBytes))
    return 'of a caller over its share';
  return exchanges.length === 0 && group !== undefined ? 'idle' : 'other';
}

/** In bytes a second. */
function speedOf({ line, movedBefore, since }: Connection, now: number): number {
  return (line.moved() - movedBefore + HEAD_START) / Math.max((now - since) / 1_000, LEAST_S);
}

function isProtected({ exchanges }: Connection): boolean {
  for (const exchange of exchanges) if (firstOf(exchange.caller) === exchange) return true;
  return false;
}
