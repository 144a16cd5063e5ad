import { PROBLEMS } from '../http/reply/problem.ts';
import { docsPage } from './docs-layout.ts';
import { escapeHtml, type HtmlPage } from './layout.ts';

const BY_STATUS = Object.entries(PROBLEMS).sort(([a, x], [b, y]) => x.status - y.status || (a < b ? -1 : 1));

export const problemList: HtmlPage = docsPage(
  'Errors',
  `<main class="guide">
<h1>Errors</h1>
<p>Errors of the API are problem documents (RFC 9457) with a stable <code>code</code>. The OAuth endpoints respond with OAuth errors instead. Each code has a page that explains it.
The guide says <a href="/docs/guide/errors">what to do for each status</a>.</p>
<div class="scrolls codes" tabindex="0" role="region" aria-label="All errors"><table>
<tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr>
${BY_STATUS.map(
  ([code, { status, title }]) =>
    `<tr><td>${status}</td><td><a href="/problems/${code}"><code>${code}</code></a></td><td>${escapeHtml(title)}</td></tr>`,
).join('\n')}
</table></div>
</main>`,
  { here: 'errors' },
);

export const problemPages: ReadonlyMap<string, HtmlPage> = new Map(
  BY_STATUS.map(([code, { status, title, explanation, whatToDo }]) => [
    code,
    docsPage(
      title,
      `<main class="guide">
<p><a href="/problems">All errors</a></p>
<h1>${escapeHtml(title)}</h1>
<p><code>${code}</code>, HTTP status ${status}</p>
<h2>What it means</h2>
<p>${escapeHtml(explanation)}</p>
<h2>What to do</h2>
<p>${escapeHtml(whatToDo)}</p>
</main>`,
      { here: 'errors' },
    ),
  ]),
);
