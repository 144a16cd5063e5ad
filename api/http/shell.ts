import type { IncomingMessage, ServerResponse } from 'node:http';
import type { idempotencyActivities } from '../../activities/idempotency.ts';
import type { Principal } from '../../domain/auth.ts';
import { DomainError, type ErrorCode } from '../../domain/errors.ts';
import { addressGroup } from '../../infra/limits.ts';
import { QUOTA_WINDOW_S, type Quota, type Quotas } from '../../infra/quotas.ts';
import type { Services } from '../../infra/services.ts';
import { CallerGone, readBody, type Body } from './body.ts';
import type { Contract } from './contract.ts';
import { deprecationsOf, noticeFor, type Deprecations } from './deprecation.ts';
import { faultForLog } from './fault.ts';
import { callerKey, canonicalRequest, idempotencyKeyOf } from './idempotency.ts';
import { takeIn, type Incoming, type TrustsProxy } from './incoming.ts';
import { invalid } from './invalid.ts';
import { answerAtOnce, answerOnce, stepsOf } from './once.ts';
import { EARLY, type Handlers, type OperationId } from './operations.ts';
import { requireReach } from './owners.ts';
import { principalOf, requireScope, type Door } from './principal.ts';
import { PROBLEMS } from './problem.ts';
import { parseQuery } from './query.ts';
import { packedRefusal } from './refusals.ts';
import { pack, send, type Packed } from './reply.ts';
import { createRouter, type Route } from './router.ts';
import { inTurn, type UploadPlaces } from './uploads.ts';
import type { Validation } from './validation.ts';
import { asksToWait, watchRequests, type RequestWatch } from './watch.ts';

export interface ShellParts {
  contract: Contract;
  handlers: Handlers;
  validation: Validation;
  door: Door;
  idempotency: ReturnType<typeof idempotencyActivities>;
  services: Pick<Services, 'db' | 'keys' | 'log' | 'limits' | 'metrics' | 'tracing'>;
  uploads: UploadPlaces;
  quotas: Quotas;
  /** Which machines in front of us tell the truth about who is behind them. */
  trustsProxy: TrustsProxy;
  /** Told of each refusal at the PII vault, before it is answered; what it throws is answered instead. */
  onVaultRefusal: (refusal: VaultRefusal) => Promise<void>;
}

/** A request that the PII vault did not serve. */
export interface VaultRefusal {
  operation: OperationId;
  params: Readonly<Record<string, string>>;
  /** Undefined where the caller did not get so far as to be known. */
  principal: Principal | undefined;
  code: ErrorCode;
  address: string;
}

interface Parts extends ShellParts {
  watch: RequestWatch;
}

