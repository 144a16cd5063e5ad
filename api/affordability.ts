import { affordabilityActivities } from '../activities/affordability.ts';
import type { Services } from '../infra/services.ts';
import { json } from './http/json.ts';
import type { Module } from './http/operations.ts';

export const affordabilityHandlers = (services: Services) => {
  const affordability = affordabilityActivities(services);
  return {
    simulateAffordability: {
      prepare: ({ body }) => affordability.prepareCheck(body),
      begin: ({ body }, prepared: ReturnType<typeof affordability.prepareCheck>) =>
        json(200, affordability.simulateAffordability(body, prepared)),
    },
    readAffordabilityScore: ({ params }) => json(200, affordability.readAffordabilityScore(params)),
    listAffordabilityChecks: ({ params, query }) =>
      json(200, affordability.listAffordabilityChecks({ ...query, ...params })),
  } satisfies Module;
};
