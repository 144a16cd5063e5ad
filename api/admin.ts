import { adminActivities } from '../activities/admin.ts';
import { DEFAULT_LIMIT } from '../activities/page.ts';
import type { Services } from '../infra/services.ts';
import { json } from './http/json.ts';
import type { Module } from './http/operations.ts';

export const adminHandlers = (services: Services) => {
  const admin = adminActivities(services);
  return {
    listAuditEvents: ({ query, principal }) =>
      json(200, admin.listAuditEvents({ limit: DEFAULT_LIMIT, ...query, principal })),
    readHealth: () => json(200, admin.readHealth()),
  } satisfies Module;
};
