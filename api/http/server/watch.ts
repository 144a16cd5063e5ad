import type { Request, RequestHandler, Response } from 'express';
import type { Services } from '../../../infra/services.ts';

const KEY_REFUSALS: Readonly<Record<string, string>> = {
  'idempotency-key-in-use': 'in-use',
  'idempotency-key-reused': 'reused',
};
/** Other methods, such as PROPFIND, share the metric label `other`. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export type RequestWatch = ReturnType<typeof watchRequests>;

export function watchRequests({ log, metrics, tracing }: Pick<Services, 'log' | 'metrics' | 'tracing'>) {
  const end = (method: string, response: Response, trace: object): number | 'gone' => {
    const { operation, held = false, startedAt, requestId } = response.locals;
    const ms = performance.now() - startedAt;
    const status = response.writableFinished ? response.statusCode : 'gone';
    const name = operation?.id ?? 'none';
    const verb = METHODS.has(method) ? method : 'other';
    const statusClass = status === 'gone' ? status : `${Math.floor(status / 100)}xx`;
    metrics.requestsInFlight.dec();
    metrics.requests.inc({ operation: name, method: verb, status });
    metrics.requestSeconds.observe({ operation: name, status: statusClass, held: held ? 'yes' : 'no' }, ms / 1_000);
    if (operation !== undefined) {
      const fields = { request_id: requestId, operation: operation.id, status, ms: Math.round(ms), ...trace };
      log.info(fields, 'answered');
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
        // The request has been routed by now, so its operation is known.
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
  const middleware: RequestHandler = (request, response, next) => {
    metrics.requestsInFlight.inc();
    if (tracing.on) traced(request, response, next);
    else {
      const { method } = request;
      response.once('close', () => end(method, response, {}));
      next();
    }
  };
  return {
    middleware,
    refused(code: string) {
      metrics.refusals.inc({ code });
      const outcome = KEY_REFUSALS[code];
      if (outcome !== undefined) metrics.idempotent.inc({ outcome });
    },
    /** For a request that got its response before its method and path were known. */
    unread: (status: number) => metrics.requests.inc({ operation: 'none', method: 'other', status }),
    answeredOnce: (replayed: boolean) => metrics.idempotent.inc({ outcome: replayed ? 'replayed' : 'first' }),
  };
}
