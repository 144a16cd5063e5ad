import { DomainError } from '../../../domain/errors.ts';
import { createHoldings, firstOf, sizeOf, SMALL, type Connection, type Exchange, type Line } from './holdings.ts';
import { slowestHolding, usedBy, type Choice } from './slowest.ts';

interface BudgetLimits {
  /** The most bytes that the process holds for its callers. */
  processBytes: number;
  /** The most of them for one person, key or address. A person or key may exceed it with one exchange. */
  callerBytes: number;
}

interface Watcher {
  /** In milliseconds. */
  now(): number;
  /** A connection was closed because others needed its memory. */
  closed(): void;
}

/** An address may have connections for this part of the budget, because a server of many people may have hundreds. */
const OF_ADDRESS = 1 / 2;
/** This part of the budget is for connections, and for small bodies and answers. */
const RESERVE = 1 / 8;
const RETRY_AFTER_S = 5;

export type Budget = ReturnType<typeof createBudget>;

/**
 * What a process holds for its callers: connections, bodies that are not handled yet, and answers that are not sent yet.
 * Over the limit, it closes the connections that were slowest since their start.
 */
export function createBudget({ processBytes, callerBytes }: BudgetLimits, { now, closed }: Watcher) {
  const holdings = createHoldings(now);
  const close = (bytes: number, choice: Pick<Choice, 'among' | 'upTo'>): boolean => {
    if (bytes <= 0) return true;
    const victims = slowestHolding(bytes, holdings.connections, { now: now(), callerBytes, ...choice });
    for (const victim of victims) {
      holdings.disconnect(victim);
      victim.line.close();
      closed();
    }
    return victims.length > 0;
  };
  /** An exchange without a credential closes none with one, but connections that are idle or of a caller over its share. */
  const makeSpaceFor = ({ connection, caller }: Exchange, bytes: number, limit: number): boolean =>
    close(holdings.held() + bytes - limit, {
      among: (other) => other !== connection,
      upTo: caller.isKnown ? 'other' : 'new',
    });
  const take = (exchange: Exchange, part: 'body' | 'answer', bytes: number) => {
    const { caller } = exchange;
    const isSmall = sizeOf(exchange) + bytes <= SMALL;
    const isFirst = caller.isKnown && (firstOf(caller) ?? exchange) === exchange;
    if (!isSmall && !isFirst && caller.bytes + bytes > callerBytes) throw tooManyBytes();
    const limit = isSmall ? processBytes : processBytes * (1 - RESERVE);
    if (!makeSpaceFor(exchange, bytes, limit)) throw noSpace();
    holdings.add(exchange, part, bytes);
  };
  return {
    holdings,
    /** @returns undefined if the process has no space for a connection. Then `line` was closed. */
    connect(line: Line, address: string | undefined): Connection | undefined {
      const connection = holdings.connect(line, address);
      const { group } = connection;
      const others = (other: Connection) => other !== connection;
      if (group !== undefined)
        close(usedBy(group) - Math.max(callerBytes, processBytes * OF_ADDRESS), {
          among: (other) => others(other) && other.group === group && other.last === undefined,
          upTo: 'new',
        });
      if (close(holdings.held() - processBytes, { among: others, upTo: 'other' })) return connection;
      holdings.disconnect(connection);
      line.close();
      closed();
      return undefined;
    },
    disconnect: holdings.disconnect,
    /** Until `belongsTo`, the exchange belongs to its address. */
    begin: holdings.begin,
    over: holdings.over,
    /** @throws DomainError `too-many-bytes` if the person or key has already used up its share. */
    belongsTo(exchange: Exchange, caller: string): void {
      if (exchange.isOver) return;
      holdings.handOver(exchange, caller);
      if (exchange.caller.bytes - sizeOf(exchange) >= callerBytes) throw tooManyBytes();
    },
    /** @throws DomainError `too-many-bytes`, or `dependency-unavailable` if nobody can be closed. */
    received(exchange: Exchange, bytes: number): void {
      if (!exchange.isOver) take(exchange, 'body', bytes);
    },
    /** The body is no longer in memory. */
    handled(exchange: Exchange): void {
      holdings.add(exchange, 'body', -exchange.body);
    },
    /** Takes the space for an answer of `bytes` in total. @throws as `received` does */
    reserve(exchange: Exchange, bytes: number): void {
      const more = bytes - exchange.answer;
      if (!exchange.isOver && more > 0) take(exchange, 'answer', more);
    },
    /** Counts an answer that is sent in any case. */
    sent(exchange: Exchange, bytes: number): void {
      if (exchange.isOver) return;
      const more = bytes - exchange.answer;
      makeSpaceFor(exchange, more, processBytes);
      holdings.add(exchange, 'answer', more);
    },
  };
}

function tooManyBytes(): DomainError {
  const detail =
    'The service holds too many unfinished bodies and unread responses for you. Finish or close them, then try again in a moment.';
  return new DomainError('too-many-bytes', detail, { retry_after: RETRY_AFTER_S });
}

function noSpace(): DomainError {
  const detail = 'The service is receiving and sending too much at once. Try again in a moment.';
  return new DomainError('dependency-unavailable', detail, { dependency: 'memory', retry_after: RETRY_AFTER_S });
}
