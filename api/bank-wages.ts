import type { Services } from '../infra/services.ts';
import type { Module } from './http/handlers.ts';

export const bankWageHandlers = (_services: Services) =>
  ({
    listWages: () => Promise.reject(new Error('not built yet')),
    confirmWage: () => Promise.reject(new Error('not built yet')),
    showWage: () => Promise.reject(new Error('not built yet')),
    confirmWageByForm: () => Promise.reject(new Error('not built yet')),
  }) satisfies Module;
