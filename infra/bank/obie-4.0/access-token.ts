import type { BankConfig } from '../../config/index.ts';
import { objectIn } from './json.ts';
import type { Transport } from './transport.ts';

type ClientConfig = Pick<BankConfig, 'tokenUrl' | 'clientId' | 'timeoutMs'>;

/** No access token was available, so the request was not sent to the bank. */
export class TokenUnavailable extends Error {
  override readonly name = 'TokenUnavailable';
}

interface Token {
  value: string;
  goodUntilMs: number;
}

const RENEW_BEFORE_MS = 30_000;
const LIFETIME_WHEN_UNSAID_S = 60;

/** Uses the client credentials grant of OAuth 2.0. The TLS client certificate authenticates the client (RFC 8705). */
export function accessTokens(transport: Transport, client: ClientConfig) {
  let held: Token | null = null;
  let coming: Promise<Token> | null = null;

  return {
    /** Concurrent callers share one request. @throws TokenUnavailable */
    async current(): Promise<string> {
      if (held !== null && held.goodUntilMs > Date.now()) return held.value;
      coming ??= fetchToken(transport, client).finally(() => (coming = null));
      held = await coming;
      return held.value;
    },
    discard(token: string): void {
      if (held?.value === token) held = null;
    },
  };
}

async function fetchToken(transport: Transport, client: ClientConfig): Promise<Token> {
  const form = new URLSearchParams({ grant_type: 'client_credentials', scope: 'payments', client_id: client.clientId });
  const answer = await transport.exchange({
    method: 'POST',
    url: client.tokenUrl,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: form.toString(),
    timeoutMs: client.timeoutMs,
  });
  if (answer.kind !== 'answered') throw new TokenUnavailable(`the bank issued no access token: ${answer.detail}`);
  const grant = objectIn(answer.body) ?? {};
  if (answer.status !== 200 || typeof grant.access_token !== 'string') {
    const error = typeof grant.error === 'string' ? ` ${grant.error}` : '';
    throw new TokenUnavailable(`the bank issued no access token: it responded with ${answer.status}${error}`);
  }
  const lifetimeMs = 1000 * (typeof grant.expires_in === 'number' ? grant.expires_in : LIFETIME_WHEN_UNSAID_S);
  return {
    value: grant.access_token,
    goodUntilMs: Date.now() + Math.max(lifetimeMs - RENEW_BEFORE_MS, lifetimeMs / 2),
  };
}
