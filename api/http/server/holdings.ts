import { removeFrom } from './open-list.ts';

/** What an idle connection with TLS costs: 85 KB, as measured with a thousand of them. */
export const CONNECTION_BYTES = 98_304;
/** Smaller bodies and answers are never refused for a caller's share, so that its neighbours can still sign in. */
export const SMALL = 16_384;

/** What the budget must know of a connection. */
export interface Line {
  /** Bytes in both directions that have reached or left this process. */
  moved(): number;
  close(): void;
}

/** A person, a key, or the address of those who have not shown a credential. */
export interface Caller {
  readonly key: string;
  readonly isKnown: boolean;
  /** Of its exchanges. */
  bytes: number;
  /** Its connections: of an address, those that have never shown a credential. */
  lines: number;
  users: number;
  /** Its exchanges of more than `SMALL` bytes, the oldest first. */
  readonly large: Set<Exchange>;
}

export interface Connection {
  readonly line: Line;
  /** The address. Undefined for a trusted proxy, whose connections carry the requests of many callers. */
  readonly group: Caller | undefined;
  readonly exchanges: Exchange[];
  /** The last person or key that used the connection. Always undefined for a proxy. */
  last: Caller | undefined;
  readonly openedAt: number;
  /** When its exchange began, or the last one ended. */
  since: number;
  movedBefore: number;
  isOpen: boolean;
}

/** A request with its response. */
export interface Exchange {
  readonly connection: Connection;
  caller: Caller;
  /** Bytes of the body that were received and are still in memory. */
  body: number;
  /** Bytes of the response that the kernel does not have yet. */
  answer: number;
  isOver: boolean;
}

export type Holdings = ReturnType<typeof createHoldings>;

/** Counts what a process holds, by connection, exchange and caller. Refuses nothing. */
export function createHoldings(now: () => number) {
  const connections = new Set<Connection>();
  const callers = createCallers();
  let held = 0;
  const add = (exchange: Exchange, part: 'body' | 'answer', bytes: number) => {
    exchange[part] += bytes;
    exchange.caller.bytes += bytes;
    held += bytes;
    sort(exchange);
  };
  const restart = (connection: Connection) => {
    connection.since = now();
    connection.movedBefore = connection.line.moved();
  };
  const over = (exchange: Exchange) => {
    if (exchange.isOver) return;
    exchange.isOver = true;
    add(exchange, 'body', -exchange.body);
    add(exchange, 'answer', -exchange.answer);
    removeFrom(exchange.connection.exchanges, exchange);
    restart(exchange.connection);
    callers.leave(exchange.caller);
  };
  const connect = (line: Line, address: string | undefined) => {
    const group = address === undefined ? undefined : callers.enter(address, false);
    if (group !== undefined) group.lines += 1;
    const openedAt = now();
    const state = { last: undefined, openedAt, since: openedAt, movedBefore: line.moved(), isOpen: true };
    const connection: Connection = { line, group, exchanges: [], ...state };
    connections.add(connection);
    held += CONNECTION_BYTES;
    return connection;
  };
  const disconnect = (connection: Connection) => {
    if (!connection.isOpen) return;
    connection.isOpen = false;
    connections.delete(connection);
    held -= CONNECTION_BYTES;
    for (const exchange of [...connection.exchanges]) over(exchange);
    callers.show(connection, undefined);
    if (connection.group === undefined) return;
    connection.group.lines -= 1;
    callers.leave(connection.group);
  };
  const begin = (connection: Connection, address: string): Exchange => {
    const caller = callers.enter(address, false);
    const exchange: Exchange = { connection, caller, body: 0, answer: 0, isOver: false };
    if (connection.exchanges.length === 0) restart(connection);
    connection.exchanges.push(exchange);
    return exchange;
  };
  const handOver = (exchange: Exchange, id: string) => {
    const { caller: before, connection } = exchange;
    const size = sizeOf(exchange);
    before.large.delete(exchange);
    before.bytes -= size;
    exchange.caller = callers.enter(id, true);
    exchange.caller.bytes += size;
    sort(exchange);
    if (connection.group !== undefined) callers.show(connection, exchange.caller);
    callers.leave(before);
  };
  return { held: () => held, connections, callers: callers.count, connect, disconnect, begin, handOver, add, over };
}

/** Forgets a caller when nothing is left of it. */
function createCallers() {
  const callers = new Map<string, Caller>();
  const enter = (id: string, isKnown: boolean): Caller => {
    const key = `${isKnown ? 'caller' : 'address'} ${id}`;
    const caller = callers.get(key) ?? { key, isKnown, bytes: 0, lines: 0, users: 0, large: new Set() };
    callers.set(key, caller);
    caller.users += 1;
    return caller;
  };
  const leave = (caller: Caller) => {
    caller.users -= 1;
    if (caller.users === 0) callers.delete(caller.key);
  };
  /** Moves the connection itself from its address to its last caller, or back. */
  const show = (connection: Connection, caller: Caller | undefined) => {
    const { last, group } = connection;
    if (last === caller) return;
    connection.last = caller;
    for (const gains of [caller ?? group]) if (gains !== undefined) gains.lines += 1;
    for (const loses of [last ?? group]) if (loses !== undefined) loses.lines -= 1;
    if (caller !== undefined) caller.users += 1;
    if (last !== undefined) leave(last);
  };
  return { enter, leave, show, count: () => callers.size };
}

function sort(exchange: Exchange): void {
  const { large } = exchange.caller;
  if (sizeOf(exchange) > SMALL) large.add(exchange);
  else large.delete(exchange);
}

export const sizeOf = ({ body, answer }: Exchange) => body + answer;

/** The one large exchange of a person or key that is never closed, and that may exceed the share. */
export function firstOf({ isKnown, large }: Caller): Exchange | undefined {
  if (isKnown) for (const exchange of large) return exchange;
  return undefined;
}
