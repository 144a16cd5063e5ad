import type { ErrorRequestHandler, RequestHandler } from 'express';
import { error as validatorErrors } from 'express-openapi-validator';
import type { Body } from '../request/body.ts';
import { faultsBeyondSchema } from './body-rules.ts';
import { resolve, type Node, type Operation } from '../contract.ts';
import { inWords, type ValidatorFault } from './faults.ts';
import { invalid } from '../request/invalid.ts';
import type { Locals } from '../locals.ts';
import { takeOddNumbers, unknownQuery } from '../request/query.ts';
import { variantsOf } from './variants.ts';

/** The steps that check a request against its operation. Without anything to check, the validator is not among them. */
export function checkRequests(
  operation: Operation,
  { document, validator, checked }: { document: Node; validator: RequestHandler; checked: boolean },
): readonly (RequestHandler | ErrorRequestHandler)[] {
  const { bodyTypes, node } = operation;
  // The validator also checks the responses in a sandbox.
  const isNeeded = checked || bodyTypes.length > 0 || (node.parameters as Node[]).length > 0;
  if (isNeeded) return [collectFaults(operation), validator, ...refuseFaults(operation, document)];
  const refuse: RequestHandler = (_request, { locals: { faults = [] } }, next) => {
    if (faults.length > 0) throw invalid(faults);
    next();
  };
  return [collectFaults(operation), refuse];
}

/** Collects faults that the validator misses. */
function collectFaults(operation: Operation): RequestHandler {
  return (request, response, next) => {
    const { body, query = {} } = response.locals;
    const type = body?.type;
    const missing = operation.bodyRequired && type === undefined;
    response.locals.faults = [
      ...unknownQuery(operation, query),
      ...takeOddNumbers(request.query, operation.queryIntegers),
      ...(missing ? [{ pointer: '', detail: 'a body is required' }] : []),
    ];
    // Without parameters, because the validator compiles and keeps a schema for each different Content-Type.
    if (type === undefined) delete request.headers['content-type'];
    else request.headers['content-type'] = type;
    next();
  };
}

function refuseFaults(operation: Operation, document: Node): [ErrorRequestHandler, RequestHandler] {
  const judge = faultsOf(operation, document);
  const withValidatorFaults: ErrorRequestHandler = (error: unknown, _request, { locals }, next) => {
    if (!(error instanceof validatorErrors.BadRequest)) {
      next(error);
      return;
    }
    const faults = judge(locals, error.errors);
    next(faults.length > 0 ? invalid(faults) : undefined);
  };
  return [
    withValidatorFaults,
    (request, response, next) => {
      if (!('openapi' in request)) throw new Error(`${operation.id}: the validator did not check the request`);
      const faults = judge(response.locals, []);
      if (faults.length > 0) throw invalid(faults);
      next();
    },
  ];
}

function faultsOf(operation: Operation, document: Node) {
  const schemaOf = schemaOfBody(operation, document);
  const parameters = operation.node.parameters as Node[];
  return ({ body, faults = [] }: Locals, reported: readonly ValidatorFault[]) => {
    const plain = body?.plain;
    const counting = reported.filter(({ path }) => !operation.laxQuery || !path.startsWith('/query'));
    const worded = inWords(counting, { document, parameters, body: schemaOf(body) }, plain);
    const all = [...faults, ...worded];
    all.push(...faultsBeyondSchema(operation.id, plain, all));
    return all;
  };
}

/** If the body can have several variants, the schema is that of the variant that the body names. */
function schemaOfBody({ node }: Operation, document: Node): (body: Body | undefined) => Node {
  const content = resolve(document, node.requestBody ?? {}).content as Readonly<Record<string, Node>> | undefined;
  const variants = new Map(
    Object.entries(content ?? {}).map(([type, { schema }]) => [type, variantsOf(document, schema as Node)]),
  );
  return (body) => {
    const { type = '', plain } = body ?? {};
    const forms = variants.get(type);
    if (forms === undefined) return (content?.[type]?.schema ?? {}) as Node;
    const named = typeof plain === 'object' && plain !== null ? (plain as Node)[forms.property] : undefined;
    return forms.schemas.get(named as string) ?? forms.common;
  };
}
