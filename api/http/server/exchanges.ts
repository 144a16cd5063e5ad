import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { addressGroup } from '../../../infra/limits/index.ts';
import type { Metrics } from '../../../infra/telemetry/metrics.ts';
import { createBudget } from './budget.ts';
import { createConnections } from './connections.ts';
import { removeFrom } from './open-list.ts';

/** In milliseconds. */
export interface Patience {
  body: number;
  /** Node itself ends a request after this time. */
  upload: number;
  answer: number;
  /** An upload or an answer that makes no progress for so long ends. */
  still: number;
}

export const PATIENCE: Patience = { body: 60_000, upload: 300_000, answer: 120_000, still: 30_000 };

/** What the budget counts of one request and its response. Its functions throw as those of `createBudget` do. */
export interface OpenExchange {
  /** From now on, it is the person or key who holds the memory, not the address. */
  belongsTo(caller: string): void;
  received(bytes: number): void;
  /** The body is no longer in memory. */
  handled(): void;
  reserve(bytes: number): void;
  /** The response has `bytes` in total, and is being sent. */
  sent(bytes: number): void;
}

interface Watched {
  request: IncomingMessage;
  response: ServerResponse;
  beganAt: number;
  sentAt: number | undefined;
  progressAt: number;
  /** The bytes written at the last look. */
  written: number;
}

export type Exchanges = ReturnType<typeof createExchanges>;

/** The connections and requests of one process. Its servers share them. */
export function createExchanges(
  limits: { processBytes: number; callerBytes: number },
  metrics: Pick<Metrics, 'connections' | 'connectionsClosed' | 'heldBytes'>,
  now: () => number = () => performance.now(),
) {
  const budget = createBudget(limits, { now, closed: () => metrics.connectionsClosed.inc({ reason: 'memory' }) });
  const connections = createConnections(budget);
  const watched: Watched[] = [];
  return {
    connections,
    /** Undefined if the connection has been closed meanwhile. */
    begin(request: IncomingMessage, response: ServerResponse, address: string): OpenExchange | undefined {
      const connection = connections.of(request.socket);
      if (connection?.isOpen !== true) return undefined;
      const exchange = budget.begin(connection, addressGroup(address));
      const at = now();
      const state: Watched = { request, response, beganAt: at, sentAt: undefined, progressAt: at, written: 0 };
      watched.push(state);
      response.once('close', () => {
        removeFrom(watched, state);
        budget.over(exchange);
      });
      return {
        belongsTo: (caller) => budget.belongsTo(exchange, caller),
        received(bytes) {
          state.progressAt = now();
          budget.received(exchange, bytes);
        },
        handled: () => budget.handled(exchange),
        reserve: (bytes) => budget.reserve(exchange, bytes),
        sent(bytes) {
          state.sentAt = state.progressAt = now();
          state.written = writtenOn(request.socket);
          budget.sent(exchange, bytes);
        },
      };
    },
    /** Passes requests that arrive too slowly to `late`, and closes the connections of those who do not read. */
    sweep(late: (socket: Socket) => void, patience: Patience = PATIENCE): void {
      metrics.heldBytes.set(budget.holdings.held());
      metrics.connections.set(budget.holdings.connections.size);
      for (const each of [...watched]) {
        const { request, response } = each;
        if (!response.headersSent) {
          if (isLate(each, now(), patience)) late(request.socket);
        } else if (isUnread(each, now(), patience)) {
          removeFrom(watched, each);
          metrics.connectionsClosed.inc({ reason: 'unread' });
          request.socket.destroy();
        }
      }
    },
  };
}

function isLate({ request, beganAt, progressAt }: Watched, now: number, patience: Patience): boolean {
  if (request.complete) return false;
  const isUpload = request.headers['content-type']?.startsWith('multipart/') === true;
  return isUpload ? now - progressAt > patience.still : now - beganAt > patience.body;
}

function isUnread(each: Watched, now: number, patience: Patience): boolean {
  each.sentAt ??= now;
  const written = writtenOn(each.request.socket);
  if (written > each.written) {
    each.written = written;
    each.progressAt = now;
  }
  return now - each.sentAt > patience.answer || now - each.progressAt > patience.still;
}

/** `bytesWritten` also counts what still waits in this process. */
const writtenOn = ({ bytesWritten, writableLength }: Socket) => bytesWritten - writableLength;
