import { deleteAccessToken, endFamilyOfRefresh } from '../../../infra/db/statements/oauth.ts';
import { hashOf } from '../../../infra/keys/credentials.ts';
import type { Services } from '../../../infra/services.ts';
import { audit } from '../../audit.ts';
import { presentedClient, requireClient, withoutEmpty } from './clients.ts';

type Needs = Pick<Services, 'db' | 'newId'>;

/** What comes to the endpoints that take a token; the hint changes nothing, since a token tells its kind. */
export interface TokenGiven {
  token: string;
  token_type_hint?: string;
  client_id?: string;
  client_secret?: string;
}

/**
 * Ends a token of the client (RFC 7009): a refresh token with all that descends from the same sign-in, an access token
 * alone. A token that is unknown, ended or another client's changes nothing, and the client is not told.
 * @throws DomainError `invalid-client` or `invalid-request`.
 */
export async function revokeToken(
  services: Needs,
  { authorization, parameters }: { authorization: string | undefined; parameters: TokenGiven },
): Promise<void> {
  const { db } = services;
  const presented = presentedClient({ authorization, ...withoutEmpty(parameters) });
  const { client_id: clientId } = await requireClient(services, presented, { secretRequired: true });
  const hash = hashOf(parameters.token);
  const at = new Date();
  await db.transaction(async () => {
    const family = await db.maybe(endFamilyOfRefresh(hash, clientId, at));
    const token = family ?? (await db.maybe(deleteAccessToken(hash, clientId)));
    if (!token) return;
    const kind = family ? 'refresh-token.revoked' : 'access-token.revoked';
    const data = { family_id: token.family_id };
    await audit(services, { subject: token.user_id, kind, actor: clientId, data });
  });
}
