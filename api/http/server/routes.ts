import express, { type ErrorRequestHandler, type RequestHandler, type Router } from 'express';
import { DomainError } from '../../../domain/errors.ts';
import type { Operation } from '../contract.ts';

/** On other methods of these paths, `first` runs and 405 follows. OPTIONS returns the allowed methods. */
export function routesOf(
  operations: readonly Operation[],
  first: (ofPath: readonly Operation[]) => readonly RequestHandler[],
  chain: (operation: Operation) => readonly (RequestHandler | ErrorRequestHandler)[],
): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  // `{` sorts after letters, so literal paths are tried before paths with parameters.
  const byPath = [...Map.groupBy(operations, ({ path }) => path)].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [path, ofPath] of byPath) {
    const route = router.route(path.replace(/\{([^}]+)\}/g, ':$1'));
    for (const operation of ofPath) route[operation.method.toLowerCase() as 'get'](...chain(operation));
    route.all(...first(ofPath), otherMethod(ofPath));
  }
  return router;
}

function otherMethod(operations: readonly Operation[]): RequestHandler {
  const methods: string[] = operations.map(({ method }) => method);
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  return ({ method }, response) => {
    response.setHeader('Allow', allow);
    if (method !== 'OPTIONS') throw new DomainError('method-not-allowed', `This URL accepts only ${allow}.`, { allow });
    response.status(204).end();
  };
}
