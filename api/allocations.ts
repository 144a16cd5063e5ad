import { allocationActivities } from '../activities/allocations.ts';
import type { Services } from '../infra/services.ts';
import { json } from './http/json.ts';
import type { Module } from './http/operations.ts';

export const allocationHandlers = (services: Services) => {
  const allocations = allocationActivities(services);
  return {
    allocate: ({ body, newOwner }) => json(201, allocations.allocate({ ...body, newOwner })),
    withdraw: ({ body, newOwner }) => json(201, allocations.withdraw({ ...body, newOwner })),
    transferBetweenVaults: ({ body, newOwner }) => json(201, allocations.transferBetweenVaults({ ...body, newOwner })),
    listAllocationHistory: ({ params, query }) =>
      json(200, allocations.listAllocationHistory({ ...query, user_id: params.user_id })),
    listVaults: ({ params }) => json(200, allocations.listVaults({ user_id: params.user_id })),
  } satisfies Module;
};
