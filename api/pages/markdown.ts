import { createRequire } from 'node:module';
import MarkdownIt from 'markdown-it';
import { escapeHtml } from './layout.ts';

/** The package's own types would add browser types to the whole project. */
interface Highlighter {
  registerLanguage(name: string, language: unknown): void;
  getLanguage(name: string): unknown;
  highlight(code: string, options: { language: string }): { value: string };
}

const load = createRequire(import.meta.url);
const highlighter = load('highlight.js/lib/core') as Highlighter;
for (const [name, language] of Object.entries({ sh: 'bash', ts: 'typescript', py: 'python', json: 'json' }))
  highlighter.registerLanguage(name, load(`highlight.js/lib/languages/${language}`));

const LABELS: Readonly<Record<string, string>> = {
  sh: 'curl',
  ts: 'TypeScript',
  py: 'Python',
  json: 'Response',
  text: 'Text',
};

/** The languages of the samples, in the order of their tabs. */
const SAMPLES = ['sh', 'ts', 'py'];

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });

markdown.renderer.rules.fence = (tokens, index) => {
  const { info, content } = tokens[index]!;
  const language = info.trim();
  const label = language === 'sh' && !content.startsWith('curl') ? 'Shell' : (LABELS[language] ?? 'Code');
  const code =
    highlighter.getLanguage(language) !== undefined
      ? highlighter.highlight(content, { language }).value
      : escapeHtml(content);
  return `<figure class="code ${escapeHtml(language)}"><figcaption>${label}</figcaption><pre><code>${code}</code></pre></figure>\n`;
};

/** Adjacent samples in different languages show the same step, so readers need only one of them (`docs.js`). */
markdown.core.ruler.push('samples', (state) => {
  const tokens = state.tokens.slice();
  const languageAt = (index: number) => {
    const language = tokens[index]?.type === 'fence' ? tokens[index].info.trim() : '';
    return SAMPLES.includes(language) ? language : undefined;
  };
  const grouped: typeof tokens = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const languages = new Set<string>();
    const start = index;
    for (let language = languageAt(index); language !== undefined && !languages.has(language);) {
      languages.add(language);
      language = languageAt(start + languages.size);
    }
    if (languages.size < 2) {
      grouped.push(tokens[index]!);
      continue;
    }
    const group = new state.Token('samples_open', 'div', 1);
    group.attrSet('class', 'samples');
    grouped.push(group, ...tokens.slice(start, start + languages.size), new state.Token('samples_close', 'div', -1));
    index = start + languages.size - 1;
  }
  state.tokens = grouped;
});

markdown.renderer.rules.table_open = () =>
  '<div class="scrolls" tabindex="0" role="region" aria-label="Table"><table>\n';
markdown.renderer.rules.table_close = () => '</table></div>\n';
markdown.renderer.rules.link_open = (tokens, index, options, _environment, renderer) => {
  const token = tokens[index]!;
  const to = String(token.attrGet('href'));
  const chapter = /^(?:docs\/guide\/)?(\d+-[a-z-]+\.md)(#.*)?$/.exec(to);
  if (chapter !== null) token.attrSet('href', `/docs/guide/${chapterName(chapter[1]!)}${chapter[2] ?? ''}`);
  return renderer.renderToken(tokens, index, options);
};
markdown.renderer.rules.heading_open = (tokens, index, options, _environment, renderer) => {
  tokens[index]!.attrSet('id', anchorOf(tokens[index + 1]?.content ?? ''));
  return renderer.renderToken(tokens, index, options);
};

/** `10-start.md` becomes `start`, for `/docs/guide/start`. */
export function chapterName(file: string): string {
  return file.replace(/^\d+-/, '').replace(/\.md$/, '');
}

export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

export function htmlOf(text: string): string {
  return markdown.render(withoutComments(text.replaceAll(KEEP, keepSentence)));
}

export function inlineHtmlOf(text: string): string {
  return markdown.renderInline(text);
}

/** Comments are for the tests that run the guide's code. */
export function withoutComments(text: string): string {
  return text.replaceAll(/<!--[\s\S]*?-->\n?/g, '');
}

/** Names the response values that later commands need. Readers see a sentence instead. */
const KEEP = /<!-- keep (.+?) -->/g;

function keepSentence(_comment: string, names: string): string {
  const each = names.split(' ').map((pair) => {
    const [name, path] = pair.split('=', 2) as [string, string];
    return `\`${name}\` to the \`${path.replaceAll(/\.(\d+)/g, '[$1]')}\``;
  });
  return `Before you run the next curl commands, set ${each.join(' and ')} of your response, with \`export\`.`;
}
