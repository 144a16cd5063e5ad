import { oauthActivities } from '../activities/auth/oauth/index.ts';
import type { Services } from '../infra/services.ts';
import type { Module } from './http/operations.ts';

/** RFC 6749, 5.1, asks for this header beside `Cache-Control: no-store`, which every response has. */
const NO_CACHE = { Pragma: 'no-cache' } as const;

export const oauthHandlers = (services: Services) => {
  const oauth = oauthActivities(services);
  return {
    exchangeToken: async ({ headers: { authorization }, body: parameters }) => ({
      status: 200,
      body: await oauth.exchangeToken({ authorization, parameters }),
      headers: NO_CACHE,
    }),
    revokeToken: async ({ headers: { authorization }, body: parameters }) => {
      await oauth.revokeToken({ authorization, parameters });
      return { status: 200, headers: NO_CACHE };
    },
    introspectToken: async ({ headers: { authorization }, body: parameters, address }) => ({
      status: 200,
      body: await oauth.introspectToken({ authorization, parameters, address }),
      headers: NO_CACHE,
    }),
    readAuthorizationServer: () =>
      Promise.resolve({
        status: 200,
        body: oauth.authorizationServerMetadata(),
        headers: { 'Cache-Control': 'public, max-age=300' },
      }),
  } satisfies Module;
};
