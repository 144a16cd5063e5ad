import type { DomainError, ErrorCode } from '../../domain/errors.ts';
import { PROBLEMS } from '../http/problem.ts';
import { escapeHtml, messagePage, type HtmlPage } from './layout.ts';

/** Titles for people, where the error's own title is for programmers. */
const TITLES: Readonly<Partial<Record<ErrorCode, string>>> = {
  'invalid-request': 'This link or form does not work',
  'malformed-json': 'This link or form does not work',
  'body-too-large': 'Too much data',
  'unsupported-media-type': 'This link or form does not work',
  'form-expired': 'This form has expired',
  'invalid-reset-token': 'This link is not valid',
  'invalid-verification-token': 'This link is not valid',
  'rate-limited': 'Too many attempts',
  'dependency-unavailable': 'Not available right now',
  'internal-error': 'Something went wrong',
};

const NEW_LINK = '<p class="beside"><a href="/api/v1/auth/forgot-password">Ask for a new link</a></p>';

export function refusalPage({ code, message, extra }: DomainError, requestId: string): HtmlPage {
  return messagePage(
    TITLES[code] ?? PROBLEMS[code].title,
    `<p>${escapeHtml(message)}</p>
${faultsOf(extra)}
${code === 'invalid-reset-token' ? NEW_LINK : ''}
<p class="fine">Request <code>${escapeHtml(requestId)}</code></p>`,
  );
}

function faultsOf({ errors }: DomainError['extra']): string {
  if (!Array.isArray(errors)) return '';
  const items = (errors as readonly { pointer: string; detail: string }[]).slice(0, 10).map(({ pointer, detail }) => {
    const name = pointer.split('/').at(-1) ?? '';
    return `<li>${name === '' ? 'The request' : `<code>${escapeHtml(name)}</code>`} ${escapeHtml(detail)}.</li>`;
  });
  return `<ul class="fine">${items.join('')}</ul>`;
}
