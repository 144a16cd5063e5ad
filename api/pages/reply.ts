import type { ReplyHeaders } from '../http/handlers.ts';
import { pageHeaders, type HtmlPage } from './layout.ts';

export function pageReply<const Status extends number>(status: Status, page: HtmlPage, headers: ReplyHeaders = {}) {
  return { status, contentType: 'text/html', raw: page.html, headers: { ...pageHeaders(page), ...headers } } as const;
}

/** Redirects a browser with GET, whatever the method of its request (RFC 9700, 4.12: never 307). */
export function sentOn(location: string, setCookie?: string) {
  return { status: 303, headers: { Location: location, 'Set-Cookie': setCookie } } as const;
}