export interface Shell {
  middleware: (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
  watch: RequestWatch;
  /** Lets go of those who wait for something to change, and of those who will: they are answered with what is now. */
  stopWaiting(): void;
}

type Found = Extract<Route, { kind: 'operation' }>;

/** What every request of the contract goes through, in this order; what is not in the contract goes on to `next`. */
export function createShell(given: ShellParts): Shell {
  const { contract, handlers, services } = given;
  const watch = watchRequests(services);
  const parts: Parts = { ...given, watch };
  requireAll(contract, handlers);
  const route = createRouter(contract.operations);
  const deprecations = new Map(contract.operations.map((one) => [one.id, deprecationsOf(contract.document, one)]));
  const waiting = new Set<AbortController>();
  let letsWait = true;

  const middleware: Shell['middleware'] = (request, response, next) => {
    const incoming = takeIn(request, response, parts.trustsProxy);
    const found = route(incoming.method, incoming.path);
    const operation = found.kind === 'operation' ? found.operation : undefined;
    const { headers } = request;
    const held = operation !== undefined && (waits(handlers[operation.id]) || asksToWait(headers.prefer));
    watch.around({ response, incoming, headers, operation, held }, async () => {
      if (found.kind === 'nothing') {
        next();
        return;
      }
      const signal = letsWait ? signalOf(response, waiting) : AbortSignal.abort();
      const deprecated = operation && deprecations.get(operation.id);
      const asked: Asked = { found, request, response, incoming, signal, deprecated, principal: undefined };
      await answerTo(parts, asked, held)
        .catch((error: unknown) => refusal(error, asked, parts))
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
    });
  };
  const stopWaiting = () => {
    letsWait = false;
    for (const controller of waiting) controller.abort();
  };
  return { middleware, watch, stopWaiting };
}

/** The answer to a request for which the contract has nothing. */
export function answerNotFound(request: IncomingMessage, response: ServerResponse): void {
  const path = (request.url ?? '/').split('?', 1)[0]!;
  const error = new DomainError(
    'not-found',
    'There is nothing at this address. The contract at /openapi.json lists all there is.',
  );
  const { headers } = request;
  send(response, packedRefusal(error, { path, headers, requestId: String(response.getHeader('X-Request-Id')) }));
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
  const path = (request.url ?? '/').split('?', 1)[0]!;
  send(response, packedRefusal(internalError(), { path, headers: request.headers, requestId }));
}

/** A request on its way through the shell; `principal` once it is known. */
interface Asked {
  found: Route;
  request: IncomingMessage;
  response: ServerResponse;
  incoming: Incoming;
  signal: AbortSignal;
  deprecated: Deprecations | undefined;
  principal: Principal | undefined;
}

/** Whether a handler answers when what it began is done. */
function waits(handler: Handlers[OperationId]): boolean {
  return typeof handler !== 'function';
}

async function answerTo(parts: Parts, asked: Asked, held: boolean): Promise<Packed> {
  const { found, request, incoming, signal } = asked;
  const { services } = parts;
  if (found.kind === 'malformed') throw invalid([{ pointer: '/path', detail: 'must be percent-encoded UTF-8' }]);
  if (found.kind !== 'operation') return otherMethod(found.kind === 'other-method' ? found.allow : [], incoming);
  const { operation, params } = found;
  if (operation.rateLimit !== undefined) {
    await services.limits.take(operation.rateLimit, `${operation.id} ${addressGroup(incoming.address)}`);
  }
  const principal = (asked.principal = await principalOf(operation, request, parts.door));
  if (principal !== undefined) tellQuota(asked, await parts.quotas.take(principal));
  requireScope(operation, principal);
  const place = operation.form && (await parts.uploads.take(asked.response));
  const body = await readBody(request, operation);
  // A body that took too long was refused with 408, and must not have an effect when the rest of it comes.
  if (asked.response.headersSent) throw new CallerGone();
  const query = parseQuery(incoming.search);
  tellDeprecated(asked, query, body);
  const canonical = operation.idempotent ? canonicalRequest(incoming.method, incoming.path, body.plain) : '';
  parts.validation.checkRequest(operation, { params, query, headers: request.headers, body });

  const named = { ...callOf(found, request, incoming, body), query, principal, signal };
  const newOwner = await requireReach(services, operation, named);
  const call = { ...named, newOwner };
  const doing = stepsOf(parts.handlers[operation.id], {
    call,
    pack: (reply) => pack(operation, reply, parts.validation),
  });
  const steps = place ? inTurn(doing, place, body) : doing;
  const key = operation.idempotent ? idempotencyKeyOf(request.headers['idempotency-key']) : undefined;
  // Meanwhile an owner may have left the caller's reach, or, having been nobody's, have come into that of another.
  const requireReachStill = async () => {
    if (held || newOwner !== undefined) await requireReach(services, operation, named);
  };
  if (key === undefined) {
    const answer = await answerAtOnce(steps);
    await requireReachStill();
    return answer;
  }
  const caller = callerKey(principal, incoming.address, services.keys);
  const name = {
    caller,
    operation: operation.id,
    key,
    personal: operation.personal,
    early: EARLY[operation.id],
  };
  const refused = (error: DomainError) => packedRefusal(error, { ...incoming, headers: request.headers }, operation);
  const { answer, refusal } = await answerOnce(parts.idempotency, { name, canonical, steps, refused });
  await requireReachStill();
  parts.watch.answeredOnce('Idempotent-Replayed' in answer.headers);
  if (refusal !== undefined) {
    parts.watch.refused(refusal.code);
    const told = await toldToVault(refusal, asked, parts);
    if (told !== refusal) throw told;
  }
  return answer;
}

/** Each answer that is counted says what is left, refusals too. */
function tellQuota({ response }: Asked, { limit, left, resetS }: Quota) {
  response.setHeader('RateLimit', `"default";r=${left};t=${resetS}`);
  response.setHeader('RateLimit-Policy', `"default";q=${limit};w=${QUOTA_WINDOW_S}`);
}

/** Whoever uses what will go is told so with each answer, refusals too. */
function tellDeprecated({ deprecated, response }: Asked, query: Parameters<typeof noticeFor>[1]['query'], body: Body) {
  const notice = deprecated && noticeFor(deprecated, { query, body: body.value });
  for (const [name, value] of Object.entries(notice ?? {})) response.setHeader(name, value);
}

function callOf(
  { operation, params }: Found,
  { headers }: IncomingMessage,
  { address, requestId }: Incoming,
  body: Body,
) {
  return { operationId: operation.id, params, headers, body: body.value, address, requestId };
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

/** Turns whatever was thrown into an answer; undefined where nobody is there to read one. */
async function refusal(thrown: unknown, asked: Asked, parts: Parts): Promise<Packed | undefined> {
  if (thrown instanceof CallerGone) return undefined;
  const { incoming, found, request } = asked;
  const operation = found.kind === 'operation' ? found.operation : undefined;
  const asker = { ...incoming, headers: request.headers };
  const fields = { request_id: incoming.requestId, operation: operation?.id };
  try {
    const error = await toldToVault(thrown, asked, parts);
    if (!(error instanceof DomainError)) throw error;
    parts.watch.refused(error.code);
    if (PROBLEMS[error.code].status >= 500)
      parts.services.log.warn({ ...fields, code: error.code, ...error.extra }, 'refused for now');
    if (error.code === 'rate-limited' && asked.principal?.kind === 'api_key')
      parts.services.log.warn({ ...fields, key_id: asked.principal.keyId }, 'a key was limited');
    const packed = packedRefusal(error, asker, operation);
    if (error instanceof MethodNotAllowed) packed.headers.Allow = error.allow;
    if (operation !== undefined) {
      const type = String(packed.headers['Content-Type']).split(';', 1)[0]!;
      parts.validation.checkDeclared(operation, packed.status, type);
    }
    return packed;
  } catch (fault) {
    parts.watch.refused('internal-error');
    parts.services.log.error({ ...fields, fault: faultForLog(fault) }, 'a fault of the service');
    return packedRefusal(internalError(), asker, operation);
  }
}

/** A refusal at the PII vault is on record before it is answered. @returns what is to be answered. */
async function toldToVault(thrown: unknown, asked: Asked, parts: ShellParts): Promise<unknown> {
  const { found, principal, incoming } = asked;
  if (found.kind !== 'operation' || found.operation.credential !== 'vault') return thrown;
  const code = thrown instanceof DomainError ? thrown.code : 'internal-error';
  const { operation, params } = found;
  return parts
    .onVaultRefusal({ operation: operation.id, params, principal, code, address: incoming.address })
    .then(() => thrown)
    .catch((instead: unknown) => instead);
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

function requireAll({ operations }: Contract, handlers: Handlers): void {
  const named = new Set<string>(operations.map(({ id }) => id));
  const missing = [...named].filter((id) => !Object.hasOwn(handlers, id));
  const extra = Object.keys(handlers).filter((id) => !named.has(id));
  if (missing.length + extra.length === 0) return;
  throw new Error(
    `operations without a handler: ${missing.join(', ') || 'none'}; handlers without an operation: ${extra.join(', ') || 'none'}`,
  );
}
