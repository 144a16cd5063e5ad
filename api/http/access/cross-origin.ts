import cors from 'cors';
import type { RequestHandler } from 'express';
import { isKnownOrigin, isOriginOf } from '../../../activities/auth/origins.ts';
import type { Services } from '../../../infra/services.ts';
import type { Operation } from '../contract.ts';

type Needs = Pick<Services, 'db'>;

/** OAuth clients in a browser need these public operations to get and revoke tokens. */
const WITHOUT_TOKEN: readonly string[] = ['readAuthorizationServer', 'exchangeToken', 'revokeToken'];
const LONGEST_ORIGIN = 300;
const ALLOW_ORIGIN = 'Access-Control-Allow-Origin';

/** The PII vault is for servers only. */
function isForPages({ id, scopes, credential }: Operation): boolean {
  return scopes === 'public' ? WITHOUT_TOKEN.includes(id) : credential !== 'vault';
}

/** Pages send tokens, so the option `credentials` for cookies stays off. */
function crossOrigin(services: Needs, methods: readonly string[]): RequestHandler {
  return cors({
    origin(origin, decide) {
      const known = origin !== undefined && origin.length <= LONGEST_ORIGIN && isKnownOrigin(services, origin);
      Promise.resolve(known).then((isKnown) => {
        decide(null, isKnown);
      }, decide);
    },
    methods: [...methods],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'If-Match',
      'If-None-Match',
      'Prefer',
      'X-Request-Id',
    ],
    exposedHeaders: [
      ...['Deprecation', 'ETag', 'Idempotent-Replayed', 'Link', 'Location', 'Preference-Applied', 'RateLimit'],
      ...['RateLimit-Policy', 'Retry-After', 'Sunset', 'X-Request-Id'],
    ],
    maxAge: 600,
    optionsSuccessStatus: 204,
  });
}

export function allowPages(operation: Operation, services: Needs): RequestHandler[] {
  return isForPages(operation) ? [crossOrigin(services, [operation.method])] : [];
}

export function answerPreflights(operations: readonly Operation[], services: Needs): RequestHandler[] {
  const methods = operations.filter(isForPages).map(({ method }) => method);
  if (methods.length === 0) return [];
  const preflight = crossOrigin(services, methods);
  return [
    (request, response, next) => {
      if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined)
        preflight(request, response, next);
      else next();
    },
  ];
}

/** Hides the response from a web page unless the token's OAuth client registered the page's origin. */
export function requireOwnOrigin({ scopes }: Operation, services: Needs): RequestHandler[] {
  if (scopes === 'public') return [];
  return [
    async ({ headers: { origin } }, response, next) => {
      if (origin !== undefined && response.hasHeader(ALLOW_ORIGIN)) {
        const { principal } = response.locals;
        if (!(await isOriginOf(services, principal!, origin))) response.removeHeader(ALLOW_ORIGIN);
      }
      next();
    },
  ];
}
