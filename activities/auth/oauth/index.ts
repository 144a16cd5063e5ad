import type { Services } from '../../../infra/services.ts';
import { introspectToken, type IntrospectionGiven } from './introspect.ts';
import { authorizationServerMetadata } from './metadata.ts';
import { revokeToken, type TokenGiven } from './revoke.ts';
import { exchangeToken, type TokenParameters } from './token.ts';

interface Request<Parameters> {
  authorization: string | undefined;
  parameters: Parameters;
}

export const oauthActivities = (services: Services) => ({
  exchangeToken: (request: Request<TokenParameters>) => exchangeToken(services, request),
  revokeToken: (request: Request<TokenGiven>) => revokeToken(services, request),
  introspectToken: (request: IntrospectionGiven) => introspectToken(services, request),
  authorizationServerMetadata: () => authorizationServerMetadata(services),
});
