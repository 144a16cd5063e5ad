import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** HTML that is safe to put into a page. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Html[];

/** Escapes every value that is not HTML itself. */
export function html(parts: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(parts.map((part, index) => part + (index < values.length ? textOf(values[index]!) : '')).join(''));
}

function textOf(value: Part): string {
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const STYLE = `
:root { color-scheme: light dark; --ink: #17212b; --soft: #4a5a68; --paper: #eef3f1; --card: #fff; --line: #7b8a94;
  --brand: #0b5d4e; --on-brand: #fff; --rule: #d5dedb; --fault: #a3221b; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eaf1ee; --soft: #b4c3bd; --paper: #0f1715; --card: #18231f; --line: #84968e; --brand: #6fd6bd;
    --on-brand: #06231d; --rule: #2f3d38; --fault: #ffb0a8; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
header { background: var(--card); border-bottom: 1px solid var(--rule); }
header p, main { max-width: 36rem; margin: 0 auto; padding: 1rem; }
header p { font-weight: 700; color: var(--brand); }
main > section, main > form { background: var(--card); border: 1px solid var(--rule); border-radius: .75rem;
  padding: 1.25rem; margin-bottom: 1rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: .5rem 0 1rem; text-wrap: balance; }
h2 { font-size: 1.1rem; margin: 0 0 .5rem; }
p { margin: 0 0 1rem; }
section > :last-child { margin-bottom: 0; }
.soft { color: var(--soft); }
.fault { color: var(--fault); font-weight: 600; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .35rem 1rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; text-align: right; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
ul { margin: 0; padding-left: 1.25rem; }
fieldset { border: 0; margin: 0 0 1.25rem; padding: 0; }
legend { font-weight: 700; padding: 0; margin-bottom: .5rem; }
.choice { display: flex; align-items: center; gap: .75rem; min-height: 2.75rem; padding: .5rem .75rem; margin-bottom: .5rem;
  border: 1px solid var(--line); border-radius: .5rem; cursor: pointer; }
.choice input { width: 1.5rem; height: 1.5rem; margin: 0; flex: none; accent-color: var(--brand); }
.choice .name { flex: 1; }
.choice .name span { display: block; }
.number { white-space: nowrap; }
.choice .amount { font-variant-numeric: tabular-nums; white-space: nowrap; }
label.field { display: block; font-weight: 700; margin-bottom: .25rem; }
input[type=text] { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; margin: .25rem 0 1.25rem; font: inherit;
  color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
button { font: inherit; font-weight: 700; min-height: 2.75rem; padding: .5rem 1.5rem; border-radius: .5rem; cursor: pointer;
  border: 1px solid var(--brand); background: var(--brand); color: var(--on-brand); }
button.plain { background: var(--card); color: var(--brand); }
:focus-visible { outline: 3px solid var(--brand); outline-offset: 2px; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; }
@media (max-width: 30rem) {
  .actions button { flex: 1 1 100%; }
  .choice { flex-wrap: wrap; row-gap: 0; }
  .choice .amount { flex: 1 1 100%; padding-left: 2.25rem; }
  dl { display: block; }
  dd { text-align: left; margin-bottom: .5rem; }
}
`;
// A template would change its spaces, and so its hash.
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

export function page(title: string, content: Html): Html {
  return html`<!doctype html>
    <html lang="en-GB">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} – Sandbox Bank</title>
        <link rel="icon" href="data:," />
        ${STYLE_ELEMENT}
      </head>
      <body>
        <header><p>Sandbox Bank</p></header>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html> `;
}

export function errorPage(detail: string): Html {
  return page(
    'This request cannot go on',
    html`<section>
      <p>Go back to the service that sent you here, and start again there.</p>
      <p class="soft">For its developers: ${detail}</p>
    </section>`,
  );
}

/** `leadsTo` is the origin to which the page's form leads in the end. Browsers check it after each redirect. */
export function sendPage(res: ServerResponse, status: number, { text }: Html, leadsTo = ''): void {
  res.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'content-security-policy': [
      "default-src 'none'",
      `style-src 'sha256-${STYLE_HASH}'`,
      'img-src data:',
      `form-action 'self' ${leadsTo}`.trim(),
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  });
  res.end(text);
}
