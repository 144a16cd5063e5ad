import { affordabilityActivities, simulateAffordability, type PreparedCheck } from '../activities/affordability.ts';
import type { Services } from '../infra/services.ts';
import { json } from './http/reply/json.ts';
import type { Module } from './http/handlers.ts';

export const affordabilityHandlers = (services: Services) => {
  const affordability = affordabilityActivities(services);
  return {
    simulateAffordability: {
      prepare: ({ body }) => affordability.prepareCheck(body),
      begin: async ({ tx, body }, prepared: Promise<PreparedCheck>) =>
        json(200, simulateAffordability(tx, services, body, await prepared)),
    },
    readAffordabilityScore: ({ params }) => json(200, affordability.readAffordabilityScore(params)),
    listAffordabilityChecks: ({ params, query }) =>
      json(200, affordability.listAffordabilityChecks({ ...query, ...params })),
  } satisfies Module;
};
