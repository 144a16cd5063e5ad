import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer, idempotencyActivities } from '../../activities/idempotency.ts';
import type { Principal } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Services } from '../../infra/services.ts';
import { CallerGone, invalid, readBody, type Body } from './body.ts';
import type { Contract, Operation } from './contract.ts';
import { faultForLog } from './fault.ts';
import { callerKey, canonicalRequest, idempotencyKeyOf } from './idempotency.ts';
import { takeIn, type Incoming } from './incoming.ts';
import type { Handlers, OperationId } from './operations.ts';
import { principalFor, type Authenticate } from './principal.ts';
import { headersOf, problemOf } from './problem-document.ts';
import { PROBLEMS } from './problem.ts';
import { parseQuery } from './query.ts';
import { pack, send, type AnyReply, type Packed } from './reply.ts';
import { createRouter, type Route } from './router.ts';
import type { Validation } from './validation.ts';

export interface ShellParts {
  contract: Contract;
  handlers: Handlers;
  validation: Validation;
  authenticate: Authenticate;
  idempotency: ReturnType<typeof idempotencyActivities>;
  services: Pick<Services, 'keys' | 'log'>;
}

export interface Shell {
  middleware: (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
  /** Lets go of those who wait for something to change, and of those who will: they are answered with what is now. */
  stopWaiting(): void;
}

type AnyHandler = (call: object) => Promise<AnyReply>;
type Found = Extract<Route, { kind: 'operation' }>;

/** What every request of the contract goes through, in this order; what is not in the contract goes on to `next`. */
export function createShell(parts: ShellParts): Shell {
  const { contract, handlers, services } = parts;
  requireAll(contract, handlers);
  const route = createRouter(contract.operations);
  const waiting = new Set<AbortController>();
  let letsWait = true;

  const middleware: Shell['middleware'] = (request, response, next) => {
    const incoming = takeIn(request, response);
    const found = route(incoming.method, incoming.path);
    if (found.kind === 'nothing') {
      next();
      return;
    }
    const operation = found.kind === 'operation' ? found.operation : undefined;
    if (operation !== undefined) logWhenDone(response, incoming, operation, services.log);
    answerTo(parts, found, request, incoming, letsWait ? signalOf(response, waiting) : AbortSignal.abort())
      .catch((error: unknown) => refusal(error, incoming, operation, parts))
      .then(
        (answer) => answer && send(response, answer),
        (error: unknown) => {
          services.log.error(
            { request_id: incoming.requestId, fault: faultForLog(error) },
            'an answer could not be sent',
          );
          response.destroy();
        },
      );
  };
  const stopWaiting = () => {
    letsWait = false;
    for (const controller of waiting) controller.abort();
  };
  return { middleware, stopWaiting };
}

/** The answer to a request for which the contract has nothing. */
export function answerNotFound(request: IncomingMessage, response: ServerResponse): void {
  const path = (request.url ?? '/').split('?', 1)[0]!;
  const error = new DomainError(
    'not-found',
    'There is nothing at this address. The contract at /openapi.json lists all there is.',
  );
  send(response, packedRefusal(error, { path, requestId: String(response.getHeader('X-Request-Id')) }));
}

/** The answer where something outside the contract failed. */
export function answerFault(
  log: Services['log'],
  fault: unknown,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const requestId = String(response.getHeader('X-Request-Id'));
  log.error({ request_id: requestId, fault: faultForLog(fault) }, 'a fault of the service');
  send(response, packedRefusal(internalError(), { path: (request.url ?? '/').split('?', 1)[0]!, requestId }));
}

/** A refusal as a problem document. */
export function packedRefusal(error: DomainError, instance: Pick<Incoming, 'path' | 'requestId'>): Packed {
  return {
    status: PROBLEMS[error.code].status,
    headers: { 'Content-Type': 'application/problem+json', ...headersOf(error) },
    body: JSON.stringify(problemOf(error, instance)),
  };
}

async function answerTo(
  parts: ShellParts,
  found: Route,
  request: IncomingMessage,
  incoming: Incoming,
  signal: AbortSignal,
): Promise<Packed> {
  if (found.kind === 'malformed') throw invalid([{ pointer: '/path', detail: 'must be percent-encoded UTF-8' }]);
  if (found.kind !== 'operation') return otherMethod(found.kind === 'other-method' ? found.allow : [], incoming);
  const { operation, params } = found;
  const principal = await principalFor(operation, request.headers.authorization, parts.authenticate);
  const body = await readBody(request, operation);
  const query = parseQuery(incoming.search);
  const canonical = operation.idempotent ? canonicalRequest(incoming.method, incoming.path, body.value) : '';
  parts.validation.checkRequest(operation, { params, query, headers: request.headers, body });

  const call = { ...callOf(found, request, incoming, body), query, principal, signal };
  const handle = parts.handlers[operation.id] as unknown as AnyHandler;
  const run = async () => pack(operation, await handle(call), parts.validation);
  const key = operation.idempotent ? idempotencyKeyOf(request.headers['idempotency-key']) : undefined;
  return key === undefined ? run() : answerOnce(parts, { operation, principal, incoming, key, canonical, run });
}

function callOf(
  { operation, params }: Found,
  { headers }: IncomingMessage,
  { address, requestId }: Incoming,
  body: Body,
) {
  return { operationId: operation.id, params, headers, body: body.value, address, requestId };
}

interface OnceRequest {
  operation: Operation;
  principal: Principal | undefined;
  incoming: Incoming;
  key: string;
  canonical: string;
  run: () => Promise<Packed>;
}

async function answerOnce({ idempotency, services }: ShellParts, once: OnceRequest): Promise<Packed> {
  const { operation, principal, incoming, key, canonical, run } = once;
  const { replayed, ...answer } = await idempotency.answerOnce({
    caller: callerKey(principal, incoming.address, services.keys),
    operation: operation.id,
    key,
    request: canonical,
    personal: operation.personal,
    run: async () => storable(await run()),
    refusal: (error) => (isKept(error) ? storable(packedRefusal(error, incoming)) : undefined),
  });
  return replayed ? { ...answer, headers: { ...answer.headers, 'Idempotent-Replayed': 'true' } } : answer;
}

/** Whether a refusal is the answer from now on; what may be otherwise the next time is not. */
function isKept({ code }: DomainError): boolean {
  const { status } = PROBLEMS[code];
  return status < 500 && ![401, 403, 429].includes(status);
}

function storable({ status, headers, body }: Packed): Answer {
  if (typeof body === 'object' && body !== null) throw new TypeError('an answer that is kept must be text');
  const single = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return { status, headers: Object.fromEntries(single), body };
}

function otherMethod(allow: readonly string[], { method }: Incoming): Packed {
  const headers = { Allow: allow.join(', ') };
  if (method === 'OPTIONS') return { status: 204, headers, body: null };
  throw new MethodNotAllowed(headers.Allow);
}

class MethodNotAllowed extends DomainError {
  readonly allow: string;

