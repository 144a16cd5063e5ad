import type { IncomingHttpHeaders } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { OpenApiSpecLoader } from 'express-openapi-validator/dist/framework/openapi.spec.loader.js';
import { OpenApiValidator } from 'express-openapi-validator/dist/openapi.validator.js';
import { RequestValidator } from 'express-openapi-validator/dist/middlewares/openapi.request.validator.js';
import { ResponseValidator } from 'express-openapi-validator/dist/middlewares/openapi.response.validator.js';
import { ContentType } from 'express-openapi-validator/dist/middlewares/util.js';
import { SchemaPreprocessor } from 'express-openapi-validator/dist/middlewares/parsers/schema.preprocessor.js';
import type { InputFault } from '../../domain/errors.ts';
import type { LongJson } from '../../infra/threads/long-json.ts';
import type { Body } from './body.ts';
import { faultsBeyondSchema } from './body-rules.ts';
import { invalid } from './invalid.ts';
import { takeOddNumbers, unknownQuery } from './query.ts';
import { resolve, type Contract, type Node, type Operation } from './contract.ts';
import { inWords, type ValidatorFault } from './faults.ts';
import { FORMATS } from './formats.ts';
import { variantsOf } from './variants.ts';

/** The parts of a request that the contract speaks of. Validation fills in defaults and turns query values into their types. */
export interface RequestParts {
  params: Record<string, string>;
  query: Record<string, unknown>;
  headers: IncomingHttpHeaders;
  body: Body;
}

export interface Validation {
  /** @throws DomainError `invalid-request` that names every fault at once. */
  checkRequest(operation: Operation, parts: RequestParts): void;
  /** @throws ContractBreach when the contract does not declare such an answer. */
  checkResponse(operation: Operation, status: number, contentType: string | undefined, body: unknown): void;
  /** The same for JSON text with a long list, a slice after the other, so that others get their turn in between. */
  checkLong(operation: Operation, status: number, text: LongJson<unknown>): Promise<void>;
  /** The same for an answer that is not JSON: only whether its status and type are declared. */
  checkDeclared(operation: Operation, status: number, contentType: string): void;
}

/** An answer of ours that the contract does not declare: a fault of the service. */
export class ContractBreach extends Error {
  override readonly name = 'ContractBreach';
}

/*
 * The classes of express-openapi-validator are used one level below its middleware: that one looks for the operation by
 * compiling a regular expression for each path of the contract on each request, and stops at the first unknown query
 * parameter. Here the router has found the operation, and no validator is compiled twice.
 */

type Validate = (request: object, response: undefined, next: () => void) => void;
interface RequestValidators {
  buildMiddleware(path: string, operation: Node, type: ContentType, key: string): Validate;
}
type Validators = Readonly<Record<string, unknown>>;
interface ResponseValidators {
  buildValidators(responses: Node, key: string): Validators;
  _validate(answer: {
    validators: Validators;
    body: unknown;
    statusCode: number;
    path: string;
    accepts: string[];
  }): void;
}

/** What becomes of answers, and when a request's checks are compiled: all at start, or an operation's with the first of it. */
export interface ValidationOptions {
  responses: boolean;
  compiled: 'at start' | 'at first use';
}

/**
 * Compiles the contract. Answers are checked too where `responses` says so.
 * @throws when it cannot be compiled, at start or at first use.
 */
export async function createValidation(contract: Contract, options: ValidationOptions): Promise<Validation> {
  const { responses } = options;
  const validator = new OpenApiValidator({
    apiSpec: structuredClone(contract.document) as never,
    validateRequests: { allErrors: true, allowUnknownQueryParameters: true, coerceTypes: false },
    validateResponses: { allErrors: true },
    // Dates that do not exist are refused in this mode only.
    ajvFormats: { mode: 'full' },
    formats: FORMATS,
  });
  const { ajvOpts } = validator as unknown as { ajvOpts: Record<'preprocessor' | 'request' | 'response', never> };
  const loader = { apiDoc: structuredClone(contract.document), validateApiSpec: false, $refParser: { mode: 'bundle' } };
  const { apiDoc } = await new OpenApiSpecLoader(loader as never).load();
  const prepared = new SchemaPreprocessor(apiDoc, ajvOpts.preprocessor, {}).preProcess() as {
    apiDoc: never;
    apiDocRes: never;
  };
  const requests = new RequestValidator(schemasOnly(prepared.apiDoc), ajvOpts.request) as unknown as RequestValidators;
  const answers = new ResponseValidator(
    schemasOnly(prepared.apiDocRes),
    ajvOpts.response,
    {},
  ) as unknown as ResponseValidators;

  const requestCheck = oncePerOperation((operation) => compileRequest(requests, prepared.apiDoc, operation));
  if (options.compiled === 'at start') contract.operations.forEach(requestCheck);
  // Only outside production, hence never at start.
  const responseCheck = oncePerOperation((operation) =>
    answers.buildValidators(preparedNode(prepared.apiDocRes, operation).responses as Node, operation.id),
  );

  const checkResponse: Validation['checkResponse'] = (operation, status, contentType, body) => {
    if (!responses) return;
    const validators = responseCheck(operation);
    const accepts = contentType === undefined ? [] : [contentType];
    try {
      answers._validate({ validators, body, statusCode: status, path: operation.path, accepts });
    } catch (cause) {
      throw new ContractBreach(
        `${operation.id} answered ${status} in a way the contract does not declare: ${String(cause)}`,
        { cause },
      );
    }
  };

  return {
    checkRequest(operation, parts) {
      const faults = [
        ...unknownQuery(operation, parts.query),
        ...takeOddNumbers(parts.query, operation.queryIntegers),
        ...missingBody(operation, parts.body),
      ];
      const { found, node } = requestCheck(operation)(parts);
      const counting = found.filter(({ path }) => !operation.laxQuery || !path.startsWith('/query'));
      faults.push(...inWords(counting, contract.document, node, parts.body.plain));
      faults.push(...faultsBeyondSchema(operation.id, parts.body.plain, faults));
      if (faults.length > 0) throw invalid(faults);
    },
    checkResponse,
    async checkLong(operation, status, text) {
      if (responses) await eachSlice(text, (body) => checkResponse(operation, status, 'application/json', body));
    },
    checkDeclared(operation, status, contentType) {
      if (!responses) return;
      const { content } = resolve(contract.document, operation.responses[status] ?? {});
      if (Object.keys(content ?? {}).includes(contentType)) return;
      throw new ContractBreach(
        `${operation.id} answered ${status} as ${contentType}, which the contract does not declare`,
      );
    },
  };
}

