import { authActivities } from '../activities/auth.ts';
import type { Services } from '../infra/services.ts';
import type { HandlersOf } from './http/operations.ts';

type AuthOperation = 'registerUser' | 'login' | 'refreshTokens' | 'getProfile' | 'updateProfile' | 'logout';

const NO_STORE = { 'Cache-Control': 'no-store' } as const;

export const authHandlers = (services: Services): HandlersOf<AuthOperation> => {
  const auth = authActivities(services);
  return {
    registerUser: async ({ body }) => ({ status: 201, body: await auth.registerUser(body), headers: NO_STORE }),
    login: async ({ body, address }) => ({
      status: 200,
      body: await auth.login({ ...body, from: { address } }),
      headers: NO_STORE,
    }),
    refreshTokens: async ({ body }) => ({ status: 200, body: await auth.refreshTokens(body), headers: NO_STORE }),
    getProfile: async ({ principal }) => ({
      status: 200,
      body: await auth.getProfile({ principal }),
      headers: NO_STORE,
    }),
    updateProfile: async ({ principal, body }) => ({
      status: 200,
      body: await auth.updateProfile({ principal, ...body }),
      headers: NO_STORE,
    }),
    logout: async ({ principal }) => {
      await auth.logout({ principal });
      return { status: 204 };
    },
  };
};
