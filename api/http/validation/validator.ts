import type { NextFunction, RequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import type { Contract, Operation } from '../contract.ts';
import { validatedDocument } from './document.ts';
import { FORMATS } from './formats.ts';

/** Checks requests of these operations, and with `responses` also the responses. Compiles schemas at the first request. */
export function validatorOf(
  contract: Contract,
  operations: readonly Operation[],
  { responses }: { responses: boolean },
): RequestHandler {
  let steps: readonly RequestHandler[] | undefined;
  const made = () =>
    OpenApiValidator.middleware({
      apiSpec: validatedDocument(contract, operations, { responses }) as never,
      validateApiSpec: false,
      // We authenticate before reading the body, and parse multipart forms ourselves.
      validateSecurity: false,
      fileUploader: false,
      validateRequests: { allErrors: true, allowUnknownQueryParameters: true, coerceTypes: false },
      validateResponses: responses && { allErrors: true },
      // The mode `fast` accepts dates that do not exist, such as 30 February.
      ajvFormats: { mode: 'full' },
      formats: FORMATS,
    }) as RequestHandler[];
  return (request, response, next) => {
    const all = (steps ??= made());
    const after =
      (index: number): NextFunction =>
      (error?: unknown) => {
        if (error !== undefined || index === all.length) next(error);
        else void all[index]!(request, response, after(index + 1));
      };
    after(0)();
  };
}
