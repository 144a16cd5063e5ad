import { adminActivities } from '../activities/admin.ts';
import type { Services } from '../infra/services.ts';
import type { Module } from './http/operations.ts';

export const adminHandlers = (services: Services) => {
  const admin = adminActivities(services);
  return {
    listAuditEvents: async ({ query, principal }) => ({
      status: 200,
      body: await admin.listAuditEvents({ ...query, principal }),
    }),
    readHealth: async () => ({ status: 200, body: await admin.readHealth() }),
  } satisfies Module;
};
