import { introspectToken } from '../activities/auth/oauth/introspect.ts';
import { authorizationServerMetadata } from '../activities/auth/oauth/metadata.ts';
import { revokeToken } from '../activities/auth/oauth/revoke.ts';
import { exchangeToken } from '../activities/auth/oauth/token.ts';
import type { Services } from '../infra/services.ts';
import type { Module } from './http/handlers.ts';

/** RFC 6749, 5.1, asks for this header beside `Cache-Control: no-store`, which every response has. */
const NO_CACHE = { Pragma: 'no-cache' } as const;

export const oauthHandlers = (services: Services) =>
  ({
    exchangeToken: async ({ headers: { authorization }, body: parameters }) => ({
      status: 200,
      body: await exchangeToken(services, { authorization, parameters }),
      headers: NO_CACHE,
    }),
    revokeToken: async ({ headers: { authorization }, body: parameters }) => {
      await revokeToken(services, { authorization, parameters });
      return { status: 200, headers: NO_CACHE };
    },
    introspectToken: async ({ headers: { authorization }, body: parameters, address }) => ({
      status: 200,
      body: await introspectToken(services, { authorization, parameters, address }),
      headers: NO_CACHE,
    }),
    readAuthorizationServer: () =>
      Promise.resolve({
        status: 200,
        body: authorizationServerMetadata(services),
        headers: { 'Cache-Control': 'public, max-age=300' },
      }),
  }) satisfies Module;
