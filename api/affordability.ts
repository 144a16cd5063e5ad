import { affordabilityActivities, simulateAffordability } from '../activities/affordability.ts';
import { readOutlook } from '../activities/outlook.ts';
import type { Services } from '../infra/services.ts';
import { json } from './http/reply/json.ts';
import type { Module } from './http/handlers.ts';

export const affordabilityHandlers = (services: Services) => {
  const affordability = affordabilityActivities(services);
  return {
    async simulateAffordability({ once, body, principal }) {
      const prepared = await affordability.prepareCheck(body);
      return once((tx) => json(200, simulateAffordability(tx, services, { ...body, principal }, prepared)));
    },
    readAffordabilityScore: ({ params }) => json(200, affordability.readAffordabilityScore(params)),
    readOutlook: ({ params, query }) => json(200, readOutlook(services, { ...query, ...params })),
    listAffordabilityChecks: ({ params, query }) =>
      json(200, affordability.listAffordabilityChecks({ ...query, ...params })),
  } satisfies Module;
};
