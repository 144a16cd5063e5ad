import * as oauth from 'openid-client';
// In your own project, import from '@ringfence/client'.
import { createClient, type Client } from '../../../client/src/index.ts';
import { ForPeople } from './errors.ts';
import { SCOPES } from './scopes.ts';

export const SERVICE = import.meta.env.VITE_SERVICE;
const CLIENT_ID = import.meta.env.VITE_CLIENT_ID;
/** Registered as the page's redirect URI. */
export const RETURN_TO = `${location.origin}/`;

/* Keys in session storage, which is separate for each tab. */
const PENDING = 'pending sign-in';
const TOKENS = 'tokens';

interface Tokens {
  access_token: string;
  refresh_token: string;
}

/** The service is not running, or the browser does not trust its certificate. */
export class NoServiceError extends ForPeople {}

async function discover(): Promise<oauth.Configuration> {
  try {
    return await oauth.discovery(new URL(SERVICE), CLIENT_ID, undefined, oauth.None(), { algorithm: 'oauth2' });
  } catch (cause) {
    throw new NoServiceError('The service does not answer. It may not be running.', { cause });
  }
}

export async function beginSignIn(): Promise<void> {
  const config = await discover();
  const [verifier, state] = [oauth.randomPKCECodeVerifier(), oauth.randomState()];
  sessionStorage.setItem(PENDING, JSON.stringify([verifier, state]));
  const address = oauth.buildAuthorizationUrl(config, {
    redirect_uri: RETURN_TO,
    scope: SCOPES,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  location.assign(address);
}

/** Exchanges the code for tokens after the service has redirected back to this page. */
export async function finishSignIn(): Promise<void> {
  const returned = new URL(location.href);
  const kept = sessionStorage.getItem(PENDING);
  if (kept === null || !returned.searchParams.has('state')) return;
  // A page reload must not send the code again, because a repeated code ends the sign-in.
  sessionStorage.removeItem(PENDING);
  history.replaceState(null, '', RETURN_TO);
  const [verifier, state] = JSON.parse(kept) as [string, string];
  const checks = { pkceCodeVerifier: verifier, expectedState: state };
  const tokens = await oauth.authorizationCodeGrant(await discover(), returned, checks).catch((error: unknown) => {
    const isDenied = error instanceof oauth.AuthorizationResponseError && error.error === 'access_denied';
    const why = isDenied ? 'You did not allow this page to see your money.' : 'The sign-in did not work.';
    throw new ForPeople(`${why} Sign in to try again.`, { cause: error });
  });
  keep({ access_token: tokens.access_token, refresh_token: tokens.refresh_token! });
}

function keep({ access_token, refresh_token }: Tokens): void {
  sessionStorage.setItem(TOKENS, JSON.stringify({ access_token, refresh_token }));
}

/** Returns undefined if nobody is signed in. */
export function signedIn(): Client | undefined {
  const kept = sessionStorage.getItem(TOKENS);
  if (kept === null) return undefined;
  const credential = { tokens: JSON.parse(kept) as Tokens, clientId: CLIENT_ID, onTokens: keep };
  return createClient({ baseUrl: SERVICE, credential });
}

export function forget(): void {
  sessionStorage.removeItem(TOKENS);
  location.assign(RETURN_TO);
}
