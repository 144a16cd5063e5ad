import type { RequestHandler } from 'express';
import { callerOf } from '../../domain/auth.ts';
import { addressGroup } from '../../infra/limits/index.ts';
import { asCaller } from '../../infra/threads/caller.ts';
import { principalOf } from './access/authentication.ts';
import { requireReach } from './access/owners.ts';
import type { Operation } from './contract.ts';
import type { AnyCall, AnyHandler } from './handlers.ts';
import { onceOnly } from './once.ts';
import type { Parts } from './parts.ts';
import { pack, sendAnswer } from './reply/answer.ts';
import { wordingOf } from './reply/refusals.ts';
import { acceptedType } from './request/negotiation.ts';
import { waitMsOf } from './request/prefer.ts';

export function beginExchange({ exchanges }: Pick<Parts, 'exchanges'>): RequestHandler {
  return (request, response, next) => {
    const { locals } = response;
    locals.exchange = exchanges.begin(request, response, locals.address);
    next();
  };
}

/** What the request holds counts for the person or key from now on. */
export function identifyExchange({ scopes }: Operation): RequestHandler[] {
  if (scopes === 'public') return [];
  return [
    (_request, { locals }, next) => {
      if (locals.principal !== undefined) locals.exchange?.belongsTo(callerOf(locals.principal));
      next();
    },
  ];
}

export function beginOperation(operation: Operation): RequestHandler {
  return (request, { locals }, next) => {
    const { headers, params } = request;
    locals.operation = operation;
    locals.params = params as Readonly<Record<string, string>>;
    locals.held = headers.prefer !== undefined && waitMsOf(headers.prefer) > 0;
    locals.wording = wordingOf(operation, request);
    next();
  };
}

export function callWithinReach(operation: Operation, { services, cancellation }: Parts): RequestHandler {
  return async (request, response, next) => {
    const { locals } = response;
    const call: AnyCall = {
      params: request.params as Readonly<Record<string, string>>,
      query: operation.laxQuery ? { ...locals.query, ...request.query } : request.query,
      body: locals.body?.value,
      headers: request.headers,
      principal: locals.principal,
      newOwner: undefined,
      once: undefined,
      begin: undefined,
      address: locals.address,
      signal: cancellation.signalFor(response),
      space: (bytes) => locals.exchange?.reserve(bytes),
      accepts: <Type extends string>(types: readonly [Type, ...Type[]]) => acceptedType(request, types),
    };
    call.newOwner = await requireReach(services, operation, call);
    locals.call = call;
    next();
  };
}

export function handle(operation: Operation, handler: AnyHandler, parts: Parts): RequestHandler {
  const { services, checked } = parts;
  const onceOf = operation.idempotent ? onceOnly(operation, parts) : undefined;
  return async (request, response) => {
    const { locals } = response;
    const call = locals.call!;
    const once = onceOf?.(request, response, () => {
      locals.held = true;
      if (locals.slot === undefined) return;
      // Replaces the files with their digests, to free memory for other uploads.
      call.body = request.body;
      delete locals.body;
      locals.exchange?.handled();
      locals.slot.leave();
    });
    Object.assign(call, once?.verbs);
    const caller = locals.principal ? callerOf(locals.principal) : addressGroup(locals.address);
    const answered = asCaller(caller, () => handler(call)).then(
      once?.pack ?? ((reply) => pack(reply, locals.exchange)),
      once?.recover,
    );
    // While the request waited, the token or key might have ended, the caller might have lost access, or another
    // application might have created the owner.
    const answer = await answered.finally(async () => {
      if (locals.held) await principalOf(operation, request, parts);
      if (locals.held || call.newOwner !== undefined) await requireReach(services, operation, call);
    });
    sendAnswer(request, response, answer, { operation, checked });
  };
}
