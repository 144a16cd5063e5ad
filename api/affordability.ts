import { affordabilityActivities } from '../activities/affordability.ts';
import type { Services } from '../infra/services.ts';
import type { Module } from './http/operations.ts';

export const affordabilityHandlers = (services: Services) => {
  const affordability = affordabilityActivities(services);
  return {
    async simulateAffordability({ body }) {
      return { status: 200, body: await affordability.simulateAffordability(body) };
    },
    async readAffordabilityScore({ params }) {
      return { status: 200, body: await affordability.readAffordabilityScore(params) };
    },
    async listAffordabilityChecks({ params, query }) {
      return { status: 200, body: await affordability.listAffordabilityChecks({ ...query, ...params }) };
    },
  } satisfies Module;
};
