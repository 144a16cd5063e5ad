import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import express, { type Response, type Router } from 'express';
import { stringify } from 'yaml';
import type { Contract } from '../http/contract.ts';
import { send } from '../http/reply/answer.ts';
import { prefersHtml } from '../http/reply/refusals.ts';
import { docsBar, docsPage } from './docs-layout.ts';
import { readChapters, writtenPages } from './guide.ts';
import { pageHeaders, textOf, type HtmlPage } from './layout.ts';
import { docsSearch } from './search.ts';

const ASSETS = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
/** What a file holds that is read from the disk while it is sent. */
const STREAMED_BYTES = 131_072;
const SERVED = new Set(['/swagger-ui.css', '/swagger-ui-bundle.js', '/favicon-32x32.png']);

/** Swagger UI sets style attributes, but needs no third-party scripts and no `eval`. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const REFERENCE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Reference · Ringfence</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/reference.css">
</head>
<body>
${docsBar('reference')}
<div id="swagger-ui"></div>
<noscript><p class="plain">This page needs JavaScript. The same operations are in <a href="/openapi.yaml">openapi.yaml</a>,
and the <a href="/docs/guide">guide</a> explains how to use them.</p></noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** Programs get the problem document instead. */
const NOT_FOUND = docsPage(
  'Page not found',
  `<main class="guide"><h1>Page not found</h1>
<p>The documentation has no page at this URL. Search for it, or look at the <a href="/docs">contents</a>.</p>
<p>Error 404 <code>not-found</code></p></main>`,
);

/** The reference's style comes first, because it imports a style sheet. */
const FILES: readonly (readonly [path: string, type: 'css' | 'js', text: string])[] = [
  ['/docs/reference.css', 'css', ['reference.css', 'palette.css', 'docs-bar.css'].map(textOf).join('')],
  ['/docs/start.js', 'js', textOf('reference.js')],
  ['/docs/docs.js', 'js', textOf('docs.js')],
];

const HTML = 'text/html; charset=utf-8';
const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' } as const;

/** The pages need no other network access. The guide's examples show `publicUrl`. */
export function docsPages({ document, operations }: Contract, publicUrl: string): Router {
  const router = express.Router({ strict: true });
  const chapters = readChapters(publicUrl);
  const search = docsSearch(chapters, operations);
  router.get('/', (_request, response) => {
    response.redirect(302, '/docs');
  });
  for (const [path, page] of writtenPages(chapters)) {
    router.get(path, (_request, response) => {
      sendPage(response, page);
    });
  }
  router.get('/docs/search', (request, response) => {
    const [query = ''] = new URL(request.url, publicUrl).searchParams.getAll('q');
    sendPage(response, search(query));
  });
  // Created at the first request, because writing the YAML takes half a second.
  let yaml: Buffer | undefined;
  router.get('/openapi.yaml', (_request, response) => {
    yaml ??= Buffer.from(stringify(document, { aliasDuplicateObjects: false, lineWidth: 120 }));
    sendText(response, 200, yaml, { 'Content-Type': 'application/yaml; charset=utf-8', 'Cache-Control': 'no-cache' });
  });
  router.get('/docs/reference', (_request, response) => {
    sendText(response, 200, REFERENCE, { 'Content-Type': HTML, 'Content-Security-Policy': POLICY });
  });
  for (const [path, type, text] of FILES) {
    router.get(path, (_request, response) => {
      sendText(response, 200, text, { 'Content-Type': TYPES[type], 'Cache-Control': 'max-age=3600' });
    });
  }
  const assets = express.static(ASSETS, { index: false, maxAge: '1h', redirect: false });
  router.use('/docs', (request, response, next) => {
    if (!SERVED.has(request.path)) {
      next();
      return;
    }
    response.removeHeader('Cache-Control');
    response.locals.exchange?.reserve(STREAMED_BYTES);
    assets(request, response, next);
  });
  router.get(/^\/docs\/./, (request, response, next) => {
    if (!prefersHtml(request)) {
      next();
      return;
    }
    sendText(response, 404, NOT_FOUND.html, { ...pageHeaders(NOT_FOUND), 'Content-Type': HTML, Vary: 'Accept' });
  });
  return router;
}

function sendPage(response: Response, page: HtmlPage): void {
  const headers = { ...pageHeaders(page), 'Cache-Control': 'max-age=300' };
  sendText(response, 200, page.html, { ...headers, 'Content-Type': HTML });
}

/** Express's own `send` does not count what the answer holds. */
function sendText(
  response: Response,
  status: number,
  body: string | Uint8Array,
  headers: Record<string, string>,
): void {
  response.locals.exchange?.reserve(body.length);
  send(response, { status, headers, body });
}
