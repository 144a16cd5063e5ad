import type { Counter, Histogram } from 'prom-client';
import type { Metrics } from './metrics.ts';

/** A request as far as its metrics go. */
export interface WatchedRequest {
  /** An operationId, or `none` for what is not in the contract. */
  operation: string;
  method: string;
  /** Whether the answer waits for something by design, so that its time says nothing. */
  held: boolean;
}

export interface RequestMetrics {
  began(): void;
  ended(request: WatchedRequest, status: number | 'gone', seconds: number): void;
  refused(code: string): void;
  /** A request was answered with this status before its method and address were known. */
  unread(status: number): void;
}

/** By which statement of the outcome an Idempotency-Key was refused. */
const KEY_REFUSALS: Readonly<Record<string, string>> = {
  'idempotency-key-in-use': 'in-use',
  'idempotency-key-reused': 'reused',
};
/** Methods by name, so that nobody's invention becomes a label. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Counts requests; what each combination of labels stands for is looked up once. */
export function requestMetrics(metrics: Metrics): RequestMetrics {
  const known = new Map<string, { requests: Counter.Internal; seconds: Histogram.Internal<string> }>();
  const cellFor = ({ operation, method, held }: WatchedRequest, status: string) => {
    const name = `${operation} ${method} ${status} ${held}`;
    let cell = known.get(name);
    if (cell === undefined) {
      const verb = METHODS.has(method) ? method : 'other';
      const statusClass = status === 'gone' ? status : `${status[0]}xx`;
      cell = {
        requests: metrics.requests.labels({ operation, method: verb, status }),
        seconds: metrics.requestSeconds.labels({ operation, status: statusClass, held: held ? 'yes' : 'no' }),
      };
      // A method that somebody made up is no key to keep.
      if (verb !== 'other') known.set(name, cell);
    }
    return cell;
  };
  return {
    began: () => metrics.requestsInFlight.inc(),
    ended(request, status, seconds) {
      metrics.requestsInFlight.dec();
      const cell = cellFor(request, String(status));
      cell.requests.inc();
      cell.seconds.observe(seconds);
    },
    unread: (status) => metrics.requests.inc({ operation: 'none', method: 'other', status }),
    refused(code) {
      metrics.refusals.inc({ code });
      const outcome = KEY_REFUSALS[code];
      if (outcome !== undefined) metrics.idempotent.inc({ outcome });
    },
  };
}
