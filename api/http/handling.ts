import type { RequestHandler } from 'express';
import { sendAnswer } from './reply/answer.ts';
import type { Operation } from './contract.ts';
import { doSteps, stepsOf } from './handler-steps.ts';
import { answerOnce } from './reply/idempotency.ts';
import { acceptedType } from './request/negotiation.ts';
import { EARLY, type Handlers, type OperationId } from './handlers.ts';
import { requireReach } from './access/owners.ts';
import type { Parts } from './parts.ts';
import { waitMsOf } from './request/prefer.ts';
import { wordingOf } from './reply/refusals.ts';
import { recordVaultRefusal } from './access/vault-refusals.ts';

type Handler = Handlers[OperationId];

export function beginOperation(operation: Operation, handler: Handler): RequestHandler {
  // A handler with `finish` usually waits for its work before it responds.
  const isLong = typeof handler !== 'function' && handler.finish !== undefined;
  return (request, { locals }, next) => {
    const { headers, params } = request;
    locals.operation = operation;
    locals.params = params as Readonly<Record<string, string>>;
    locals.held = isLong || (headers.prefer !== undefined && waitMsOf(headers.prefer) > 0);
    locals.wording = wordingOf(operation, request);
    next();
  };
}

export function callWithinReach(operation: Operation, { services, cancellation }: Parts): RequestHandler {
  return async (request, response, next) => {
    const { locals } = response;
    const call = {
      params: request.params as Readonly<Record<string, string>>,
      query: operation.laxQuery ? { ...locals.query, ...request.query } : request.query,
      body: locals.body?.value,
      headers: request.headers,
      principal: locals.principal,
      newOwner: undefined,
      tx: undefined,
      address: locals.address,
      signal: cancellation.signalFor(response),
      accepts: <Type extends string>(types: readonly [Type, ...Type[]]) => acceptedType(request, types),
    };
    locals.call = { ...call, newOwner: await requireReach(services, operation, call) };
    next();
  };
}

export function handle(operation: Operation, handler: Handler, parts: Parts): RequestHandler {
  const { services, watch, checked } = parts;
  const once = answerOnce(operation, parts);
  const { transaction, groupTransaction } = services.db;
  const inTransaction = !operation.idempotent
    ? undefined
    : EARLY[operation.id] === 'group'
      ? groupTransaction
      : transaction;
  return async (request, response) => {
    const { locals } = response;
    const call = locals.call!;
    const steps = stepsOf(handler, call, () => {
      if (locals.place === undefined) return;
      // Replaces the files with their digests, to free memory for other uploads.
      call.body = request.body;
      delete locals.body;
      locals.place.leave();
    });
    const onceOnly = await once(request, response, steps);
    const answer = onceOnly?.answer ?? (await doSteps(steps, inTransaction));
    // While the request waited, the caller might have lost access, or another application might have created the owner.
    if (locals.held || call.newOwner !== undefined) await requireReach(services, operation, call);
    if (onceOnly !== undefined) {
      const { replayed, refusal } = onceOnly;
      watch.answeredOnce(replayed);
      if (refusal !== undefined) {
        watch.refused(refusal.code);
        const recorded = await recordVaultRefusal(services, refusal, response);
        if (recorded !== refusal) throw recorded;
      }
    }
    sendAnswer(request, response, answer, { operation, checked });
  };
}
