import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface HtmlPage {
  html: string;
  contentSecurityPolicy: string;
}

interface LayoutOptions {
  /** Further CSP sources for the targets of forms. If undefined, the page can submit no forms. */
  formTargets?: readonly string[];
  /** Makes the page narrow, for a single form or message. */
  door?: boolean;
  wide?: boolean;
  /** Further styles. */
  styles?: readonly string[];
  /** HTML above the content, instead of the Ringfence logo and name. */
  header?: string;
  /** A path on this service. */
  script?: string;
  /** JavaScript that is part of the page. The policy allows it by its hash. */
  inlineScript?: string;
  /** The policy allows the script by this random value of one response instead of by its hash. */
  nonce?: string;
}

const STYLE = textOf('palette.css') + textOf('style.css');
export const MARK = `<svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="9.5" fill="none" stroke="currentColor" stroke-width="3" stroke-dasharray="8.95 1" stroke-dashoffset="4.5"/><circle cx="12" cy="12" r="3" fill="currentColor"/></svg>`;

/** `content` is HTML, `title` is plain text. */
export function layout(title: string, content: string, options: LayoutOptions = {}): HtmlPage {
  const { door = false, wide = false, styles = [], script, inlineScript, nonce } = options;
  const header = options.header ?? `<header><p class="brand">${MARK}Ringfence</p></header>`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Ringfence</title>
${[STYLE, ...styles].map((style) => `<style>${style}</style>`).join('')}${script === undefined ? '' : `\n<script src="${script}" defer></script>`}
</head>
<body${door ? ' class="door"' : wide ? ' class="wide"' : ''}>
${header}
${content}${inlineScript === undefined ? '' : `\n<script type="module"${nonce === undefined ? '' : ` nonce="${nonce}"`}>${inlineScript}</script>`}
</body>
</html>
`;
  return { html, contentSecurityPolicy: policy(options) };
}

/** `content` is HTML, `title` is plain text. */
export function messagePage(title: string, content: string): HtmlPage {
  return layout(title, `<main>\n<h1>${escapeHtml(title)}</h1>\n${content}\n</main>`, { door: true });
}

function policy({ formTargets, styles = [], script, inlineScript, nonce }: LayoutOptions): string {
  const forms = formTargets === undefined ? "'none'" : ["'self'", ...formTargets].join(' ');
  const hashOf = (text: string) => `'sha256-${hash('sha256', text, 'base64')}'`;
  const allowed = [
    ...(script === undefined ? [] : ["'self'"]),
    ...(inlineScript === undefined ? [] : [nonce === undefined ? hashOf(inlineScript) : `'nonce-${nonce}'`]),
  ];
  const scripts = allowed.length === 0 ? '' : ` script-src ${allowed.join(' ')};`;
  return `default-src 'none';${scripts} style-src ${[STYLE, ...styles].map(hashOf).join(' ')}; base-uri 'none'; form-action ${forms}; frame-ancestors 'none'`;
}

/** The text of a file in this folder. */
export function textOf(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8');
}

export function pageHeaders({ contentSecurityPolicy }: HtmlPage) {
  return { 'Content-Security-Policy': contentSecurityPolicy, 'X-Frame-Options': 'DENY' } as const;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For text between tags or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
