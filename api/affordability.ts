import { affordabilityActivities } from '../activities/affordability.ts';
import type { Services } from '../infra/services.ts';
import type { HandlersOf } from './http/operations.ts';

type AffordabilityOperation = 'simulateAffordability' | 'readAffordabilityScore' | 'listAffordabilityChecks';

export const affordabilityHandlers = (services: Services): HandlersOf<AffordabilityOperation> => {
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
  };
};
