import { allocationActivities } from '../activities/allocations.ts';
import type { Services } from '../infra/services.ts';
import type { Module } from './http/operations.ts';

export const allocationHandlers = (services: Services) => {
  const allocations = allocationActivities(services);
  return {
    async allocate({ body, newOwner }) {
      return { status: 201, body: await allocations.allocate({ ...body, newOwner }) };
    },
    async withdraw({ body, newOwner }) {
      return { status: 201, body: await allocations.withdraw({ ...body, newOwner }) };
    },
    async transferBetweenVaults({ body, newOwner }) {
      return { status: 201, body: await allocations.transferBetweenVaults({ ...body, newOwner }) };
    },
    async listAllocationHistory({ params, query }) {
      return { status: 200, body: await allocations.listAllocationHistory({ ...query, user_id: params.user_id }) };
    },
    async listVaults({ params }) {
      return { status: 200, body: await allocations.listVaults({ user_id: params.user_id }) };
    },
  } satisfies Module;
};
