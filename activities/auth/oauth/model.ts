import OAuth2Server from '@node-oauth/oauth2-server';
import { DomainError } from '../../../domain/errors.ts';
import { endFamilies } from '../../../infra/db/queries/sign-in.ts';
import { lockCode, setCodeFamily, useCode, type CodeRow } from '../../../infra/db/queries/oauth.ts';
import type { Tx } from '../../../infra/db/transaction.ts';
import { hashOf } from '../../../infra/keys/credentials.ts';
import type { Services } from '../../../infra/services.ts';
import type { TokenRequest, TokenSet } from '../../../openapi/types.ts';
import { audit } from '../../audit.ts';
import { beginFamily } from '../tokens.ts';
import { requireClient } from './clients.ts';

type Needs = Pick<Services, 'newId' | 'keys'>;
type Library = OAuth2Server.AuthorizationCodeModel;
type Model = Pick<Library, 'getClient' | 'getAuthorizationCode' | 'revokeAuthorizationCode' | 'saveToken'>;

export const GRANTS = ['authorization_code', 'refresh_token'] as const;
export type GrantType = (typeof GRANTS)[number];

/** A token request whose grant and client are known. */
export interface GrantRequest extends TokenRequest {
  grant_type: GrantType;
  client_id: string;
}

/** Serves one request. */
export function modelOf(tx: Tx, services: Needs, request: GrantRequest): Model {
  let held: CodeRow | undefined;

  return {
    async getClient(clientId) {
      // The library accepts a confidential client without a secret if the client sends a code_verifier, so we check the
      // secret.
      const secretRequired = request.grant_type === 'authorization_code';
      const { client_id: id } = await requireClient(
        tx,
        services,
        { clientId, secret: request.client_secret },
        { secretRequired },
      ).catch(asLibraryRefusal);
      return { id, grants: [...GRANTS] };
    },

    async getAuthorizationCode(code) {
      if (request.redirect_uri === undefined) {
        throw new OAuth2Server.InvalidRequestError('Missing parameter: `redirect_uri`');
      }
      held = await tx.maybe(lockCode(hashOf(services, code)));
      if (held === undefined) return undefined;
      if (held.used_at !== null) {
        await endReused(tx, services, held, request.client_id);
        return undefined;
      }
      return asLibraryCode(code, held);
    },

    /** Uses up the code even if other parameters are wrong, to prevent repeated guesses. */
    async revokeAuthorizationCode({ authorizationCode }) {
      const { redirect_uri, session_ended, is_public, code_challenge } = held!;
      await tx.run(useCode(hashOf(services, authorizationCode), new Date()));
      return request.redirect_uri === redirect_uri && !session_ended && !(is_public && code_challenge === null);
    },

    /** Discards the tokens that the library generated. */
    async saveToken(token, client, user) {
      const tokens = await redeem(tx, services, held!, String(token.authorizationCode));
      return { ...asLibraryToken(tokens), client, user };
    },
  };
}

async function redeem(tx: Tx, services: Needs, code: CodeRow, written: string): Promise<TokenSet> {
  const { user_id, client_id, session_hash, scopes } = code;
  const grant = { user_id, client_id, session_hash, scopes };
  const { familyId, tokens } = await beginFamily(tx, services, grant, new Date());
  await tx.run(setCodeFamily(hashOf(services, written), familyId));
  const data = { client_id, family_id: familyId, scopes };
  await audit(tx, services, { subject: user_id, kind: 'authorization-code.redeemed', actor: user_id, data });
  return tokens;
}

/** A code that is used twice might have been stolen, so the tokens of its first use end too (RFC 6749, 4.1.2). */
async function endReused(tx: Tx, services: Needs, { family_id, user_id }: CodeRow, clientId: string): Promise<void> {
  const at = new Date();
  if (family_id === null || (await tx.run(endFamilies({ family_id }, at, 'code-reused'))) === 0) return;
  const data = { family_id, client_id: clientId };
  await audit(tx, services, { subject: user_id, kind: 'authorization-code.reused', actor: 'anonymous', data });
}

function asLibraryCode(code: string, row: CodeRow): OAuth2Server.AuthorizationCode {
  return {
    authorizationCode: code,
    expiresAt: new Date(row.expires_at),
    redirectUri: row.redirect_uri,
    scope: [...row.scopes],
    client: { id: row.client_id, grants: [...GRANTS] },
    user: { id: row.user_id },
    ...(row.code_challenge === null ? {} : { codeChallenge: row.code_challenge, codeChallengeMethod: 'S256' }),
  };
}

export function asLibraryToken(tokens: TokenSet): { accessToken: string; set: TokenSet } {
  return { accessToken: tokens.access_token, set: tokens };
}

function asLibraryRefusal(error: unknown): never {
  if (!(error instanceof DomainError) || error.code !== 'invalid-client') throw error;
  throw new OAuth2Server.InvalidClientError(error.message);
}
