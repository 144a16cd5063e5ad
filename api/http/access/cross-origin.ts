import cors, { type CorsOptions } from 'cors';
import type { RequestHandler } from 'express';
import { isKnownOrigin, isOriginOf } from '../../../activities/auth/origins.ts';
import type { Services } from '../../../infra/services.ts';
import type { Operation } from '../contract.ts';

type Needs = Pick<Services, 'db'>;

/** OAuth clients in a browser need these public operations to get and revoke tokens. */
const WITHOUT_TOKEN: readonly string[] = ['readAuthorizationServer', 'exchangeToken', 'revokeToken'];
/** With these public operations, a page of any origin verifies credentials. */
const FOR_EVERY_PAGE: readonly string[] = [
  'readCredentialKeys',
  'readCredentialIssuer',
  'readCredentialType',
  'readStatusList',
  'verifyPresentedCredential',
];
const LONGEST_ORIGIN = 300;
const ALLOW_ORIGIN = 'Access-Control-Allow-Origin';

const isForEveryPage = ({ id }: Operation) => FOR_EVERY_PAGE.includes(id);

/** The PII vault is for servers only. */
function isForKnownPages({ id, scopes, credential }: Operation): boolean {
  return scopes === 'public' ? WITHOUT_TOKEN.includes(id) : credential !== 'vault';
}

/** Pages send tokens, so the option `credentials` for cookies stays off. */
function crossOrigin(origin: CorsOptions['origin'], methods: readonly string[]): RequestHandler {
  return cors({
    origin,
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

/** The steps for operations of one path. Empty if no page of another origin may call them. */
function stepsFor(operations: readonly Operation[], services: Needs): readonly RequestHandler[] {
  const open = operations.filter(isForEveryPage);
  if (open.length > 0) return [shareWithEverySite, crossOrigin('*', methodsOf(open))];
  const known = operations.filter(isForKnownPages);
  return known.length > 0 ? [varyByOrigin, crossOrigin(knownOrigin(services), methodsOf(known))] : [];
}

const methodsOf = (operations: readonly Operation[]) => operations.map(({ method }) => method);

const shareWithEverySite: RequestHandler = (_request, response, next) => {
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  next();
};

/** The package `cors` names `Origin` only in responses to known origins, so a cache could give others the wrong one. */
const varyByOrigin: RequestHandler = (_request, response, next) => {
  response.vary('Origin');
  next();
};

function knownOrigin(services: Needs): CorsOptions['origin'] {
  return (origin, decide) => {
    const known = origin !== undefined && origin.length <= LONGEST_ORIGIN && isKnownOrigin(services, origin);
    Promise.resolve(known).then((isKnown) => {
      decide(null, isKnown);
    }, decide);
  };
}

export function allowPages(operation: Operation, services: Needs): readonly RequestHandler[] {
  return stepsFor([operation], services);
}

/** Also shares the refusals of other methods, if every page may call the path. */
export function answerPreflights(operations: readonly Operation[], services: Needs): RequestHandler[] {
  const isOpen = operations.some(isForEveryPage);
  return stepsFor(operations, services).map((step) => (request, response, next) => {
    const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
    if (isPreflight || (isOpen && request.method !== 'OPTIONS')) void step(request, response, next);
    else next();
  });
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
