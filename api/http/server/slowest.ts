import { CONNECTION_BYTES, firstOf, sizeOf, type Caller, type Connection } from './holdings.ts';

/** A connection begins with this much, because it has had no time to move anything. */
const HEAD_START = 65_536;
const LEAST_S = 0.05;

/** Connections of the first class are closed first. */
export const CLASSES = ['without a credential', 'of a caller over its share', 'other'] as const;
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
    const rank = CLASSES.indexOf(classOf(connection, choice.callerBytes));
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

function classOf({ exchanges, last, group }: Connection, callerBytes: number): Class {
  for (const { caller } of exchanges) if (!caller.isKnown) return 'without a credential';
  if (last === undefined) return group === undefined ? 'other' : 'without a credential';
  return usedBy(last) > callerBytes ? 'of a caller over its share' : 'other';
}

/** In bytes a second. */
function speedOf({ line, movedBefore, since }: Connection, now: number): number {
  return (line.moved() - movedBefore + HEAD_START) / Math.max((now - since) / 1_000, LEAST_S);
}

function isProtected({ exchanges }: Connection): boolean {
  for (const exchange of exchanges) if (firstOf(exchange.caller) === exchange) return true;
  return false;
}
