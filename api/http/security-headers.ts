import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** A browser keeps HSTS by host for all its ports: for localhost it would lock people out of their other programs there. */
const OWN_MACHINE = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

const always = helmet({
  referrerPolicy: { policy: 'no-referrer' },
  crossOriginResourcePolicy: { policy: 'same-origin' },
  xContentTypeOptions: true,
  // By `strict`, except on one's own machine.
  strictTransportSecurity: false,
  // Written below: pages set their own, and helmet's has no space after its semicolons.
  contentSecurityPolicy: false,
  // The pages set what they need of these; an API has no frame, no window and no prefetching.
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

/** Sets the headers of every answer. Pages replace Cache-Control or Content-Security-Policy. */
export const securityHeaders: RequestHandler = (request, response, next) => {
  response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
  response.setHeader('Cache-Control', 'no-store');
  always(request, response, (error) => {
    if (error !== undefined || OWN_MACHINE.test(request.headers.host ?? '')) next(error);
    else strict(request, response, next);
  });
};
