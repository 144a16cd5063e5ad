import MiniSearch from 'minisearch';
import type { Operation } from '../http/contract.ts';
import { PROBLEMS } from '../http/reply/problem.ts';
import { docsPage } from './docs-layout.ts';
import type { Chapter } from './guide.ts';
import { escapeHtml, type HtmlPage } from './layout.ts';
import { anchorOf, withoutComments } from './markdown.ts';

interface Part {
  /** The URL of the part. */
  id: string;
  kind: 'Guide' | 'Reference' | 'Error';
  title: string;
  /** An error's status and code, or an operation's method, path and id. Empty for the guide. */
  name: string;
  text: string;
}

type Found = Part & { terms: readonly string[] };

/** Anybody can search without a rate limit, and each word takes up to half a millisecond. */
const MAX_QUERY = 100;
const MAX_WORDS = 8;
/** These words count only in a query that has no other word. */
const COMMON_WORDS = new Set(
  'a an and are as at be by can do does for from how i if in is it my of on or so that the this to we what when where which why with you your'.split(
    ' ',
  ),
);
const wordsIn = MiniSearch.getDefault('tokenize') as (text: string) => string[];
const MAX_RESULTS = 20;
const EXCERPT = 180;
const OPTIONS = {
  boost: { title: 3, name: 2 },
  prefix: (term: string) => term.length > 2,
  fuzzy: 0.15,
  // The guide explains what the reference and errors only list.
  boostDocument: (id: unknown) => (String(id).startsWith('/docs/guide/') ? 2 : 1),
};

/** The first query builds the index. */
export function docsSearch(
  chapters: readonly Chapter[],
  operations: readonly Operation[],
): (query: string) => HtmlPage {
  let find: ((query: string) => Found[]) | undefined;
  return (text) => {
    const query = text.trim().slice(0, MAX_QUERY);
    find ??= finderIn([...guideParts(chapters), ...referenceParts(operations), ...errorParts()]);
    return resultsPage(query, query === '' ? [] : find(query));
  };
}

function finderIn(parts: readonly Part[]): (query: string) => Found[] {
  const fields = ['title', 'name', 'text'];
  const index = new MiniSearch<Part>({ fields, storeFields: ['kind', ...fields], searchOptions: OPTIONS });
  index.addAll(parts);
  return (query) => {
    const words = significantWords(query).join(' ');
    const all = index.search(words, { combineWith: 'AND' });
    return (all.length > 0 ? all : index.search(words)).slice(0, MAX_RESULTS) as unknown as Found[];
  };
}

function significantWords(query: string): string[] {
  const words = [...new Set(wordsIn(query.toLowerCase()).filter((word) => word !== ''))];
  const rare = words.filter((word) => !COMMON_WORDS.has(word));
  return (rare.length > 0 ? rare : words).slice(0, MAX_WORDS);
}

function guideParts(chapters: readonly Chapter[]): Part[] {
  return chapters.flatMap(({ name, title, text }) =>
    withoutComments(text)
      .split(/^## /m)
      .map((section, index): Part => {
        const [heading = '', ...lines] = section.split('\n');
        const [anchor, subtitle] = index === 0 ? ['', ''] : [`#${anchorOf(heading)}`, `: ${heading}`];
        return {
          id: `/docs/guide/${name}${anchor}`,
          kind: 'Guide',
          title: `${title}${subtitle}`,
          name: '',
          text: plainText(lines.join('\n')),
        };
      }),
  );
}

function referenceParts(operations: readonly Operation[]): Part[] {
  return operations.map(({ id, method, path, node }) => {
    const { tags, summary, description = '' } = node as { tags: [string]; summary: string; description?: string };
    return {
      // Swagger UI opens the operation that the fragment names.
      id: `/docs/reference#/${tags[0]}/${id}`,
      kind: 'Reference',
      title: summary,
      name: `${method} ${path} ${id}`,
      text: plainText(description),
    };
  });
}

function errorParts(): Part[] {
  return Object.entries(PROBLEMS).map(([code, { status, title, explanation, whatToDo }]) => ({
    id: `/problems/${code}`,
    kind: 'Error',
    title,
    name: `${status} ${code}`,
    text: plainText(`${explanation} ${whatToDo}`),
  }));
}

/** Leaves out code blocks, because they look alike on all pages. */
function plainText(markdown: string): string {
  return markdown
    .replaceAll(/^```[\s\S]*?^```$/gm, ' ')
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll(/^\|[ -|]+\|$/gm, ' ')
    .replaceAll(/[`*|]|^#+ /gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function resultsPage(query: string, results: readonly Found[]): HtmlPage {
  const found = results.map(({ id, kind, title, name, text, terms }) => {
    const label = name === '' ? '' : ` · <code>${marked(name, terms)}</code>`;
    return `<li><a href="${escapeHtml(id)}">${marked(title, terms)}</a><p class="kind">${kind}${label}</p><p>${marked(excerptOf(text, terms), terms)}</p></li>`;
  });
  return docsPage(
    query === '' ? 'Search' : `${query} - Search`,
    `<main class="guide"><h1>Search</h1>
<p>${said(query, results.length)}</p>
<ol class="found">${found.join('\n')}</ol></main>`,
    { query },
  );
}

function said(query: string, count: number): string {
  if (query === '') return 'Search the guide, the reference and the errors for words, field names, paths or codes.';
  const what = `for <strong>${escapeHtml(query)}</strong>`;
  if (count === 0) return `Nothing found ${what}. Try other words, or look at the <a href="/docs">contents</a>.`;
  return count === MAX_RESULTS
    ? `The first ${count} results ${what}`
    : `${count} result${count === 1 ? '' : 's'} ${what}`;
}

function excerptOf(text: string, terms: readonly string[]): string {
  const at = terms.length === 0 ? 0 : Math.max(0, text.search(anyOf(terms)));
  const from = at < EXCERPT / 2 ? 0 : text.indexOf(' ', at - EXCERPT / 2) + 1;
  const part = text.slice(from, from + EXCERPT);
  const isCut = from + EXCERPT < text.length;
  return `${from > 0 ? '… ' : ''}${isCut ? `${part.slice(0, part.lastIndexOf(' '))} …` : part}`;
}

function marked(text: string, terms: readonly string[]): string {
  if (terms.length === 0) return escapeHtml(text);
  return text
    .split(anyOf(terms))
    .map((part, index) => (index % 2 === 0 ? escapeHtml(part) : `<mark>${escapeHtml(part)}</mark>`))
    .join('');
}

function anyOf(terms: readonly string[]): RegExp {
  const escaped = terms.map((term) => term.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`\\b(${escaped.join('|')})\\b`, 'i');
}