/** Makes something for an operation when it is first asked for. */
function oncePerOperation<Made>(make: (operation: Operation) => Made): (operation: Operation) => Made {
  const made = new Map<string, Made>();
  return (operation) => {
    let known = made.get(operation.id);
    if (known === undefined) made.set(operation.id, (known = make(operation)));
    return known;
  };
}

/** Each slice as if it were all of the list, with room for others in between. */
async function eachSlice({ before, slices, after }: LongJson<unknown>, look: (body: unknown) => void): Promise<void> {
  for (const slice of slices.length > 0 ? slices : [new Uint8Array()]) {
    look(JSON.parse(Buffer.concat([before, slice, after]).toString()));
    await setImmediate();
  }
}

/** What a schema can refer to. The validator puts it into every schema; the whole document would take seconds to compile. */
function schemasOnly(document: Node): never {
  const { schemas, parameters, requestBodies, responses } = document.components as Node;
  const components = { schemas, parameters, requestBodies, responses };
  return { openapi: document.openapi, info: document.info, paths: {}, components } as never;
}

function preparedNode(document: Node, { path, method }: Pick<Operation, 'path' | 'method'>): Node {
  return (document.paths as Record<string, Record<string, Node>>)[path]![method.toLowerCase()]!;
}

/** What checks a request, and the node of the contract that says what it should have been. */
interface Check {
  validate: Validate;
  node: Node;
}

/** One compiled validator per media type of the body, and per form where a body has several; the one without a body goes by ''. */
function compileRequest(requests: RequestValidators, document: Node, operation: Operation) {
  const { requestBody, ...withoutBody } = preparedNode(document, operation);
  const compile = (node: Node, type: string, form = '') =>
    requests.buildMiddleware(operation.path, node, ContentType.fromString(type), `${operation.id} ${type} ${form}`);
  const noBody: Check = { validate: compile(withoutBody, ''), node: operation.node };
  const checks = new Map<string, (body: unknown) => Check>([['', () => noBody]]);
  for (const type of operation.bodyTypes) {
    const { content } = resolve(document, requestBody) as { content: Record<string, { schema: Node }> };
    const checkOf = (schema: Node, form?: string): Check => {
      const body = { required: operation.bodyRequired, content: { [type]: { schema } } };
      const node = { ...operation.node, requestBody: body };
      return { validate: compile({ ...withoutBody, requestBody: body }, type, form), node };
    };
    checks.set(type, chooser(document, content[type]!.schema, checkOf));
  }
  // Its own parsing of parameters is for lists and objects in a query, which this contract does not have.
  const openapi = { expressRoute: operation.path, schema: { parameters: [] } };

  return ({ params, query, headers, body }: RequestParts): { found: readonly ValidatorFault[]; node: Node } => {
    const { validate, node } = checks.get(body.type ?? '')!(body.plain);
    const request = {
      openapi: { ...openapi, pathParams: params },
      params,
      query,
      headers,
      body: body.plain,
      originalUrl: '',
    };
    try {
      validate(request, undefined, () => undefined);
      return { found: [], node };
    } catch (error) {
      const { errors } = error as { errors?: ValidatorFault[] };
      if (errors === undefined) throw error;
      return { found: errors, node };
    }
  };
}

/**
 * Gives the check of a body; where it has several forms, of the one that it names, so that its faults are told and no other's.
 * A form is compiled when the first body names it: all of them would lengthen each start.
 */
function chooser(document: Node, schema: Node, checkOf: (schema: Node, form?: string) => Check) {
  const variants = variantsOf(document, schema);
  if (variants === undefined) {
    const only = checkOf(schema);
    return () => only;
  }
  const common = checkOf(variants.common);
  const compiled = new Map<unknown, Check>();
  return (body: unknown) => {
    const named = typeof body === 'object' && body !== null ? (body as Node)[variants.property] : undefined;
    const form = variants.schemas.get(named as string);
    if (form === undefined) return common;
    const check = compiled.get(named) ?? checkOf(form, String(named));
    compiled.set(named, check);
    return check;
  };
}

function missingBody({ bodyRequired }: Operation, body: Body): InputFault[] {
  return bodyRequired && body.type === undefined ? [{ pointer: '', detail: 'a body is required' }] : [];
}
