import { registerUser } from '../activities/auth/register.ts';
import { authActivities } from '../activities/auth.ts';
import type { Services } from '../infra/services.ts';
import { json } from './http/reply/json.ts';
import type { Module } from './http/handlers.ts';

export const authHandlers = (services: Services) => {
  const auth = authActivities(services);
  return {
    async registerUser({ once, body }) {
      const prepared = await auth.prepareRegistration(body);
      return once((tx) => json(201, registerUser(tx, services, body, prepared)));
    },
    login: ({ body, address }) => json(200, auth.login({ ...body, from: { address } })),
    refreshTokens: ({ body }) => json(200, auth.refreshTokens(body)),
    getProfile: ({ principal }) => json(200, auth.getProfile({ principal })),
    updateProfile: ({ principal, body }) => json(200, auth.updateProfile({ principal, ...body })),
    logout: async ({ principal }) => {
      await auth.logout({ principal });
      return { status: 204 };
    },
  } satisfies Module;
};