  constructor(allow: string) {
    super('method-not-allowed', `This address takes ${allow}.`, { allow });
    this.allow = allow;
  }
}

type Needed = Pick<ShellParts, 'services' | 'validation'>;

/** Turns whatever was thrown into an answer; undefined where nobody is there to read one. */
function refusal(
  error: unknown,
  incoming: Incoming,
  operation: Operation | undefined,
  parts: Needed,
): Packed | undefined {
  if (error instanceof CallerGone) return undefined;
  const fields = { request_id: incoming.requestId, operation: operation?.id };
  try {
    if (!(error instanceof DomainError)) throw error;
    if (PROBLEMS[error.code].status >= 500)
      parts.services.log.warn({ ...fields, code: error.code, ...error.extra }, 'refused for now');
    const packed = packedRefusal(error, incoming);
    if (error instanceof MethodNotAllowed) packed.headers.Allow = error.allow;
    if (operation !== undefined) parts.validation.checkDeclared(operation, packed.status, 'application/problem+json');
    return packed;
  } catch (fault) {
    parts.services.log.error({ ...fields, fault: faultForLog(fault) }, 'a fault of the service');
    return packedRefusal(internalError(), incoming);
  }
}

function internalError(): DomainError {
  return new DomainError(
    'internal-error',
    'Something failed here that should not have, and was logged. Tell the operator the X-Request-Id of this answer.',
  );
}

function signalOf(response: ServerResponse, waiting: Set<AbortController>): AbortSignal {
  const controller = new AbortController();
  waiting.add(controller);
  response.once('close', () => {
    waiting.delete(controller);
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}

function logWhenDone(
  response: ServerResponse,
  { requestId, startedAt }: Incoming,
  { id }: Operation,
  log: Services['log'],
): void {
  response.once('close', () => {
    const status = response.writableFinished ? response.statusCode : 'caller gone';
    log.info(
      { request_id: requestId, operation: id, status, ms: Math.round(performance.now() - startedAt) },
      'answered',
    );
  });
}

function requireAll({ operations }: Contract, handlers: Handlers): void {
  const named = new Set<string>(operations.map(({ id }) => id));
  const missing = [...named].filter((id) => typeof handlers[id as OperationId] !== 'function');
  const extra = Object.keys(handlers).filter((id) => !named.has(id));
  if (missing.length + extra.length === 0) return;
  throw new Error(
    `operations without a handler: ${missing.join(', ') || 'none'}; handlers without an operation: ${extra.join(', ') || 'none'}`,
  );
}
