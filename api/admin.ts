import { listAuditEvents, readHealth } from '../activities/admin.ts';
import type { Services } from '../infra/services.ts';
import type { Module } from './http/operations.ts';

export const adminHandlers = (services: Services) =>
  ({
    listAuditEvents: async ({ query, principal }) => ({
      status: 200,
      body: await listAuditEvents(services, { ...query, principal }),
    }),
    readHealth: async () => ({ status: 200, body: await readHealth(services) }),
  }) satisfies Module;
