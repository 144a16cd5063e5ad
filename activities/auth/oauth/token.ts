import OAuth2Server from '@node-oauth/oauth2-server';
import { DomainError, type ErrorCode } from '../../../domain/errors.ts';
import type { Tx } from '../../../infra/db/transaction.ts';
import type { Services } from '../../../infra/services.ts';
import { exchangeRefreshToken } from '../refresh.ts';
import type { TokenRequest, TokenSet } from '../../../openapi/types.ts';
import { presentedClient, withoutEmpty } from './clients.ts';
import { asLibraryToken, GRANTS, modelOf, type GrantRequest, type GrantType } from './model.ts';

type Needs = Pick<Services, 'newId' | 'keys'>;

/** RFC 6749, 4.1.3 and 6. A refused call writes too, so its transaction commits. */
export async function exchangeToken(
  services: Needs & Pick<Services, 'db'>,
  { authorization, parameters }: { authorization: string | undefined; parameters: TokenRequest },
): Promise<TokenSet> {
  const request = readRequest(authorization, withoutEmpty(parameters));
  const outcome = await services.db.transaction((tx) => exchange(tx, services, request).catch(refusalOf));
  if (outcome instanceof DomainError) throw outcome;
  return outcome;
}

function readRequest(authorization: string | undefined, parameters: TokenRequest): GrantRequest {
  const { code, redirect_uri, code_verifier, refresh_token, scope } = parameters;
  const grantType = grantTypeOf(parameters);
  const { clientId, secret } = presentedClient({ authorization, ...parameters });
  const client = { client_id: clientId, client_secret: secret };
  return { grant_type: grantType, ...client, code, redirect_uri, code_verifier, refresh_token, scope };
}

/** Our contract makes `grant_type` optional, unlike RFC 6749. */
function grantTypeOf({ grant_type: named, code, refresh_token: refreshToken }: TokenRequest): GrantType {
  if (named === undefined) {
    if ((code === undefined) !== (refreshToken === undefined)) {
      return code === undefined ? 'refresh_token' : 'authorization_code';
    }
    throw new DomainError('invalid-request', 'Missing parameter: grant_type.');
  }
  const known = GRANTS.find((grant) => grant === named);
  if (known !== undefined) return known;
  throw new DomainError('unsupported-grant-type', `The grant_type must be ${GRANTS.join(' or ')}.`);
}

async function exchange(tx: Tx, services: Needs, request: GrantRequest): Promise<TokenSet> {
  const server = new OAuth2Server({
    model: modelOf(tx, services, request) as OAuth2Server.AuthorizationCodeModel,
    // Whether a secret is required also depends on the client, so `modelOf` checks it.
    requireClientAuthentication: { authorization_code: false, refresh_token: false },
    extendedGrantTypes: { refresh_token: refreshGrant(tx, services, request) },
  });
  const token = await server.token(asLibraryRequest(request), new OAuth2Server.Response());
  return token.set as TokenSet;
}

/** Replaces the library's refresh grant with ours, which `POST /auth/refresh` also uses. */
function refreshGrant(tx: Tx, services: Needs, request: GrantRequest): typeof OAuth2Server.AbstractGrantType {
  const { client_id: clientId, refresh_token: token, scope } = request;
  return class extends OAuth2Server.AbstractGrantType {
    override async handle(_request: OAuth2Server.Request, client: OAuth2Server.Client): Promise<OAuth2Server.Token> {
      if (token === undefined) throw new OAuth2Server.InvalidRequestError('Missing parameter: `refresh_token`');
      const tokens = await exchangeRefreshToken(tx, services, { token, clientId, scope });
      if (tokens) return { ...asLibraryToken(tokens), client, user: {} };
      throw new OAuth2Server.InvalidGrantError('Invalid grant: refresh token is invalid');
    }
  };
}

function asLibraryRequest(request: GrantRequest): OAuth2Server.Request {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1' };
  return new OAuth2Server.Request({ method: 'POST', query: {}, headers, body: request });
}

const CODES: Readonly<Record<string, ErrorCode>> = {
  invalid_request: 'invalid-request',
  invalid_client: 'invalid-client',
  invalid_grant: 'invalid-grant',
  unauthorized_client: 'unauthorized-client',
  unsupported_grant_type: 'unsupported-grant-type',
  invalid_scope: 'invalid-scope',
};

/** Returns OAuth errors, so that the transaction commits. Rethrows other errors, which roll the transaction back. */
function refusalOf(error: unknown): DomainError {
  const cause = error instanceof OAuth2Server.ServerError ? (error as { inner?: unknown }).inner : error;
  if (cause instanceof OAuth2Server.OAuthError && CODES[cause.name] !== undefined) {
    return new DomainError(CODES[cause.name]!, `${cause.message.replaceAll('`', '').replace(/\.$/, '')}.`);
  }
  throw cause ?? error;
}
