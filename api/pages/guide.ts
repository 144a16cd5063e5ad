import { readdirSync, readFileSync } from 'node:fs';
import { docsPage } from './docs-layout.ts';
import { escapeHtml, type HtmlPage } from './layout.ts';
import { chapterName, htmlOf, inlineHtmlOf } from './markdown.ts';

const GUIDE = new URL('../../docs/guide/', import.meta.url);
const CHANGELOG = new URL('../../CHANGELOG.md', import.meta.url);
/** The address of the service in the guide's sources. */
const LOCAL = 'https://localhost:8443';

/** `name` is the name in URLs, and `text` is Markdown. */
export interface Chapter {
  name: string;
  title: string;
  text: string;
}

export function readChapters(publicUrl: string): Chapter[] {
  return readdirSync(GUIDE)
    .filter((file) => /^\d+-[a-z-]+\.md$/.test(file))
    .sort()
    .map((file) => {
      const text = readFileSync(new URL(file, GUIDE), 'utf8').replaceAll(LOCAL, publicUrl);
      return { name: chapterName(file), title: /^# (.+)$/m.exec(text)?.[1] ?? file, text };
    });
}

function chapterPage(chapters: readonly Chapter[], index: number): HtmlPage {
  const { name, title, text } = chapters[index]!;
  const links = chapters.map((chapter) => {
    const here = chapter.name === name ? ' aria-current="page"' : '';
    return `<li><a href="/docs/guide/${chapter.name}"${here}>${escapeHtml(chapter.title)}</a></li>`;
  });
  const next = chapters[index + 1];
  const onward = next && `<p class="onward"><a href="/docs/guide/${next.name}">Next: ${escapeHtml(next.title)}</a></p>`;
  return docsPage(
    title,
    // A phone has no room for the list beside the text. Only one of the two lists is ever visible.
    `<div class="book"><details class="chapters-menu"><summary>All chapters</summary><nav aria-label="Chapters"><ol>${links.join('\n')}</ol></nav></details>
<nav class="chapters" aria-label="Chapters"><ol>${links.join('\n')}</ol></nav>
<main class="guide">${htmlOf(text)}${onward ?? ''}</main></div>`,
    { here: 'guide' },
  );
}

/** Keyed by path. */
export function writtenPages(chapters: readonly Chapter[]): ReadonlyMap<string, HtmlPage> {
  const list = chapters.map(({ name, title, text }) => {
    const [, lead = ''] = text.split('\n\n');
    return `<li><a href="/docs/guide/${name}">${escapeHtml(title)}</a><p>${inlineHtmlOf(lead.replaceAll('\n', ' '))}</p></li>`;
  });
  const contents = `<ol class="contents">${list.join('\n')}</ol>`;
  const changes = `<main class="guide">${htmlOf(readFileSync(CHANGELOG, 'utf8'))}</main>`;
  return new Map([
    ['/docs', docsPage('Documentation', homeContent(contents))],
    ['/docs/guide', docsPage('Guide', `<main class="guide"><h1>Guide</h1>${contents}</main>`, { here: 'guide' })],
    ...chapters.map(({ name }, index) => [`/docs/guide/${name}`, chapterPage(chapters, index)] as const),
    ['/docs/changelog', docsPage('Changelog', changes, { here: 'changelog' })],
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
