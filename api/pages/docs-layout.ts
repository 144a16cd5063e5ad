import { escapeHtml, layout, MARK, textOf, type HtmlPage } from './layout.ts';

const STYLE = textOf('docs-bar.css') + textOf('docs.css');

const SECTIONS = [
  ['guide', '/docs/guide', 'Guide'],
  ['reference', '/docs/reference', 'Reference'],
  ['errors', '/problems', 'Errors'],
  ['changelog', '/docs/changelog', 'Changelog'],
] as const;
type Section = (typeof SECTIONS)[number][0];

/** `query` is the text of the last search. */
export function docsBar(here?: Section, query = ''): string {
  const links = SECTIONS.map(
    ([section, address, name]) =>
      `<li><a href="${address}"${section === here ? ' aria-current="true"' : ''}>${name}</a></li>`,
  );
  return `<header class="bar">
<a class="home" href="/docs">${MARK}Ringfence</a>
<nav aria-label="Documentation"><ul>${links.join('')}</ul></nav>
<form role="search" action="/docs/search"><label class="unseen" for="search">Search the documentation</label>
<input id="search" type="search" name="q" maxlength="100" placeholder="Search" autocomplete="off" value="${escapeHtml(query)}"><button>Search</button></form>
</header>`;
}

/** `content` is HTML. */
export function docsPage(
  title: string,
  content: string,
  { here, query }: { here?: Section; query?: string } = {},
): HtmlPage {
  return layout(title, content, {
    header: docsBar(here, query),
    styles: [STYLE],
    script: '/docs/docs.js',
    wide: true,
    // Forms may submit only to this service, as the search does.
    formTargets: [],
  });
}
