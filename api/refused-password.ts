import { DomainError } from '../domain/errors.ts';
import { headersOf } from './http/reply/problem-document.ts';
import type { HtmlPage } from './pages/layout.ts';
import { pageReply } from './pages/reply.ts';

export type RefusedPassword = DomainError & { code: 'invalid-credentials' | 'rate-limited' };

export function isRefusedPassword(error: unknown): error is RefusedPassword {
  return error instanceof DomainError && (error.code === 'invalid-credentials' || error.code === 'rate-limited');
}

export function refusedReply(error: RefusedPassword, page: HtmlPage, setCookie?: string) {
  const { 'WWW-Authenticate': _challenge, ...headers } = headersOf(error);
  return pageReply(error.code === 'rate-limited' ? 429 : 401, page, { ...headers, 'Set-Cookie': setCookie });
}
