import { listAuditEvents, readHealth } from '../activities/admin.ts';
import type { Services } from '../infra/services.ts';
import { json } from './http/reply/json.ts';
import type { Module } from './http/handlers.ts';

export const adminHandlers = (services: Services) =>
  ({
    listAuditEvents: ({ query, principal }) => json(200, listAuditEvents(services, { ...query, principal })),
    readHealth: () => json(200, readHealth(services)),
  }) satisfies Module;
