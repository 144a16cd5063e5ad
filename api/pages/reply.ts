import type { ReplyHeaders } from '../http/operations.ts';
import { pageHeaders, type HtmlPage } from './layout.ts';

/** A page as the answer of a handler. */
export function pageReply<const Status extends number>(status: Status, page: HtmlPage, headers: ReplyHeaders = {}) {
  return { status, contentType: 'text/html', raw: page.html, headers: { ...pageHeaders(page), ...headers } } as const;
}

/** Sends a browser on by GET, whatever it sent before (RFC 9700, 4.12: never 307). */
export function sentOn(location: string, setCookie?: string) {
  return { status: 303, headers: { Location: location, 'Set-Cookie': setCookie } } as const;
}
