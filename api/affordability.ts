import { affordabilityActivities } from '../activities/affordability.ts';
import type { Services } from '../infra/services.ts';
import type { Module } from './http/operations.ts';

export const affordabilityHandlers = (services: Services) => {
  const affordability = affordabilityActivities(services);
  return {
    simulateAffordability: {
      prepare: ({ body }) => affordability.prepareCheck(body),
      begin: async ({ body }, prepared: ReturnType<typeof affordability.prepareCheck>) => ({
        status: 200,
        body: await affordability.simulateAffordability(body, prepared),
      }),
    },
    async readAffordabilityScore({ params }) {
      return { status: 200, body: await affordability.readAffordabilityScore(params) };
    },
    async listAffordabilityChecks({ params, query }) {
      return { status: 200, body: await affordability.listAffordabilityChecks({ ...query, ...params }) };
    },
  } satisfies Module;
};
