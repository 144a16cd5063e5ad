import type { Request, RequestHandler, Response } from 'express';
import type { Services } from '../../infra/services.ts';
import { requestMetrics, type RequestMetrics, type WatchedRequest } from '../../infra/telemetry/requests.ts';

/** Watches requests: by metrics, by a line in the log, and by a span if traces are on. */
export interface RequestWatch {
  /** Watches a request until its answer is sent or its caller gone. */
  middleware: RequestHandler;
  /** A refusal, by the code of its problem document. */
  refused(code: string): void;
  /** A request was answered with this status before its address was known. */
  unread(status: number): void;
  /** A request with an Idempotency-Key got its answer. */
  answeredOnce(replayed: boolean): void;
}

type WatchServices = Pick<Services, 'log' | 'metrics' | 'tracing'>;

/** Watches the requests of a process. */
export function watchRequests({ log, metrics, tracing }: WatchServices): RequestWatch {
  const requests: RequestMetrics = requestMetrics(metrics);
  const first = metrics.idempotent.labels({ outcome: 'first' });
  const replays = metrics.idempotent.labels({ outcome: 'replayed' });

  const end = (method: string, response: Response, trace: object): number | 'gone' => {
    const { operation, held = false, startedAt, requestId } = response.locals;
    const ms = performance.now() - startedAt;
    const status = response.writableFinished ? response.statusCode : 'gone';
    const watched: WatchedRequest = { operation: operation?.id ?? 'none', method, held };
    requests.ended(watched, status, ms / 1_000);
    if (operation !== undefined) {
      const told = { request_id: requestId, operation: operation.id, status, ms: Math.round(ms), ...trace };
      log.info(told, 'answered');
    }
    return status;
  };
  const traced = ({ method, headers }: Request, response: Response, next: () => void) => {
    const values = { 'http.request.method': method };
    const options = { kind: 'server' as const, values, from: { traceparent: headers.traceparent } };
    void tracing.span('not in the contract', options, async (span) => {
      const ids = tracing.logFields();
      const { promise: over, resolve } = Promise.withResolvers<undefined>();
      response.once('close', () => {
        const status = end(method, response, ids);
        // Which operation it is, the router found out meanwhile.
        const { operation } = response.locals;
        span.set({ 'ringfence.operation': operation?.id ?? 'none' });
        if (operation !== undefined) span.rename(operation.id);
        if (status !== 'gone') span.set({ 'http.response.status_code': status });
        if (status !== 'gone' && status >= 500) span.failed();
        resolve(undefined);
      });
      next();
      await over;
    });
  };
  return {
    middleware(request, response, next) {
      requests.began();
      if (tracing.on) traced(request, response, next);
      else {
        const { method } = request;
        response.once('close', () => end(method, response, {}));
        next();
      }
    },
    refused: (code) => requests.refused(code),
    unread: (status) => requests.unread(status),
    answeredOnce: (replayed) => (replayed ? replays : first).inc(),
  };
}
