import * as client from 'openid-client';
import { BankError, type SecretHolder } from '../interface.ts';
import { goodUntil, secretOf, tokensIn } from '../tokens.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import { asBankError, Unanswered } from './errors.ts';

export type Scope = 'accounts' | 'payments';

interface Token {
  value: string;
  goodUntilMs: number;
}

/** Where a request gets its access token. */
export interface TokenSource {
  /** @throws BankError */
  current(): Promise<string>;
  /** The bank refused the token. */
  discard(token: string): void;
}

/** Access tokens for this service's own requests, by the client credentials grant. */
export function ownTokens(server: AuthorizationServer) {
  const held = new Map<Scope, Token>();
  const coming = new Map<Scope, Promise<Token>>();

  async function fetchToken(scope: Scope): Promise<Token> {
    const granted = await server.use((configuration) => client.clientCredentialsGrant(configuration, { scope }));
    const token = { value: granted.access_token, goodUntilMs: goodUntil(granted) };
    held.set(scope, token);
    return token;
  }

  /** Concurrent callers share one request. */
  return (scope: Scope): TokenSource => ({
    async current() {
      const token = held.get(scope);
      if (token !== undefined && token.goodUntilMs > Date.now()) return token.value;
      const request = coming.get(scope) ?? fetchToken(scope).finally(() => coming.delete(scope));
      coming.set(scope, request);
      return (await request).value;
    },
    discard(value) {
      if (held.get(scope)?.value === value) held.delete(scope);
    },
  });
}

/** The access tokens that a person granted, renewed when they are over or refused. */
export function grantedTokens(server: AuthorizationServer, secret: SecretHolder): TokenSource {
  let refused: string | undefined;
  return {
    async current() {
      const { access, goodUntilMs } = tokensIn(secret.current);
      if (goodUntilMs > Date.now() && access !== refused) return access;
      return tokensIn(await secret.renew((current) => exchange(server, current))).access;
    },
    discard(token) {
      refused = token;
    },
  };
}

/**
 * Exchanges the refresh token, which proves that the bank still knows the grant. Without a refresh token, the access token
 * counts for as long as the bank said.
 * @throws BankError `reauthorise` if the grant is over.
 */
export async function proveGrant(server: AuthorizationServer, secret: SecretHolder): Promise<void> {
  const { refresh, goodUntilMs } = tokensIn(secret.current);
  if (refresh === undefined) {
    if (goodUntilMs > Date.now()) return;
    throw new BankError('reauthorise', 'the access token is over, and the bank granted no refresh token');
  }
  await secret.renew((current) => exchange(server, current));
}

async function exchange(server: AuthorizationServer, secret: string): Promise<string> {
  const before = tokensIn(secret);
  if (before.refresh === undefined) throw new BankError('reauthorise', 'the bank granted no refresh token');
  const { refresh } = before;
  const ask = () => server.use((configuration) => client.refreshTokenGrant(configuration, refresh));
  // The bank may have replaced the token although its reply was lost. Some banks then take the old one once more.
  const granted = await ask().catch((error: unknown) => {
    if (error instanceof Unanswered && error.mayHaveArrived) return ask();
    throw error;
  });
  return secretOf(granted, before);
}

/** @throws BankError if the bank does not respond. A refusal is no error: the consent has ended anyway. */
export async function revokeTokens(server: AuthorizationServer, secret: string): Promise<void> {
  const { revocation_endpoint: endpoint } = await server.metadata();
  if (endpoint === undefined) return;
  const { access, refresh } = tokensIn(secret);
  for (const token of refresh === undefined ? [access] : [refresh, access]) {
    try {
      await server.use((configuration) => client.tokenRevocation(configuration, token));
    } catch (error) {
      const { kind } = asBankError(error);
      if (kind === 'away' || kind === 'wait') throw error;
    }
  }
}
