import express, { type ErrorRequestHandler, type Express } from 'express';
import { authActivities } from '../activities/auth.ts';
import { idempotencyActivities } from '../activities/idempotency.ts';
import { vaultOperations } from '../activities/vault.ts';
import { openQuotas } from '../infra/quotas.ts';
import type { Services } from '../infra/services.ts';
import { watchedQuotas } from '../infra/telemetry/watched.ts';
import { adminHandlers } from './admin.ts';
import { affordabilityHandlers } from './affordability.ts';
import { allocationHandlers } from './allocations.ts';
import { authHandlers } from './auth.ts';
import { credentialHandlers } from './credential.ts';
import { clientCertificates } from './http/client-certificate.ts';
import { debtHandlers } from './debt.ts';
import { readContract, type Contract } from './http/contract.ts';
import { trustedProxies } from './http/incoming.ts';
import type { Handlers } from './http/operations.ts';
import type { Answering } from './http/server.ts';
import { answerFault, answerNotFound, createShell } from './http/shell.ts';
import { createUploadPlaces } from './http/uploads.ts';
import { createValidation } from './http/validation.ts';
import { oauthHandlers } from './oauth.ts';
import { legacyHandlers } from './legacy.ts';
import { operationsHandlers } from './operations.ts';
import { docsPages } from './pages/docs.ts';
import { paycheckHandlers } from './paycheck.ts';
import { passwordHandlers } from './password.ts';
import { proofHandlers } from './proof.ts';
import { paymentHandlers } from './payments.ts';
import { providerSignInHandlers } from './provider-sign-in.ts';
import { sandboxHandlers, type SandboxOperation } from './sandbox.ts';
import { signInHandlers } from './sign-in.ts';
import { vaultHandlers } from './vault.ts';
import { yieldHandlers } from './yield.ts';

export interface App {
  /** Takes the requests of an HTTP server. */
  listener: Express;
  watch: Answering['watch'];
  /** From now on it is not ready, and holds no answer back; what is under way goes on. */
  stopping(): void;
}

/**
 * The whole service behind HTTP, made from the contract: every operation of it has a handler here.
 * @throws when the contract and the handlers differ, or the contract cannot be compiled.
 */
export async function createApp(
  services: Services,
  contract: Contract = readContract(services.config.environment),
): Promise<App> {
  const { environment, api, limits } = services.config;
  let isStopping = false;
  const always: Omit<Handlers, SandboxOperation> = {
    ...operationsHandlers(services, contract.document, () => isStopping),
    ...adminHandlers(services),
    ...authHandlers(services),
    ...signInHandlers(services),
    ...passwordHandlers(services),
    ...proofHandlers(services),
    ...providerSignInHandlers(services),
    ...oauthHandlers(services),
    ...paycheckHandlers(services),
    ...allocationHandlers(services),
    ...paymentHandlers(services),
    ...debtHandlers(services),
    ...yieldHandlers(services),
    ...vaultHandlers(services),
    ...affordabilityHandlers(services),
    ...legacyHandlers(services),
    ...credentialHandlers(services),
  };
  const ofSandbox = environment === 'sandbox' ? sandboxHandlers(services) : {};
  const trustsProxy = trustedProxies(api.proxied.trusted);
  const inProduction = environment === 'production';
  const shell = createShell({
    contract,
    handlers: { ...always, ...ofSandbox } as Handlers,
    // In production nobody waits for it, and what cannot be compiled does not start; elsewhere starting takes half the time.
    validation: await createValidation(contract, {
      responses: !inProduction,
      compiled: inProduction ? 'at start' : 'at first use',
    }),
    door: {
      authenticate: authActivities(services).authenticate,
      clientCertificate: await clientCertificates(api.vaultClientCa, trustsProxy),
    },
    idempotency: idempotencyActivities(services),
    services,
    uploads: createUploadPlaces(api.uploads),
    quotas: watchedQuotas(openQuotas(limits), services),
    trustsProxy,
    onVaultRefusal: ({ params, ...refused }) =>
      vaultOperations(services).recordRefusal({ ...refused, vault_ref: params.vault_ref }),
  });

  const listener = express().disable('x-powered-by').disable('etag').disable('query parser');
  listener.use(shell.middleware);
  listener.use(docsPages(contract.document));
  listener.use(answerNotFound);
  // A function of four parameters is what Express takes for its handler of errors.
  const onFault: ErrorRequestHandler = (fault, request, response, next) => {
    if (response.headersSent) next(fault);
    else answerFault(services.log, fault, request, response);
  };
  listener.use(onFault);
  return {
    listener,
    watch: shell.watch,
    stopping() {
      isStopping = true;
      shell.stopWaiting();
    },
  };
}
