import { DEFAULT_LIMIT } from '../activities/page.ts';
import { listPaydays } from '../activities/payday/list.ts';
import type { Services } from '../infra/services.ts';
import type { StandingSplit } from '../openapi/types.ts';
import type { Module } from './http/handlers.ts';
import { json } from './http/reply/json.ts';

export const paydayHandlers = (services: Services) => {
  const missing = () => Promise.reject(new Error('not built'));
  return {
    readStandingSplit: missing,
    setStandingSplit: missing,
    deleteStandingSplit: missing,
    listPaydays: ({ query, principal }) =>
      json(200, listPaydays(services, { limit: DEFAULT_LIMIT, ...query, principal })),
  } satisfies Module;
};

function versionsOf(ifMatch: string | string[] | undefined) {
  return ifMatch === undefined ? undefined : (revisionsOf(ifMatch) ?? 'any');
}
