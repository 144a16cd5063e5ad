import { allocationActivities } from '../activities/allocations.ts';
import { requireOwner } from '../domain/auth.ts';
import type { Services } from '../infra/services.ts';
import type { HandlersOf } from './http/operations.ts';

type AllocationOperation = 'allocate' | 'withdraw' | 'transferBetweenVaults' | 'listAllocationHistory' | 'listVaults';

export const allocationHandlers = (services: Services): HandlersOf<AllocationOperation> => {
  const allocations = allocationActivities(services);
  return {
    async allocate({ body, principal }) {
      requireOwner(principal, body.user_id);
      return { status: 201, body: await allocations.allocate(body) };
    },
    async withdraw({ body, principal }) {
      requireOwner(principal, body.user_id);
      return { status: 201, body: await allocations.withdraw(body) };
    },
    async transferBetweenVaults({ body, principal }) {
      requireOwner(principal, body.user_id);
      return { status: 201, body: await allocations.transferBetweenVaults(body) };
    },
    async listAllocationHistory({ params, query, principal }) {
      requireOwner(principal, params.user_id);
      return { status: 200, body: await allocations.listAllocationHistory({ ...query, user_id: params.user_id }) };
    },
    async listVaults({ params, principal }) {
      requireOwner(principal, params.user_id);
      return { status: 200, body: await allocations.listVaults({ user_id: params.user_id }) };
    },
  };
};
