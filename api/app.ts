import express, { type ErrorRequestHandler, type Express } from 'express';
import { authActivities } from '../activities/auth.ts';
import { idempotencyActivities } from '../activities/idempotency.ts';
import type { Services } from '../infra/services.ts';
import { allocationHandlers } from './allocations.ts';
import { authHandlers } from './auth.ts';
import { readContract } from './http/contract.ts';
import { trustedProxies } from './http/incoming.ts';
import type { Handlers } from './http/operations.ts';
import { answerFault, answerNotFound, createShell } from './http/shell.ts';
import { createValidation } from './http/validation.ts';
import { operationsHandlers } from './operations.ts';
import { docsPages } from './pages/docs.ts';
import { paycheckHandlers } from './paycheck.ts';
import { paymentHandlers } from './payments.ts';

export interface App {
  /** Takes the requests of an HTTP server. */
  listener: Express;
  /** From now on it is not ready, and holds no answer back; what is under way goes on. */
  stopping(): void;
}

/**
 * The whole service behind HTTP, made from the contract: every operation of it has a handler here.
 * @throws when the contract and the handlers differ, or the contract cannot be compiled.
 */
export async function createApp(services: Services): Promise<App> {
  const contract = readContract();
  let isStopping = false;
  const handlers: Handlers = {
    ...operationsHandlers(services, contract.document, () => isStopping),
    ...authHandlers(services),
    ...paycheckHandlers(services),
    ...allocationHandlers(services),
    ...paymentHandlers(services),
  };
  const shell = createShell({
    contract,
    handlers,
    validation: await createValidation(contract, { responses: services.config.environment !== 'production' }),
    door: { authenticate: authActivities(services).authenticate, hasClientCertificate: () => false },
    idempotency: idempotencyActivities(services),
    services,
    trustsProxy: trustedProxies(services.config.api.proxied.trusted),
    onVaultRefusal: () => Promise.resolve(),
  });

  const listener = express().disable('x-powered-by').disable('etag').disable('query parser');
  listener.use(shell.middleware);
  listener.use(docsPages());
  listener.use(answerNotFound);
  // A function of four parameters is what Express takes for its handler of errors.
  const onFault: ErrorRequestHandler = (fault, request, response, next) => {
    if (response.headersSent) next(fault);
    else answerFault(services.log, fault, request, response);
  };
  listener.use(onFault);
  return {
    listener,
    stopping() {
      isStopping = true;
      shell.stopWaiting();
    },
  };
}
