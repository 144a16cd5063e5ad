import { authActivities } from '../activities/auth.ts';
import type { Services } from '../infra/services.ts';
import type { PreparedRegistration } from '../activities/auth/register.ts';
import type { HandlersOf, LongHandler } from './http/operations.ts';

type AuthOperation = 'login' | 'refreshTokens' | 'getProfile' | 'updateProfile' | 'logout';

const NO_STORE = { 'Cache-Control': 'no-store' } as const;

type AuthHandlers = HandlersOf<AuthOperation> & { registerUser: LongHandler<'registerUser', PreparedRegistration> };

export const authHandlers = (services: Services): AuthHandlers => {
  const auth = authActivities(services);
  return {
    registerUser: {
      prepare: ({ body }) => auth.prepareRegistration(body),
      async begin({ body }, prepared) {
        return { status: 201, body: await auth.registerUser(body, prepared), headers: NO_STORE };
      },
    },
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
