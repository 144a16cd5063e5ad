import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { DomainError } from '../../../domain/errors.ts';
import { hostCookie } from '../../../infra/oidc/host-cookie.ts';
import { newBrowserId } from '../../../infra/keys/credentials.ts';
import type { Services } from '../../../infra/services.ts';
import { FORM } from './body.ts';

const COOKIE = hostCookie('rf_browser', /^rf_br_[\w-]{43}$/);

const YEAR_S = 31_536_000;

/** `setCookie` is set if the browser has no cookie yet. */
export function browserOf(headers: Pick<IncomingHttpHeaders, 'cookie'>) {
  const known = COOKIE.read(headers.cookie);
  const browser = known ?? newBrowserId();
  return { browser, setCookie: known === undefined ? COOKIE.set(browser, YEAR_S) : undefined };
}

export function csrfTokenOf({ keys }: Pick<Services, 'keys'>, browser: string, purpose: string): string {
  return keys.blindIndex('csrf', `${browser} ${purpose}`);
}

/** For a page with a form. `setCookie` belongs into the response. */
export function openForm(services: Pick<Services, 'keys'>, headers: IncomingHttpHeaders, purpose: string) {
  const known = browserOf(headers);
  return { ...known, csrf: csrfTokenOf(services, known.browser, purpose) };
}

/** @throws DomainError `form-expired` unless one of our own pages gave the form to this browser. */
export function requireOwnForm(
  services: Pick<Services, 'keys' | 'config'>,
  { headers, purpose, token }: { headers: IncomingHttpHeaders; purpose: string; token: string | undefined },
): void {
  const browser = COOKIE.read(headers.cookie);
  if (browser === undefined || token === undefined || !isFromOurPage(services, headers)) throw formExpired();
  const wanted = Buffer.from(csrfTokenOf(services, browser, purpose));
  const given = Buffer.from(token);
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw formExpired();
}

/** @throws DomainError `form-expired` if the browser reports that another site sent the request. */
export function requireOurPage(services: Pick<Services, 'config'>, headers: IncomingHttpHeaders): void {
  if (!isFromOurPage(services, headers)) throw formExpired();
}

export function isForm({ 'content-type': type = '' }: IncomingHttpHeaders): boolean {
  return type.toLowerCase().startsWith(FORM);
}

/** Browsers send `Origin: null` with our forms, because our pages have the policy `no-referrer`. */
function isFromOurPage({ config }: Pick<Services, 'config'>, headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const { origin, host } = headers;
  if (origin === undefined || origin === 'null') return true;
  if (!URL.canParse(origin)) return false;
  return origin === new URL(config.api.publicUrl).origin || new URL(origin).host === host;
}

function formExpired(): DomainError {
  return new DomainError(
    'form-expired',
    'The form has expired, or was not opened in this browser. Open the page again and fill in the form again.',
  );
}
