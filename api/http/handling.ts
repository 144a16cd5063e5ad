import type { RequestHandler } from 'express';
import type { idempotencyActivities } from '../../activities/idempotency.ts';
import type { Services } from '../../infra/services.ts';
import { sendAnswer } from './answer.ts';
import type { Cancellation } from './cancellation.ts';
import type { Operation } from './contract.ts';
import { doSteps, stepsOf } from './handler-steps.ts';
import { answerOnce } from './idempotency.ts';
import { acceptedType } from './negotiation.ts';
import type { Handlers, OperationId } from './operations.ts';
import { requireReach } from './owners.ts';
import { asksToWait } from './prefer.ts';
import { wordingOf } from './refusals.ts';
import type { RecordVaultRefusal } from './vault-refusals.ts';
import type { RequestWatch } from './watch.ts';

type Handler = Handlers[OperationId];

/** First of an operation's middleware: says to all others which operation it is. */
export function beginOperation(operation: Operation, handler: Handler): RequestHandler {
  // A handler of several steps answers when what it began is done.
  const isLong = typeof handler !== 'function';
  return ({ headers, params }, { locals }, next) => {
    locals.operation = operation;
    locals.params = params as Readonly<Record<string, string>>;
    locals.held = isLong || asksToWait(headers.prefer);
    locals.wording = wordingOf(operation, headers);
    next();
  };
}

/**
 * Makes the handler's call of a request that matches the contract, and lets it through where it is about data within the caller's reach.
 * @throws as `requireReach`.
 */
export function callWithinReach(
  operation: Operation,
  { services, cancellation }: { services: Services; cancellation: Cancellation },
): RequestHandler {
  const { id, laxQuery } = operation;
  return async (request, response, next) => {
    const { locals } = response;
    const call = {
      operationId: id,
      params: request.params as Readonly<Record<string, string>>,
      query: laxQuery ? { ...locals.query, ...request.query } : request.query,
      body: locals.body?.value,
      headers: request.headers,
      principal: locals.principal,
      newOwner: undefined,
      address: locals.address,
      requestId: locals.requestId,
      signal: cancellation.signalFor(response),
      accepts: <Type extends string>(types: readonly [Type, ...Type[]]) => acceptedType(request, types),
    };
    locals.call = { ...call, newOwner: await requireReach(services, operation, call) };
    next();
  };
}

/** Last of an operation's middleware: calls the handler, once for each Idempotency-Key, and sends its answer. */
export function handle(
  operation: Operation,
  handler: Handler,
  {
    services,
    watch,
    checked,
    idempotency,
    recordRefusal,
  }: {
    services: Services;
    watch: RequestWatch;
    /** Whether answers are held to the contract. */
    checked: boolean;
    idempotency: ReturnType<typeof idempotencyActivities>;
    recordRefusal: RecordVaultRefusal;
  },
): RequestHandler {
  const once = answerOnce(operation, { idempotency, services });
  return async (request, response) => {
    const { locals } = response;
    const call = locals.call!;
    const steps = stepsOf(handler, call, () => {
      if (locals.place === undefined) return;
      // The digests of the files are left: they must not stay in memory while others take the place.
      call.body = request.body;
      delete locals.body;
      locals.place.leave();
    });
    const onceOnly = await once(request, response, steps);
    const answer = onceOnly?.answer ?? (await doSteps(steps));
    // Meanwhile an owner may have left the caller's reach, or, having been nobody's, have come into that of another.
    if (locals.held || call.newOwner !== undefined) await requireReach(services, operation, call);
    if (onceOnly !== undefined) {
      const { replayed, refusal } = onceOnly;
      watch.answeredOnce(replayed);
      if (refusal !== undefined) {
        watch.refused(refusal.code);
        const recorded = await recordRefusal(refusal, response);
        if (recorded !== refusal) throw recorded;
      }
    }
    sendAnswer(request, response, answer, { operation, checked });
  };
}
