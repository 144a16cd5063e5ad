import { deleteAccessToken, endFamilyOfRefresh } from '../../../infra/db/queries/oauth.ts';
import { hashOf } from '../../../infra/keys/credentials.ts';
import type { Services } from '../../../infra/services.ts';
import type { TokenReference } from '../../../openapi/types.ts';
import { audit } from '../../audit.ts';
import { presentedClient, requireClient, withoutEmpty } from './clients.ts';

type Needs = Pick<Services, 'db' | 'newId' | 'keys'>;

/**
 * Revoking a refresh token also ends all tokens of its sign-in. An unknown token and another client's token get the
 * same response (RFC 7009).
 */
export async function revokeToken(
  services: Needs,
  { authorization, parameters }: { authorization: string | undefined; parameters: TokenReference },
): Promise<void> {
  const { db } = services;
  const presented = presentedClient({ authorization, ...withoutEmpty(parameters) });
  const { client_id: clientId } = await requireClient(db, services, presented, { secretRequired: true });
  const hash = hashOf(services, parameters.token);
  const at = new Date();
  await db.transaction(async (tx) => {
    const family = await tx.maybe(endFamilyOfRefresh(hash, clientId, at));
    const token = family ?? (await tx.maybe(deleteAccessToken(hash, clientId)));
    if (!token) return;
    const kind = family ? 'refresh-token.revoked' : 'access-token.revoked';
    const data = { family_id: token.family_id };
    await audit(tx, services, { subject: token.user_id, kind, actor: clientId, data });
  });
}
