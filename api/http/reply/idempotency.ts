import type { Request, RequestHandler, Response } from 'express';
import type { Answer } from '../../../activities/idempotency.ts';
import type { DomainError } from '../../../domain/errors.ts';
import type { Packed } from './answer.ts';
import type { Operation } from '../contract.ts';
import { textOf, type Steps } from '../handler-steps.ts';
import { callerKey, canonicalRequest, idempotencyKeyOf } from '../request/idempotency-key.ts';
import { EARLY } from '../handlers.ts';
import { PROBLEMS } from './problem.ts';
import type { Parts } from '../parts.ts';
import { refusalFor } from './refusals.ts';

/** Runs before the validator fills in defaults. */
export function rememberRequest({ idempotent }: Operation): RequestHandler[] {
  if (!idempotent) return [];
  return [
    ({ method, headers }, { locals }, next) => {
      if (headers['idempotency-key'] !== undefined)
        locals.canonical = canonicalRequest(method, locals.path, locals.body?.plain);
      next();
    },
  ];
}

/**
 * A repeated request continues unfinished work. The result is undefined if the request has no key. `refusal` is set if
 * this call failed with an error that was stored.
 */
export function answerOnce({ id, idempotent, personal }: Operation, { idempotency, services }: Parts) {
  return async (request: Request, response: Response, steps: Steps) => {
    const key = idempotent ? idempotencyKeyOf(request.headers['idempotency-key']) : undefined;
    if (key === undefined) return undefined;
    const { principal, address, canonical = '' } = response.locals;
    const caller = callerKey(principal, address, services.keys);
    const name = { caller, operation: id, key, personal, early: EARLY[id] };
    let refusal: DomainError | undefined;
    let begun: (Packed & { ready?: Packed }) | undefined;
    await steps.prepare();
    const { replayed, finished, ...kept } = await idempotency.answerOnce({
      ...name,
      request: canonical,
      run: async (tx) => {
        const { finished: atOnce, ...made } = await steps.begin(tx);
        begun = made;
        return { ...storable(made), finished: atOnce };
      },
      refusal(error) {
        if (!isKept(error)) return undefined;
        refusal = error;
        return storable(refusalFor(error, response));
      },
    });
    if (finished) {
      const value = replayed || refusal !== undefined ? undefined : begun?.value;
      return { answer: marked({ ...kept, value }, replayed), replayed, refusal: replayed ? undefined : refusal };
    }
    const answer = (replayed ? undefined : begun?.ready) ?? (await steps.finish(kept.body!));
    if (steps.keepsAnswer) await idempotency.finishAnswer(name, storable(answer));
    return { answer: marked(answer, replayed), replayed, refusal };
  };
}

function marked(answer: Packed, replayed: boolean): Packed {
  return replayed ? { ...answer, headers: { ...answer.headers, 'Idempotent-Replayed': 'true' } } : answer;
}

/** Errors that might not occur on a retry are not stored. */
function isKept({ code }: DomainError): boolean {
  const { status } = PROBLEMS[code];
  return status < 500 && ![401, 403, 429].includes(status);
}

function storable(packed: Packed): Answer {
  const single = Object.entries(packed.headers).map(([name, value]) => [name, String(value)] as const);
  return { status: packed.status, headers: Object.fromEntries(single), body: textOf(packed) };
}
