import { readdirSync, readFileSync } from 'node:fs';
import MarkdownIt from 'markdown-it';
import { DOCS_STYLE, escapeHtml, layout, type HtmlPage } from './layout.ts';

const GUIDE = new URL('../../docs/guide/', import.meta.url);
const CHANGELOG = new URL('../../CHANGELOG.md', import.meta.url);

/** A page of the guide: its name in addresses, and its first heading. */
interface Chapter {
  name: string;
  title: string;
  text: string;
}

/** Which pages there are, in the order in which they are read: `10-start.md` is `/docs/guide/start`. */
function readChapters(): Chapter[] {
  return readdirSync(GUIDE)
    .filter((file) => /^\d+-[a-z-]+\.md$/.test(file))
    .sort()
    .map((file) => {
      const text = readFileSync(new URL(file, GUIDE), 'utf8');
      return { name: nameOf(file), title: /^# (.+)$/m.exec(text)?.[1] ?? file, text };
    });
}

function nameOf(file: string): string {
  return file.replace(/^\d+-/, '').replace(/\.md$/, '');
}

const LANGUAGES: Readonly<Record<string, string>> = { sh: 'curl', ts: 'TypeScript', json: 'Response', text: 'Text' };

/** Markdown of this project as HTML: raw HTML in it is not passed on, and code that is too wide scrolls by itself. */
const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
markdown.renderer.rules.fence = (tokens, place) => {
  const { info, content } = tokens[place]!;
  const label = LANGUAGES[info.trim()] ?? 'Code';
  return `<figure class="code ${escapeHtml(info.trim())}"><figcaption>${label}</figcaption><pre tabindex="0" aria-label="${label}"><code>${escapeHtml(content)}</code></pre></figure>\n`;
};
markdown.renderer.rules.table_open = () =>
  '<div class="scrolls" tabindex="0" role="region" aria-label="Table"><table>\n';
markdown.renderer.rules.table_close = () => '</table></div>\n';
markdown.renderer.rules.link_open = (tokens, place, options, _environment, renderer) => {
  const token = tokens[place]!;
  const to = String(token.attrGet('href'));
  const chapter = /^(?:docs\/guide\/)?(\d+-[a-z-]+\.md)(#.*)?$/.exec(to);
  if (chapter !== null) token.attrSet('href', `/docs/guide/${nameOf(chapter[1]!)}${chapter[2] ?? ''}`);
  return renderer.renderToken(tokens, place, options);
};
markdown.renderer.rules.heading_open = (tokens, place, options, _environment, renderer) => {
  const text = tokens[place + 1]?.content ?? '';
  tokens[place]!.attrSet(
    'id',
    text
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, ''),
  );
  return renderer.renderToken(tokens, place, options);
};

/** Comments are for the tests that run the code; a reader does not see them. */
function htmlOf(text: string): string {
  return markdown.render(text.replaceAll(/<!--[\s\S]*?-->\n?/g, ''));
}

const AROUND = `<nav class="top" aria-label="Documentation"><a href="/docs">Documentation</a> <a href="/docs/guide">Guide</a>
<a href="/docs/reference">Reference</a> <a href="/problems">Errors</a> <a href="/docs/changelog">Changelog</a></nav>`;

function page(title: string, content: string): HtmlPage {
  return layout(title, `${AROUND}\n${content}`, { style: DOCS_STYLE, wide: true });
}

function chapterPage(chapters: readonly Chapter[], place: number): HtmlPage {
  const { name, title, text } = chapters[place]!;
  const links = chapters.map((chapter) => {
    const here = chapter.name === name ? ' aria-current="page"' : '';
    return `<li><a href="/docs/guide/${chapter.name}"${here}>${escapeHtml(chapter.title)}</a></li>`;
  });
  const next = chapters[place + 1];
  const onward = next && `<p class="onward"><a href="/docs/guide/${next.name}">Next: ${escapeHtml(next.title)}</a></p>`;
  return page(
    title,
    `<div class="book"><nav class="chapters" aria-label="Chapters"><ol>${links.join('\n')}</ol></nav>
<main class="guide">${htmlOf(text)}${onward ?? ''}</main></div>`,
  );
}

/** Every page of the documentation that is written by hand, by its address. Read once, when the service starts. */
export function writtenPages(): ReadonlyMap<string, HtmlPage> {
  const chapters = readChapters();
  const list = chapters.map(({ name, title, text }) => {
    const [, lead = ''] = text.split('\n\n');
    return `<li><a href="/docs/guide/${name}">${escapeHtml(title)}</a><p>${markdown.renderInline(lead.replaceAll('\n', ' '))}</p></li>`;
  });
  const contents = `<ol class="contents">${list.join('\n')}</ol>`;
  return new Map([
    ['/docs', page('Documentation', homeContent(contents))],
    ['/docs/guide', page('Guide', `<main class="guide"><h1>Guide</h1>${contents}</main>`)],
    ...chapters.map(({ name }, place) => [`/docs/guide/${name}`, chapterPage(chapters, place)] as const),
    ['/docs/changelog', page('Changelog', `<main class="guide">${htmlOf(readFileSync(CHANGELOG, 'utf8'))}</main>`)],
  ]);
}

function homeContent(contents: string): string {
  return `<main class="guide">
<h1>Ringfence API</h1>
<p>Ringfence splits a wage to the penny into ring-fenced vaults and pays the bills from them. The API uses JSON over HTTPS. Every
amount is a whole number of pence.</p>
<ul class="doors">
<li><a href="/docs/guide/start">Get started: your first call in five minutes</a></li>
<li><a href="/docs/reference">API reference: read and try every operation</a></li>
<li><a href="/problems">Errors: what each code means and what to do</a></li>
<li><a href="/openapi.json">OpenAPI document (JSON)</a></li>
<li><a href="/openapi.yaml">OpenAPI document (YAML)</a></li>
<li><a href="/docs/changelog">Changelog</a></li>
</ul>
<h2>Guide</h2>
${contents}
</main>`;
}
