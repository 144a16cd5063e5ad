import { clockActivities } from '../activities/clock.ts';
import type { Services } from '../infra/services.ts';
import { json } from './http/json.ts';
import type { Module } from './http/operations.ts';

export const sandboxHandlers = (services: Services) => {
  const clock = clockActivities(services);
  return {
    readClock: () => json(200, clock.readClock()),
    moveClock: ({ body, principal }) => json(200, clock.moveClock({ ...body, principal })),
  } satisfies Module;
};
