import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { DomainError } from '../../../domain/errors.ts';
import { requireDeclared, send, type Packed } from './answer.ts';
import { CallerGone } from '../request/caller-gone.ts';
import { faultForLog } from './fault-for-log.ts';
import { PROBLEMS } from './problem.ts';
import type { Parts } from '../parts.ts';
import { problemRefusal, refusalFor } from './refusals.ts';
import { recordVaultRefusal } from '../access/vault-refusals.ts';

export function answerErrors({ services, watch, checked }: Parts): ErrorRequestHandler {
  const { log } = services;
  const refused = async (thrown: unknown, response: Response): Promise<Packed> => {
    const { operation, principal, requestId } = response.locals;
    const error = await recordVaultRefusal(services, thrown, response);
    if (!(error instanceof DomainError)) throw error;
    watch.refused(error.code);
    const fields = { request_id: requestId, operation: operation?.id };
    if (PROBLEMS[error.code].status >= 500)
      log.warn({ ...fields, code: error.code, ...error.extra }, 'refused for now');
    if (error.code === 'rate-limited' && principal?.kind === 'api_key')
      log.warn({ ...fields, key_id: principal.keyId }, 'an API key exceeded its limit');
    const packed = refusalFor(error, response);
    if (checked && operation !== undefined)
      // The contract of such an operation does not mention the page that a browser gets instead of a problem document.
      requireDeclared(operation, operation.errors === 'problem' ? problemRefusal(error, response.locals) : packed);
    return packed;
  };
  const broken = (fault: unknown, response: Response): Packed => {
    const { operation, requestId } = response.locals;
    watch.refused('internal-error');
    log.error(
      { request_id: requestId, operation: operation?.id, fault: faultForLog(fault) },
      'a request failed unexpectedly',
    );
    const detail =
      'The service failed unexpectedly and logged the error. Tell the operator the X-Request-Id of this response.';
    return refusalFor(new DomainError('internal-error', detail), response);
  };
  // Express recognises an error handler by its four parameters.
  return async (thrown: unknown, _request, response, _next) => {
    if (thrown instanceof CallerGone) return;
    const packed = await refused(thrown, response).catch((fault: unknown) => broken(fault, response));
    try {
      send(response, packed);
    } catch (fault) {
      const { requestId } = response.locals;
      log.error({ request_id: requestId, fault: faultForLog(fault) }, 'a response could not be sent');
      response.destroy();
    }
  };
}

export const notFound: RequestHandler = (_request, response) => {
  const detail = 'Nothing exists at this URL. The contract at /openapi.json lists all paths.';
  send(response, refusalFor(new DomainError('not-found', detail), response));
};
