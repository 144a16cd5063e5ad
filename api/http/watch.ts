import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Services } from '../../infra/services.ts';
import { requestMetrics, type RequestMetrics, type WatchedRequest } from '../../infra/telemetry/requests.ts';
import type { Operation } from './contract.ts';
import type { Incoming } from './incoming.ts';

/** What is told of requests: metrics, a line of the log, and a span where traces are on. */
export interface RequestWatch {
  /** Watches a request until its answer is sent or its caller gone, and does its `work`. */
  around(asked: WatchedAsk, work: () => Promise<void>): void;
  /** A refusal, by the code of its problem document. */
  refused(code: string): void;
  /** A request was answered with this status before its address was known. */
  unread(status: number): void;
  /** A request with an Idempotency-Key got its answer. */
  answeredOnce(replayed: boolean): void;
}

interface WatchedAsk {
  response: ServerResponse;
  incoming: Incoming;
  headers: IncomingHttpHeaders;
  /** Undefined for what is not in the contract. */
  operation: Operation | undefined;
  held: boolean;
}

type WatchServices = Pick<Services, 'log' | 'metrics' | 'tracing'>;

/** Watches the requests of a process. */
export function watchRequests({ log, metrics, tracing }: WatchServices): RequestWatch {
  const requests: RequestMetrics = requestMetrics(metrics);
  const first = metrics.idempotent.labels({ outcome: 'first' });
  const replays = metrics.idempotent.labels({ outcome: 'replayed' });

  const end = ({ response, incoming, operation, held }: WatchedAsk, trace: object): number | 'gone' => {
    const ms = performance.now() - incoming.startedAt;
    const status = response.writableFinished ? response.statusCode : 'gone';
    const watched: WatchedRequest = { operation: operation?.id ?? 'none', method: incoming.method, held };
    requests.ended(watched, status, ms / 1_000);
    if (operation !== undefined) {
      const told = { request_id: incoming.requestId, operation: operation.id, status, ms: Math.round(ms), ...trace };
      log.info(told, 'answered');
    }
    return status;
  };
  const traced = (asked: WatchedAsk, work: () => Promise<void>) => {
    const { response, incoming, operation, headers } = asked;
    const values = { 'http.request.method': incoming.method, 'ringfence.operation': operation?.id ?? 'none' };
    const options = { kind: 'server' as const, values, from: { traceparent: headers.traceparent } };
    void tracing.span(operation?.id ?? 'not in the contract', options, async (span) => {
      const ids = tracing.logFields();
      const { promise: over, resolve } = Promise.withResolvers<undefined>();
      response.once('close', () => {
        const status = end(asked, ids);
        if (status !== 'gone') span.set({ 'http.response.status_code': status });
        if (status !== 'gone' && status >= 500) span.failed();
        resolve(undefined);
      });
      await Promise.all([work(), over]);
    });
  };
  return {
    around(asked, work) {
      requests.began();
      if (tracing.on) {
        traced(asked, work);
        return;
      }
      asked.response.once('close', () => end(asked, {}));
      void work();
    },
    refused: (code) => requests.refused(code),
    unread: (status) => requests.unread(status),
    answeredOnce: (replayed) => (replayed ? replays : first).inc(),
  };
}

const WAITS = /(?:^|[,;\s])wait\s*=/i;

/** Whether a caller asks to be answered later, when something changes (RFC 7240). */
export function asksToWait(prefer: string | string[] | undefined): boolean {
  return prefer !== undefined && WAITS.test(String(prefer));
}
