/** Stands in for express-openapi-validator (`jest.config.js`), with the exports that `jest-environment.ts` loaded. */
export const { error, middleware } = (
  globalThis as unknown as { validator: typeof import('express-openapi-validator') }
).validator;
