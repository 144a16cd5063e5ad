import type { DomainError, ErrorCode } from '../../domain/errors.ts';
import { PROBLEMS } from '../http/reply/problem.ts';
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
  'method-not-allowed': 'This page cannot be opened directly',
  'rate-limited': 'Too many attempts',
  restoring: 'Not available right now',
  'dependency-unavailable': 'Not available right now',
  'internal-error': 'Something went wrong',
};

const NEW_LINK = '<p class="beside"><a href="/api/v1/auth/forgot-password">Ask for a new link</a></p>';
const START_AGAIN =
  '<p>This address is for forms and programs. Go back to the application or page that you came from, and start again there.</p>';
const FOR_PROGRAMS =
  '<p>Programs use this address.</p>\n<p class="beside"><a href="/docs">Read the documentation</a></p>';

interface Refused {
  requestId: string;
  /** Whether the operation exists for people, and not only for programs. */
  isForPeople: boolean;
}

export function refusalPage({ code, message, extra }: DomainError, { requestId, isForPeople }: Refused): HtmlPage {
  const { status, title } = PROBLEMS[code];
  return messagePage(
    TITLES[code] ?? title,
    `<p>${escapeHtml(message)}</p>
${faultsOf(extra)}
${hintOf(code, isForPeople)}
<p class="beside"><a href="/problems/${code}">What this error means</a></p>
<p class="fine">Error ${status} <code>${code}</code><br>Request <code>${escapeHtml(requestId)}</code></p>`,
  );
}

function hintOf(code: ErrorCode, isForPeople: boolean): string {
  if (code === 'invalid-reset-token') return NEW_LINK;
  if (code === 'method-not-allowed') return START_AGAIN;
  return isForPeople ? '' : FOR_PROGRAMS;
}

function faultsOf({ errors }: DomainError['extra']): string {
  if (!Array.isArray(errors)) return '';
  const items = (errors as readonly { pointer: string; detail: string }[]).slice(0, 10).map(({ pointer, detail }) => {
    const name = pointer.split('/').at(-1) ?? '';
    return `<li>${name === '' ? 'The request' : `<code>${escapeHtml(name)}</code>`} ${escapeHtml(detail)}.</li>`;
  });
  return `<ul class="fine">${items.join('')}</ul>`;
}
