import { clockActivities } from '../activities/clock.ts';
import type { Services } from '../infra/services.ts';
import type { Module } from './http/operations.ts';

export const sandboxHandlers = (services: Services) => {
  const clock = clockActivities(services);
  return {
    readClock: async () => ({ status: 200, body: await clock.readClock() }),
    moveClock: async ({ body, principal }) => ({ status: 200, body: await clock.moveClock({ ...body, principal }) }),
  } satisfies Module;
};
