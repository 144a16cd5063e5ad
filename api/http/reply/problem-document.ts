import type { DomainError, ErrorCode } from '../../../domain/errors.ts';
import { PROBLEMS } from './problem.ts';
import type { Locals } from '../locals.ts';

/** RFC 9457. `extra` becomes additional members. */
export function problemOf({ code, message, extra }: DomainError, instance: Pick<Locals, 'path' | 'requestId'>) {
  const { status, title } = PROBLEMS[code];
  const standard = {
    type: `/problems/${code}`,
    title,
    status,
    detail: message,
    instance: `${instance.path.slice(0, 500)}#${instance.requestId}`,
    code,
  };
  // Additional members come last and never replace standard members.
  return { ...standard, ...extra, ...standard };
}

const DEFAULT_RETRY_AFTER_S: Readonly<Record<number, number>> = { 429: 60, 503: 5 };

export function headersOf({ code, extra }: DomainError): Record<string, string> {
  const { status } = PROBLEMS[code];
  const headers: Record<string, string> = {};
  if (status === 401 || code === 'insufficient-scope') headers['WWW-Authenticate'] = challengeOf(code, extra);
  const retryAfter = typeof extra.retry_after === 'number' ? extra.retry_after : DEFAULT_RETRY_AFTER_S[status];
  if (retryAfter !== undefined) headers['Retry-After'] = String(Math.max(1, Math.ceil(retryAfter)));
  if (code === 'rate-limited' && typeof extra.limit === 'number' && typeof extra.window === 'number') {
    headers.RateLimit = `"default";r=0;t=${headers['Retry-After']}`;
    headers['RateLimit-Policy'] = `"default";q=${extra.limit};w=${extra.window}`;
  }
  return headers;
}

/** RFC 6750, section 3. The error code appears only if a token or API key is invalid or lacks a scope. */
function challengeOf(code: ErrorCode, extra: DomainError['extra']): string {
  const realm = 'Bearer realm="ringfence"';
  if (code === 'insufficient-scope')
    return `${realm}, error="insufficient_scope", scope="${typeof extra.scope === 'string' ? extra.scope : ''}"`;
  if (code === 'invalid-token' || code === 'wrong-environment-key') return `${realm}, error="invalid_token"`;
  return realm;
}
