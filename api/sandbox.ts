import { moveClock, readClock } from '../activities/clock.ts';
import type { Services } from '../infra/services.ts';
import { json } from './http/reply/json.ts';
import type { Module } from './http/handlers.ts';

export const sandboxHandlers = (services: Services) =>
  ({
    readClock: () => json(200, readClock(services)),
    moveClock: ({ once, body, principal }) => once((tx) => json(200, moveClock(tx, services, { ...body, principal }))),
  }) satisfies Module;
