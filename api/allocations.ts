import { allocate, allocationActivities, transferBetweenVaults, withdraw } from '../activities/allocations.ts';
import type { Services } from '../infra/services.ts';
import { json } from './http/reply/json.ts';
import type { Module } from './http/handlers.ts';

export const allocationHandlers = (services: Services) => {
  const allocations = allocationActivities(services);
  return {
    allocate: ({ once, body, newOwner }) => once((tx) => json(201, allocate(tx, services, { ...body, newOwner }))),
    withdraw: ({ once, body, newOwner }) => once((tx) => json(201, withdraw(tx, services, { ...body, newOwner }))),
    transferBetweenVaults: ({ once, body, newOwner }) =>
      once((tx) => json(201, transferBetweenVaults(tx, services, { ...body, newOwner }))),
    listAllocationHistory: ({ params, query }) =>
      json(200, allocations.listAllocationHistory({ ...query, user_id: params.user_id })),
    listVaults: ({ params }) => json(200, allocations.listVaults({ user_id: params.user_id })),
    renameVault: ({ params, body, principal }) => json(200, allocations.renameVault({ ...body, ...params, principal })),
    async closeVault({ params, principal }) {
      await allocations.closeVault({ ...params, principal });
      return { status: 204 };
    },
  } satisfies Module;
};
