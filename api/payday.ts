import type { Services } from '../infra/services.ts';
import type { Module } from './http/handlers.ts';

export const paydayHandlers = (_services: Services) => {
  const missing = () => Promise.reject(new Error('not built'));
  return {
    readStandingSplit: missing,
    setStandingSplit: missing,
    deleteStandingSplit: missing,
    listPaydays: missing,
  } satisfies Module;
};
