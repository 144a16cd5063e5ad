import type { components } from './contract.ts';
import { isProblem } from './errors.ts';

export type TokenSet = components['schemas']['TokenSet'];

export type Credential =
  /** For a program with an API key. */
  | { apiKey: string }
  /** A person's own program, which signs in at the first call that needs a token. */
  | { email: string; password: string; onTokens?: OnTokens }
  /** A person who is already signed in, by this client or by the authorization code flow. */
  | { tokens: Pick<TokenSet, 'access_token' | 'refresh_token'>; clientId?: string; onTokens?: OnTokens };

/** Always store the latest token set, because each refresh replaces the refresh token. */
export type OnTokens = (tokens: TokenSet) => void | Promise<void>;

export interface TokenCalls {
  login(body: { email: string; password: string }): Promise<TokenSet>;
  refresh(body: { refresh_token: string; client_id?: string }): Promise<TokenSet>;
}

export interface Bearer {
  current(): Promise<string>;
  /** Returns a token to use instead of one that the service refused, or undefined if there is none. */
  instead(refused: string): Promise<string | undefined>;
}

/** An access token is replaced this long before its expiry, so that it does not expire in transit. */
const AHEAD_MS = 60_000;

/** Concurrent calls that need a new token share one request. */
export function bearerOf(credential: Credential, calls: TokenCalls): Bearer {
  if ('apiKey' in credential)
    return { current: () => Promise.resolve(credential.apiKey), instead: () => Promise.resolve(undefined) };

  let held: { access: string; refresh: string; endsAt: number } | undefined;
  if ('tokens' in credential) {
    const { access_token, refresh_token } = credential.tokens;
    held = { access: access_token, refresh: refresh_token, endsAt: Number.POSITIVE_INFINITY };
  }
  let underWay: Promise<string> | undefined;

  const hold = async (tokens: TokenSet): Promise<string> => {
    held = {
      access: tokens.access_token,
      refresh: tokens.refresh_token,
      endsAt: Date.now() + tokens.expires_in * 1_000,
    };
    await credential.onTokens?.(tokens);
    return tokens.access_token;
  };
  const signIn = async (): Promise<string> => {
    if (!('password' in credential)) throw new Error('nobody is signed in; call signIn first');
    return hold(await calls.login({ email: credential.email, password: credential.password }));
  };
  const renew = async (): Promise<string> => {
    if (held === undefined) return signIn();
    const clientId = 'clientId' in credential ? credential.clientId : undefined;
    try {
      const body = { refresh_token: held.refresh, ...(clientId === undefined ? {} : { client_id: clientId }) };
      return await hold(await calls.refresh(body));
    } catch (refused) {
      // The sign-in may have ended, for example by a sign-out.
      if ('password' in credential && isProblem(refused) && refused.status === 401) return signIn();
      throw refused;
    }
  };
  const renewOnce = (): Promise<string> => {
    underWay ??= renew().finally(() => (underWay = undefined));
    return underWay;
  };
  return {
    current() {
      if (underWay !== undefined) return underWay;
      if (held !== undefined && Date.now() < held.endsAt - AHEAD_MS) return Promise.resolve(held.access);
      return renewOnce();
    },
    instead(refused) {
      // Another call might have renewed the token since this call sent its request.
      if (underWay === undefined && held !== undefined && held.access !== refused) return Promise.resolve(held.access);
      return renewOnce();
    },
  };
}
