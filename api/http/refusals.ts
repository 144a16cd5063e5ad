import type { Response } from 'express';
import type { IncomingHttpHeaders } from 'node:http';
import type { DomainError, ErrorCode } from '../../domain/errors.ts';
import { pageHeaders } from '../pages/layout.ts';
import { refusalPage } from '../pages/refusal.ts';
import type { Packed } from './answer.ts';
import { FORM } from './body.ts';
import type { Operation } from './contract.ts';
import { PROBLEMS } from './problem.ts';
import type { Locals, Wording } from './locals.ts';
import { headersOf, problemOf } from './problem-document.ts';

export function refusalFor(error: DomainError, { locals, req }: Response): Packed {
  if (locals.wording === 'oauth') return oauthRefusal(error, req.headers);
  return locals.wording === 'page' ? pageRefusal(error, locals) : problemRefusal(error, locals);
}

export function wordingOf({ errors }: Operation, headers: IncomingHttpHeaders): Wording {
  if (errors === 'page') return wantsPage(headers) ? 'page' : 'problem';
  if (errors === 'accept') return asksForHtml(headers) ? 'page' : 'problem';
  return errors;
}

function problemRefusal(error: DomainError, locals: Locals): Packed {
  return {
    status: PROBLEMS[error.code].status,
    headers: { 'Content-Type': 'application/problem+json', ...headersOf(error) },
    body: JSON.stringify(problemOf(error, locals)),
  };
}

const OAUTH_ERRORS: Readonly<Partial<Record<ErrorCode, string>>> = {
  'invalid-client': 'invalid_client',
  'invalid-grant': 'invalid_grant',
  'unauthorized-client': 'unauthorized_client',
  'unsupported-grant-type': 'unsupported_grant_type',
  'invalid-scope': 'invalid_scope',
  'rate-limited': 'temporarily_unavailable',
  'dependency-unavailable': 'temporarily_unavailable',
  'internal-error': 'server_error',
};

/** The description may contain only printable ASCII without double quotes and backslashes (RFC 6749, 5.2). */
function oauthRefusal(error: DomainError, { authorization }: IncomingHttpHeaders): Packed {
  const { status } = PROBLEMS[error.code];
  const faults = Array.isArray(error.extra.errors) ? (error.extra.errors as { pointer: string; detail: string }[]) : [];
  const words = [error.message, ...faults.map(({ pointer, detail }) => `${pointer.slice(1)} ${detail}.`.trim())].join(
    ' ',
  );
  const headers: Record<string, string> = { ...headersOf(error), 'Cache-Control': 'no-store', Pragma: 'no-cache' };
  delete headers['WWW-Authenticate'];
  if (status === 401 && authorization !== undefined) headers['WWW-Authenticate'] = 'Basic realm="ringfence"';
  return {
    status,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      error: OAUTH_ERRORS[error.code] ?? 'invalid_request',
      error_description: words
        .replaceAll('"', "'")
        .replace(/[^\x20-\x7e]|\\/g, '?')
        .slice(0, 1_000),
    }),
  };
}

function pageRefusal(error: DomainError, { requestId }: Locals): Packed {
  const page = refusalPage(error, requestId);
  const { 'WWW-Authenticate': _challenge, ...headers } = headersOf(error);
  return {
    status: PROBLEMS[error.code].status,
    headers: { ...headers, 'Content-Type': 'text/html; charset=utf-8', ...pageHeaders(page) },
    body: page.html,
  };
}

/** Whether a browser probably sent the request. */
function wantsPage(headers: IncomingHttpHeaders): boolean {
  const sent = (headers['content-type'] ?? '').toLowerCase();
  if (sent !== '') return sent.startsWith(FORM);
  return asksForHtml(headers) || !acceptOf(headers).includes('json');
}

export function asksForHtml(headers: IncomingHttpHeaders): boolean {
  return acceptOf(headers).includes('text/html');
}

function acceptOf({ accept = '' }: IncomingHttpHeaders): string {
  return accept.toLowerCase();
}
