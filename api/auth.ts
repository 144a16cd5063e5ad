import { authActivities } from '../activities/auth.ts';
import type { Services } from '../infra/services.ts';
import type { Module } from './http/operations.ts';

export const authHandlers = (services: Services) => {
  const auth = authActivities(services);
  return {
    registerUser: {
      prepare: ({ body }) => auth.prepareRegistration(body),
      begin: async ({ body }, prepared: ReturnType<typeof auth.prepareRegistration>) => ({
        status: 201,
        body: await auth.registerUser(body, prepared),
      }),
    },
    login: async ({ body, address }) => ({
      status: 200,
      body: await auth.login({ ...body, from: { address } }),
    }),
    refreshTokens: async ({ body }) => ({ status: 200, body: await auth.refreshTokens(body) }),
    getProfile: async ({ principal }) => ({
      status: 200,
      body: await auth.getProfile({ principal }),
    }),
    updateProfile: async ({ principal, body }) => ({
      status: 200,
      body: await auth.updateProfile({ principal, ...body }),
    }),
    logout: async ({ principal }) => {
      await auth.logout({ principal });
      return { status: 204 };
    },
  } satisfies Module;
};
