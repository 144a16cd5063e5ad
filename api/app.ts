import express, { type Express, type Router } from 'express';
import type { Services } from '../infra/services.ts';
import { sendJson } from './http/reply/answer.ts';
import { authenticate, requireScope } from './http/access/authentication.ts';
import { parseBody } from './http/request/body.ts';
import { readContract, type Contract, type Operation } from './http/contract.ts';
import { allowPages, answerPreflights, requireOwnOrigin } from './http/access/cross-origin.ts';
import { tellDeprecations } from './http/reply/deprecation.ts';
import { answerErrors, notFound } from './http/reply/error-handler.ts';
import { beginExchange, beginOperation, callWithinReach, handle, identifyExchange } from './http/handling.ts';
import { rememberRequest } from './http/once.ts';
import type { AnyHandler, Module } from './http/handlers.ts';
import { sharedParts, type Parts } from './http/parts.ts';
import { callerAddress } from './http/access/proxies.ts';
import { readQuery } from './http/request/query.ts';
import { limitAddresses, limitCallers } from './http/access/rate-limits.ts';
import { refuseWhileRestoring } from './http/access/restoring.ts';
import { checkRequests } from './http/validation/request-faults.ts';
import { requestId } from './http/request/id.ts';
import { refuseRepeatedHeaders } from './http/request/repeated-headers.ts';
import { routesOf } from './http/server/routes.ts';
import { securityHeaders } from './http/reply/security-headers.ts';
import type { Answering } from './http/server/server.ts';
import { plainPath } from './http/request/target.ts';
import { foldTexts } from './http/request/texts.ts';
import { awaitUploadStart, takeUploadSlot } from './http/request/uploads.ts';
import { validatorOf } from './http/validation/validator.ts';
import { warmUp } from './http/validation/warm-up.ts';
import { modulesOf } from './modules.ts';
import { docsPages } from './pages/docs.ts';

export interface App {
  listener: Express;
  watch: Answering['watch'];
  exchanges: Answering['exchanges'];
  trustsProxy: Answering['trustsProxy'];
  /** Makes the readiness check fail, and ends the waiting of requests for a change. */
  stopping(): void;
}

export async function createApp(
  services: Services,
  contract: Contract = readContract(services.config.environment),
): Promise<App> {
  const parts = sharedParts(services, contract);
  const modules = modulesOf(services, contract, parts.cancellation.isStopping);

  const app = express();
  app.enable('case sensitive routing').enable('strict routing');
  app.disable('x-powered-by').disable('etag').disable('query parser');
  app.set('trust proxy', parts.trustsProxy);
  app.response.json = sendJson;

  app.use(requestId, securityHeaders, parts.watch.middleware, callerAddress, beginExchange(parts), plainPath);
  for (const handlers of modules) app.use(await moduleRouter(parts, handlers));
  app.use(docsPages(contract, services.config.api.publicUrl));
  app.use(notFound);
  app.use(answerErrors(parts));
  const { watch, exchanges, trustsProxy, cancellation } = parts;
  return { listener: app, watch, exchanges, trustsProxy, stopping: cancellation.stop };
}

async function moduleRouter(parts: Parts, handlers: Module): Promise<Router> {
  const { services, contract, checked } = parts;
  const operations = contract.operations.filter(({ id }) => Object.hasOwn(handlers, id));
  const validator = validatorOf(contract, operations, { responses: checked });
  // In a sandbox, schemas compile at their first requests, so that the service starts sooner.
  if (services.config.environment === 'production') await warmUp(validator, operations);
  const preflights = (ofPath: readonly Operation[]) => answerPreflights(ofPath, services);
  return routesOf(operations, preflights, (operation) => {
    const handler = handlers[operation.id] as AnyHandler;
    return [
      beginOperation(operation),
      ...allowPages(operation, services),
      ...refuseWhileRestoring(operation, services),
      ...limitAddresses(operation, parts),
      refuseRepeatedHeaders,
      ...authenticate(operation, parts),
      ...identifyExchange(operation),
      ...requireOwnOrigin(operation, services),
      ...limitCallers(operation, parts.quotas),
      ...requireScope(operation),
      ...takeUploadSlot(operation, parts.slots),
      parseBody(operation, contract.document),
      ...foldTexts(operation, contract.document),
      readQuery(operation),
      ...tellDeprecations(operation, contract.document),
      ...rememberRequest(operation),
      ...checkRequests(operation, { document: contract.document, validator, checked }),
      callWithinReach(operation, parts),
      ...awaitUploadStart(operation),
      handle(operation, handler, parts),
    ];
  });
}
