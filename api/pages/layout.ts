import { createHash } from 'node:crypto';

/** A page that is ready to be sent: its HTML, and the only policy under which it needs to run. */
export interface HtmlPage {
  html: string;
  contentSecurityPolicy: string;
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2530; --paper: #fbfaf7; --line: #d9d4c7; --accent: #0b6b58; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e6e0; --paper: #14181c; --line: #37404a; --accent: #63c8b0; } }
body { margin: 0 auto; max-width: 44rem; padding: 3rem 1.25rem 5rem; background: var(--paper); color: var(--ink);
  font: 1.0625rem/1.6 system-ui, sans-serif; }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0.5rem 0 1rem; }
h2 { font-size: 1.0625rem; margin: 2rem 0 0.25rem; }
p { margin: 0.25rem 0; }
a { color: var(--accent); }
code { font: 0.9375rem ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; margin-top: 1.5rem; }
td, th { text-align: left; padding: 0.4rem 0.75rem 0.4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
nav { font-size: 0.9375rem; }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** A page of the service around its content, which is HTML already; the title is text. */
export function layout(title: string, content: string): HtmlPage {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Ringfence</title>
<style>${STYLE}</style>
</head>
<body>
${content}
</body>
</html>
`;
  return { html, contentSecurityPolicy: POLICY };
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it stands between tags or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
