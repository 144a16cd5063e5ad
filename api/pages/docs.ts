import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import express, { type Router } from 'express';

const ASSETS = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const SERVED = new Set(['/swagger-ui.css', '/swagger-ui-bundle.js', '/favicon-32x32.png']);

/** Swagger UI sets style attributes; it needs neither scripts of others nor `eval`. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Ringfence API</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const START = `window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
});
`;

/** The contract to browse and to try, under `/docs`; everything comes from here, so that it works without a network. */
export function docsPages(): Router {
  const router = express.Router({ strict: true });
  const assets = express.static(ASSETS, { index: false, maxAge: '1h', redirect: false });
  router.get('/', (_request, response) => {
    response.redirect(302, '/docs');
  });
  router.get('/docs', (_request, response) => {
    response.set('Content-Security-Policy', POLICY).type('html').send(PAGE);
  });
  router.get('/docs/start.js', (_request, response) => {
    response.set('Cache-Control', 'max-age=3600').type('js').send(START);
  });
  router.use('/docs', (request, response, next) => {
    if (!SERVED.has(request.path)) {
      next();
      return;
    }
    response.removeHeader('Cache-Control');
    assets(request, response, next);
  });
  return router;
}
