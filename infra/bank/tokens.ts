import type { TokenEndpointResponse } from 'openid-client';
import * as z from 'zod';

const RENEW_BEFORE_MS = 30_000;
const LIFETIME_WHEN_UNSAID_S = 60;

const SECRET = z.object({ access: z.string(), goodUntilMs: z.number(), refresh: z.string().optional() });

export type Granted = Pick<TokenEndpointResponse, 'access_token' | 'expires_in' | 'refresh_token'>;

/** A connection's secret: the tokens that the person granted. */
export function secretOf(granted: Granted, before?: { refresh?: string | undefined }): string {
  const { access_token: access, refresh_token: refresh = before?.refresh } = granted;
  return JSON.stringify({ access, goodUntilMs: goodUntil(granted), refresh } satisfies z.input<typeof SECRET>);
}

export function tokensIn(secret: string): z.output<typeof SECRET> {
  return SECRET.parse(JSON.parse(secret));
}

/** A token is renewed a moment before it is over. */
export function goodUntil({ expires_in: expiresIn }: Granted): number {
  const lifetimeMs = 1_000 * (expiresIn ?? LIFETIME_WHEN_UNSAID_S);
  return Date.now() + Math.max(lifetimeMs - RENEW_BEFORE_MS, lifetimeMs / 2);
}
