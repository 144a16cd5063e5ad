import { liveAccessToken, liveRefreshToken } from '../../../infra/db/statements/oauth.ts';
import { hashOf } from '../../../infra/keys/credentials.ts';
import type { Services } from '../../../infra/services.ts';
import { invalidClient, presentedClient, requireClient, withoutEmpty } from './clients.ts';
import type { TokenGiven } from './revoke.ts';

/** What a client gets to know of a token (RFC 7662, 2.2); instants are in seconds since 1970. */
export type Introspection =
  | { active: false }
  | {
      active: true;
      scope: string;
      client_id: string;
      token_type: 'bearer' | 'refresh_token';
      exp: number;
      iat: number;
      sub: string;
      iss: string;
    };

/**
 * Whether a token works, and for what. A confidential client asks about its own tokens; of any other it gets to know
 * nothing.
 * @throws DomainError `invalid-client` or `invalid-request`.
 */
export async function introspectToken(
  services: Pick<Services, 'db' | 'config'>,
  { authorization, parameters }: { authorization: string | undefined; parameters: TokenGiven },
): Promise<Introspection> {
  const { db, config } = services;
  const presented = presentedClient({ authorization, ...withoutEmpty(parameters) });
  const client = await requireClient(services, presented, { secretRequired: true });
  if (client.secret_hash === null) throw invalidClient();
  const hash = hashOf(parameters.token);
  const access = await db.maybe(liveAccessToken(hash));
  const token = access ?? (await db.maybe(liveRefreshToken(hash)));
  if (token?.client_id !== client.client_id) return { active: false };
  return {
    active: true,
    scope: token.scopes.join(' '),
    client_id: token.client_id,
    token_type: access ? 'bearer' : 'refresh_token',
    exp: secondsOf(token.expires_at),
    iat: secondsOf(token.created_at),
    sub: token.user_id,
    iss: config.api.publicUrl,
  };
}

function secondsOf(instant: string): number {
  return Math.floor(new Date(instant).getTime() / 1_000);
}
