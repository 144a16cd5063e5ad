import type { Services } from '../../../infra/services.ts';
import { bind } from '../../bind.ts';
import { introspectToken } from './introspect.ts';
import { authorizationServerMetadata } from './metadata.ts';
import { revokeToken } from './revoke.ts';
import { exchangeToken } from './token.ts';

export const oauthActivities = (services: Services) =>
  bind(services, { exchangeToken, revokeToken, introspectToken, authorizationServerMetadata });
