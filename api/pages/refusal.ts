import type { DomainError } from '../../domain/errors.ts';
import { PROBLEMS } from '../http/problem.ts';
import { escapeHtml, layout, type HtmlPage } from './layout.ts';

/** A refusal for the person at a browser. The request's id is what an operator asks for. */
export function refusalPage({ code, message }: DomainError, requestId: string): HtmlPage {
  return layout(
    PROBLEMS[code].title,
    `<main>
<h1>${escapeHtml(PROBLEMS[code].title)}</h1>
<p>${escapeHtml(message)}</p>
<p><small>Request <code>${escapeHtml(requestId)}</code></small></p>
</main>`,
  );
}
