import { covers, SCOPES, type Scope } from './auth.ts';

/** The parameters that the service reads (RFC 6749, 4.1.1; RFC 7636, 4.3). */
export const AUTHORIZE_PARAMETERS = [
  'client_id',
  'redirect_uri',
  'response_type',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
] as const;
type AuthorizeParameter = (typeof AUTHORIZE_PARAMETERS)[number];

/** A repeated parameter has a list as its value. */
export type GivenQuery = Readonly<Record<string, unknown>>;

interface RegisteredClient {
  redirectUris: readonly string[];
  scopes: readonly Scope[];
  isPublic: boolean;
}

interface GrantedRequest {
  scopes: Scope[];
  /** Null if a client with a secret does not use PKCE. */
  codeChallenge: string | null;
}

/** An error of RFC 6749, section 4.1.2.1. */
export interface AuthorizeFault {
  error: 'invalid_request' | 'unsupported_response_type' | 'invalid_scope' | 'access_denied';
  description: string;
}

/** Undefined if the parameter is missing, repeated or empty (RFC 6749, 3.1). */
export function parameter(query: GivenQuery, name: AuthorizeParameter): string | undefined {
  const value = query[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * A request that names no URI gets the registered URI, if exactly one is registered. Otherwise returns the URI that the
 * request names, if it is registered.
 */
export function redirectUriOf(query: GivenQuery, { redirectUris, isPublic }: RegisteredClient): string | undefined {
  if (Array.isArray(query.redirect_uri)) return undefined;
  const given = parameter(query, 'redirect_uri');
  if (given === undefined) return redirectUris.length === 1 ? redirectUris[0] : undefined;
  const known = isPublic ? redirectUris.map(withoutLoopbackPort) : redirectUris;
  return known.includes(isPublic ? withoutLoopbackPort(given) : given) ? given : undefined;
}

const LOOPBACK_PORT = /^(http:\/\/(?:127\.0\.0\.1|\[::1\])):(\d{1,5})(?=[/?]|$)/;

/** An app on a person's computer listens on the port that the system gives it (RFC 8252, 7.3). */
function withoutLoopbackPort(uri: string): string {
  return uri.replace(LOOPBACK_PORT, (whole, address: string, port: string) =>
    Number(port) < 65_536 ? address : whole,
  );
}

export function judgeAuthorization(query: GivenQuery, client: RegisteredClient): GrantedRequest | AuthorizeFault {
  const twice = AUTHORIZE_PARAMETERS.find((name) => Array.isArray(query[name]));
  if (twice !== undefined) return invalid(`${twice} must not appear more than once`);
  const responseType = parameter(query, 'response_type');
  if (responseType === undefined) return invalid('response_type is missing; it must be code');
  if (responseType !== 'code') return { error: 'unsupported_response_type', description: 'response_type must be code' };
  const codeChallenge = challengeOf(query, client);
  if (typeof codeChallenge === 'object' && codeChallenge !== null) return codeChallenge;
  const scopes = scopesOf(query, client);
  return Array.isArray(scopes) ? { scopes, codeChallenge } : scopes;
}

/** RFC 7636, 4.3 and 4.4.1. */
function challengeOf(query: GivenQuery, { isPublic }: RegisteredClient): string | null | AuthorizeFault {
  const challenge = parameter(query, 'code_challenge');
  const method = parameter(query, 'code_challenge_method');
  if (challenge === undefined) {
    if (method !== undefined) return invalid('code_challenge_method must come with a code_challenge');
    return isPublic ? invalid('a public client must send a code_challenge (PKCE, S256)') : null;
  }
  if (method !== 'S256') return invalid('code_challenge_method must be S256');
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge)) {
    return invalid('code_challenge must be the SHA-256 of the code_verifier in base64url, 43 characters');
  }
  return challenge;
}

function scopesOf(query: GivenQuery, { scopes: registered }: RegisteredClient): Scope[] | AuthorizeFault {
  const given = parameter(query, 'scope');
  if (given === undefined) return [...registered];
  const names = [...new Set(given.split(' ').filter((name) => name !== ''))];
  const granted = SCOPES.filter((scope) => names.includes(scope) && covers(registered, scope));
  if (names.length > 0 && granted.length === names.length) return granted;
  return {
    error: 'invalid_scope',
    description: 'a scope is unknown, or is not registered for the client',
  };
}

function invalid(description: string): AuthorizeFault {
  return { error: 'invalid_request', description };
}

/** RFC 6749, 3.1.2. Form and URI parsers both understand `%20` as a space. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const added = Object.entries(parameters)
    .filter((pair): pair is [string, string] => pair[1] !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`)
    .join('&');
  const mark = uri.indexOf('?');
  if (mark === -1) return `${uri}?${added}`;
  const query = uri.slice(mark + 1);
  return query === '' || query.endsWith('&') ? uri + added : `${uri}&${added}`;
}

export function destinationOf(redirectUri: string): { kind: 'site' | 'own-computer' | 'app'; name: string } {
  const url = new URL(redirectUri);
  if (url.protocol === 'https:') return { kind: 'site', name: url.host };
  if (url.protocol === 'http:') return { kind: 'own-computer', name: url.host };
  return { kind: 'app', name: url.protocol.slice(0, -1) };
}

/** A CSP source for the form's target. For IPv6 addresses and apps, CSP can name only the scheme. */
export function formTargetOf(redirectUri: string): string {
  const { protocol, origin } = new URL(redirectUri);
  return /^https?:\/\/[a-z0-9.-]+(?::\d+)?$/.test(origin) ? origin : protocol;
}
