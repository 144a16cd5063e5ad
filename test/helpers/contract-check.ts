import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import type { Contract, Operation } from '../../api/http/contract.ts';
import { FORMATS } from '../../api/http/validation/formats.ts';
import { checkRequests } from '../../api/http/validation/request-faults.ts';
import { validatedDocument } from '../../api/http/validation/document.ts';
import type { DomainError, InputFault } from '../../domain/errors.ts';

interface ContractCheck {
  checkAnswer(operation: Operation, answer: { status: number; type: string; body: unknown }): Promise<void>;
  faultsOf(operation: Operation, body: { type: string; value: unknown }): Promise<InputFault[]>;
}

export function contractCheck(contract: Contract): ContractCheck {
  const { document } = contract;
  const validator = (operation: Operation, responses: boolean) =>
    OpenApiValidator.middleware({
      apiSpec: validatedDocument(contract, [operation], { responses }) as never,
      validateApiSpec: false,
      validateSecurity: false,
      fileUploader: false,
      validateRequests: !responses && { allErrors: true, allowUnknownQueryParameters: true },
      validateResponses: responses && { allErrors: true },
      ajvFormats: { mode: 'full' },
      formats: FORMATS,
    });
  const answers = new Map<string, RequestHandler[]>();
  return {
    async checkAnswer(operation, { status, type, body }) {
      const answered: RequestHandler = (_request, response) => {
        response.status(looked(status)).setHeader('Content-Type', type);
        response.json(body);
      };
      const known = answers.get(operation.id) ?? validator({ ...operation, responses: withLooked(operation) }, true);
      answers.set(operation.id, known);
      await pass(operation, [...known, answered]);
    },
    async faultsOf(operation, { type, value }) {
      const plain = structuredClone(value);
      const begin: RequestHandler = (request, { locals }, next) => {
        locals.body = { type, value, plain };
        request.body = plain;
        Object.defineProperty(request, 'query', { value: {}, writable: true, configurable: true });
        next();
      };
      const checks = checkRequests(operation, {
        document,
        validator: express.Router().use(...validator(operation, false)),
        checked: true,
      });
      try {
        await pass(operation, [begin, ...checks]);
        return [];
      } catch (error) {
        return (error as DomainError).extra.errors as InputFault[];
      }
    },
  };
}

/** Maps a status of 500 or above to one below 500, because the validator ignores statuses of 500 or above. */
const looked = (status: number) => (status < 500 ? status : status - 50);

function withLooked({ responses }: Operation): Operation['responses'] {
  return Object.fromEntries(Object.entries(responses).map(([status, one]) => [looked(Number(status)), one]));
}

function pass({ method, path }: Operation, handlers: (RequestHandler | ErrorRequestHandler)[]): Promise<void> {
  const request = Object.assign(new IncomingMessage(new Socket()), { method, url: path.replace(/\{[^}]+\}/g, 'x') });
  return new Promise((done, fail) => {
    const begin: RequestHandler = (_request, response, next) => {
      response.json = () => {
        done();
        return response;
      };
      next();
    };
    const app = express()
      .enable('case sensitive routing')
      .enable('strict routing')
      .use(begin, ...handlers);
    app(request as express.Request, new ServerResponse(request) as express.Response, (error?: unknown) => {
      if (error === undefined) done();
      // In jest the validator's errors come from another realm, so `instanceof` fails.
      else fail(error instanceof Error ? error : new Error((error as Error).message, { cause: error }));
    });
  });
}
