import { DomainError } from '../../../domain/errors.ts';
import { liveToken, type ClientRow } from '../../../infra/db/queries/oauth.ts';
import { hashOf } from '../../../infra/keys/credentials.ts';
import type { Services } from '../../../infra/services.ts';
import type { TokenIntrospection, TokenReference } from '../../../openapi/types.ts';
import { invalidClient, presentedClient, requireClient, withoutEmpty } from './clients.ts';

interface IntrospectionGiven {
  authorization: string | undefined;
  parameters: TokenReference;
  address: string;
}

/** Another client's token counts as inactive. */
export async function introspectToken(
  services: Pick<Services, 'db' | 'config' | 'keys' | 'limits'>,
  given: IntrospectionGiven,
): Promise<TokenIntrospection> {
  const { db, config } = services;
  const client = await confidentialClient(services, given);
  const { parameters } = given;
  const token = await db.maybe(liveToken({ token_hash: hashOf(services, parameters.token) }));
  if (token?.client_id !== client.client_id) return { active: false };
  return {
    active: true,
    scope: token.scopes.join(' '),
    client_id: token.client_id,
    token_type: token.token_type,
    exp: secondsOf(token.expires_at),
    iat: secondsOf(token.created_at),
    sub: token.user_id,
    iss: config.api.publicUrl,
  };
}

/** The rate limit counts failed calls, because a server may introspect many tokens. */
async function confidentialClient(
  services: Pick<Services, 'db' | 'keys' | 'limits'>,
  { authorization, parameters, address }: IntrospectionGiven,
): Promise<ClientRow> {
  try {
    const presented = presentedClient({ authorization, ...withoutEmpty(parameters) });
    const client = await requireClient(services.db, services, presented, { secretRequired: true });
    if (client.secret_hash === null) throw invalidClient();
    return client;
  } catch (error) {
    if (error instanceof DomainError) await services.limits.takeFrom('tokens', address, 'introspectToken');
    throw error;
  }
}

function secondsOf(instant: string): number {
  return Math.floor(new Date(instant).getTime() / 1_000);
}
