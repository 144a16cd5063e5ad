import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** A browser applies HSTS to all ports of a host. On localhost, HSTS would break people's other local programs. */
const OWN_MACHINE = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

const always = helmet({
  referrerPolicy: { policy: 'no-referrer' },
  crossOriginResourcePolicy: { policy: 'same-origin' },
  xContentTypeOptions: true,
  // The middleware `strict` in this file sets this header, except on localhost.
  strictTransportSecurity: false,
  // `securityHeaders` sets this header, because helmet omits the space after semicolons.
  contentSecurityPolicy: false,
  // An API has no frames, windows or prefetching. Pages set the headers that they need.
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xFrameOptions: false,
  xPermittedCrossDomainPolicies: false,
  xPoweredBy: false,
  xXssProtection: false,
});
const strict = helmet.strictTransportSecurity({ maxAge: 31_536_000, includeSubDomains: false });

/** Later middleware may replace Cache-Control and Content-Security-Policy. */
export const securityHeaders: RequestHandler = (request, response, next) => {
  response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
  response.setHeader('Cache-Control', 'no-store');
  always(request, response, (error) => {
    if (error !== undefined || OWN_MACHINE.test(request.headers.host ?? '')) next(error);
    else strict(request, response, next);
  });
};
