import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A page that is ready to be sent: its HTML, and the only policy under which it needs to run. */
export interface HtmlPage {
  html: string;
  contentSecurityPolicy: string;
}

export interface LayoutOptions {
  /**
   * For a page with forms: where else than here they may lead, as source expressions; browsers hold redirects that follow a form
   * to it too. Without it there can be no form.
   */
  formTargets?: readonly string[];
  /** A narrow page with one thing to do on it. */
  door?: boolean;
  /** A page with room for code. */
  wide?: boolean;
  /** Style of its own, beside that of all pages. */
  style?: string;
}

const STYLE = styleOf('style.css');
const STYLE_HASH = hashOf(STYLE);
/** Of pages with documentation, beside the one of all pages. */
export const DOCS_STYLE = styleOf('docs.css');

const MARK = `<svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="9.5" fill="none" stroke="currentColor" stroke-width="3" stroke-dasharray="8.95 1" stroke-dashoffset="4.5"/><circle cx="12" cy="12" r="3" fill="currentColor"/></svg>`;

/** A page of the service around its content, which is HTML already, with its landmarks; the title is text. */
export function layout(title: string, content: string, options: LayoutOptions = {}): HtmlPage {
  const { formTargets, door = false, wide = false, style } = options;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Ringfence</title>
<style>${STYLE}</style>${style === undefined ? '' : `<style>${style}</style>`}
</head>
<body${door ? ' class="door"' : wide ? ' class="wide"' : ''}>
<header><p class="brand">${MARK}Ringfence</p></header>
${content}
</body>
</html>
`;
  return { html, contentSecurityPolicy: policy(formTargets, style) };
}

function policy(formTargets: readonly string[] | undefined, style: string | undefined): string {
  const forms = formTargets === undefined ? "'none'" : ["'self'", ...formTargets].join(' ');
  const styles = [STYLE_HASH, ...(style === undefined ? [] : [hashOf(style)])]
    .map((hash) => `'sha256-${hash}'`)
    .join(' ');
  return `default-src 'none'; style-src ${styles}; base-uri 'none'; form-action ${forms}; frame-ancestors 'none'`;
}

function styleOf(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8');
}

function hashOf(style: string): string {
  return createHash('sha256').update(style).digest('base64');
}

/** The headers that every page is sent with. */
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

/** Text as it stands between tags or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
