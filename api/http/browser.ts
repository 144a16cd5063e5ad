import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { DomainError } from '../../domain/errors.ts';
import { hostCookie } from '../../infra/oidc/host-cookie.ts';
import { newBrowserId } from '../../infra/keys/credentials.ts';
import type { Services } from '../../infra/services.ts';
import { FORM } from './body.ts';

const COOKIE = hostCookie('rf_browser', /^rf_br_[\w-]{43}$/);

/** So long a browser is known again as one that signed in before. */
const YEAR_S = 31_536_000;

/** What a browser is known by before anybody signs in. */
export interface Browser {
  /** What its cookie holds: 256 random bits. */
  browser: string;
  /** The `Set-Cookie` header that gives it one, where it has none yet. */
  setCookie?: string;
}

/** Knows a browser again by its cookie, or gives it one. */
export function browserOf(headers: Pick<IncomingHttpHeaders, 'cookie'>): Browser {
  const known = COOKIE.read(headers.cookie);
  if (known !== undefined) return { browser: known };
  const browser = newBrowserId();
  return { browser, setCookie: COOKIE.set(browser, YEAR_S) };
}

/** What a form carries so that it counts: of this browser, for this purpose. Nobody without the keys of the service can make one. */
export function csrfTokenOf({ keys }: Pick<Services, 'keys'>, browser: string, purpose: string): string {
  return keys.blindIndex('csrf', `${browser} ${purpose}`);
}

/**
 * Refuses a form that this browser was not given by one of our own pages.
 * @throws DomainError `form-expired`.
 */
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

/** @throws DomainError `form-expired` where a browser says that another site made it send this. */
export function requireOurPage(services: Pick<Services, 'config'>, headers: IncomingHttpHeaders): void {
  if (!isFromOurPage(services, headers)) throw formExpired();
}

/** Whether the body is a form, as a browser sends it, rather than JSON. */
export function isForm({ 'content-type': type = '' }: IncomingHttpHeaders): boolean {
  return type.toLowerCase().startsWith(FORM);
}

/**
 * What browsers add of themselves. Our pages send no referrer, which makes their Origin `null`; then Sec-Fetch-Site, which every
 * browser of today sends, and the form's token say the rest.
 */
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
