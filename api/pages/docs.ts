import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import express, { type Router } from 'express';
import { stringify } from 'yaml';
import { writtenPages } from './guide.ts';
import { pageHeaders } from './layout.ts';

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
<title>Reference · Ringfence</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/reference.css">
</head>
<body>
<nav aria-label="Documentation"><a href="/docs">Documentation</a> · <a href="/docs/guide">Guide</a> · <a href="/problems">Errors</a></nav>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const START = `// Swagger UI leaves these without a name for who cannot see them.
function nameParts() {
  document.querySelector('#servers')?.setAttribute('aria-label', 'Server');
  for (const [part, name] of [['.information-container', 'About'], ['.schemes-server-container', 'Servers']]) {
    document.querySelector(part)?.setAttribute('role', 'region');
    document.querySelector(part)?.setAttribute('aria-label', name);
  }
}
window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
  onComplete: nameParts,
});
`;

/**
 * The documentation under `/docs`: the guide and the changes, the contract to browse and to try, and the contract as YAML. Everything
 * comes from here, so that it works without a network.
 * @param contract the contract as this environment has it
 */
export function docsPages(contract: Readonly<Record<string, unknown>>): Router {
  const router = express.Router({ strict: true });
  const assets = express.static(ASSETS, { index: false, maxAge: '1h', redirect: false });
  router.get('/', (_request, response) => {
    response.redirect(302, '/docs');
  });
  for (const [path, page] of writtenPages()) {
    router.get(path, (_request, response) => {
      response
        .set({ ...pageHeaders(page), 'Cache-Control': 'max-age=300' })
        .type('html')
        .send(page.html);
    });
  }
  // Half a second that a start need not take.
  let yaml: string | undefined;
  router.get('/openapi.yaml', (_request, response) => {
    yaml ??= stringify(contract, { aliasDuplicateObjects: false, lineWidth: 120 });
    response.set('Cache-Control', 'no-cache').type('application/yaml').send(yaml);
  });
  router.get('/docs/reference', (_request, response) => {
    response.set('Content-Security-Policy', POLICY).type('html').send(PAGE);
  });
  const style = readFileSync(new URL('reference.css', import.meta.url), 'utf8');
  router.get('/docs/reference.css', (_request, response) => {
    response.set('Cache-Control', 'max-age=3600').type('css').send(style);
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
