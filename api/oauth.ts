import { oauthActivities } from '../activities/auth/oauth/index.ts';
import type { Services } from '../infra/services.ts';
import type { HandlersOf } from './http/operations.ts';

type OAuthOperation = 'exchangeToken' | 'revokeToken' | 'introspectToken' | 'readAuthorizationServer';

/** Token responses must not be cached (RFC 6749, 5.1). */
const NO_STORE = { 'Cache-Control': 'no-store', Pragma: 'no-cache' } as const;

export const oauthHandlers = (services: Services): HandlersOf<OAuthOperation> => {
  const oauth = oauthActivities(services);
  return {
    exchangeToken: async ({ headers: { authorization }, body: parameters }) => ({
      status: 200,
      body: await oauth.exchangeToken({ authorization, parameters }),
      headers: NO_STORE,
    }),
    revokeToken: async ({ headers: { authorization }, body: parameters }) => {
      await oauth.revokeToken({ authorization, parameters });
      return { status: 200, headers: NO_STORE };
    },
    introspectToken: async ({ headers: { authorization }, body: parameters, address }) => ({
      status: 200,
      body: await oauth.introspectToken({ authorization, parameters, address }),
      headers: NO_STORE,
    }),
    readAuthorizationServer: () =>
      Promise.resolve({
        status: 200,
        body: oauth.authorizationServerMetadata(),
        headers: { 'Cache-Control': 'public, max-age=300' },
      }),
  };
};
