import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** A browser applies HSTS to all ports of a host. On localhost, HSTS would break people's other local programs. */
const OWN_MACHINE = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

const strict = helmet.strictTransportSecurity({ maxAge: 31_536_000, includeSubDomains: false });

/** Later middleware may replace Cache-Control and Content-Security-Policy. */
export const securityHeaders: RequestHandler[] = [
  helmet.referrerPolicy({ policy: 'no-referrer' }),
  helmet.crossOriginResourcePolicy({ policy: 'same-origin' }),
  helmet.xContentTypeOptions(),
  (request, response, next) => {
    // Without helmet, which omits the space after semicolons.
    response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
    response.setHeader('Cache-Control', 'no-store');
    if (OWN_MACHINE.test(request.headers.host ?? '')) next();
    else strict(request, response, next);
  },
];
