import type { Request, Response } from 'express';
import type { IncomingHttpHeaders } from 'node:http';
import type { DomainError, ErrorCode } from '../../../domain/errors.ts';
import { pageHeaders } from '../../pages/layout.ts';
import { refusalPage } from '../../pages/refusal.ts';
import type { Packed } from './answer.ts';
import { FORM } from '../request/body.ts';
import type { Operation } from '../contract.ts';
import { PROBLEMS } from './problem.ts';
import type { Locals, Wording } from '../locals.ts';
import { headersOf, problemOf } from './problem-document.ts';

export function refusalFor(error: DomainError, response: Response): Packed {
  const { locals, req } = response;
  const wording = locals.wording ?? (isFromPerson(req) ? 'page' : 'problem');
  if (wording === 'oauth') return oauthRefusal(error, req.headers);
  // A malformed body can get its response before the request fails.
  if (!response.headersSent) response.vary('Accept');
  return wording === 'page' ? pageRefusal(error, locals) : problemRefusal(error, locals);
}

export function wordingOf({ errors }: Operation, request: Request): Wording {
  if (errors === 'oauth') return errors;
  const isForPerson = errors === 'page' ? isFromBrowser(request) : isFromPerson(request);
  return isForPerson ? 'page' : 'problem';
}

export function problemRefusal(error: DomainError, locals: Locals): Packed {
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
  'too-many-bytes': 'temporarily_unavailable',
  restoring: 'temporarily_unavailable',
  'dependency-unavailable': 'temporarily_unavailable',
  'internal-error': 'server_error',
};

/** The description may contain only printable ASCII without double quotes and backslashes (RFC 6749, 5.2). */
function oauthRefusal(error: DomainError, { authorization }: IncomingHttpHeaders): Packed {
  const { status } = PROBLEMS[error.code];
  const faults = Array.isArray(error.extra.errors) ? (error.extra.errors as { pointer: string; detail: string }[]) : [];
  const sentences = [error.message, ...faults.map(({ pointer, detail }) => `${pointer.slice(1)} ${detail}.`.trim())];
  const headers: Record<string, string> = { ...headersOf(error), 'Cache-Control': 'no-store', Pragma: 'no-cache' };
  delete headers['WWW-Authenticate'];
  if (status === 401 && authorization !== undefined) headers['WWW-Authenticate'] = 'Basic realm="ringfence"';
  return {
    status,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      error: OAUTH_ERRORS[error.code] ?? 'invalid_request',
      error_description: sentences
        .join(' ')
        .replaceAll('"', "'")
        .replace(/[^\x20-\x7e]|\\/g, '?')
        .slice(0, 1_000),
    }),
  };
}

function pageRefusal(error: DomainError, { requestId, operation }: Locals): Packed {
  const isForPeople = operation !== undefined && operation.errors !== 'problem';
  const page = refusalPage(error, { requestId, isForPeople });
  const { 'WWW-Authenticate': challenge, ...headers } = headersOf(error);
  return {
    status: PROBLEMS[error.code].status,
    headers: {
      ...headers,
      // People sign in with a form on the pages of the service, so no challenge is needed there.
      ...(challenge !== undefined && !isForPeople && { 'WWW-Authenticate': challenge }),
      'Content-Type': 'text/html; charset=utf-8',
      ...pageHeaders(page),
    },
    body: page.html,
  };
}

/** Whether a browser probably sent the request. Only for operations that exist for browsers. */
function isFromBrowser(request: Request): boolean {
  const { accept = '', 'content-type': sent = '' } = request.headers;
  if (sent !== '') return isForm(sent);
  return prefersHtml(request) || !accept.toLowerCase().includes('json');
}

/** Whether a person waits in front of a browser, which opens an address or sends a form. Programs call everything else. */
function isFromPerson(request: Request): boolean {
  const { 'content-type': sent = '' } = request.headers;
  const isOpened = sent === '' && ['GET', 'HEAD'].includes(request.method);
  return (isOpened || isForm(sent)) && prefersHtml(request);
}

const isForm = (type: string) => type.toLowerCase().startsWith(FORM);

/** Without a preference, JSON comes first. */
export function prefersHtml(request: Request): boolean {
  return request.accepts(['application/problem+json', 'application/json', 'text/html']) === 'text/html';
}
