import type { Request, RequestHandler, Response } from 'express';
import { idempotencyActivities, type Answer } from '../../activities/idempotency.ts';
import type { DomainError } from '../../domain/errors.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Operation } from './contract.ts';
import { EARLY, type AnyCall, type AnyReply } from './handlers.ts';
import type { Parts } from './parts.ts';
import { pack, type Packed } from './reply/answer.ts';
import { PROBLEMS } from './reply/problem.ts';
import { refusalFor } from './reply/refusals.ts';
import { callerKey, canonicalRequest, idempotencyKeyOf } from './request/idempotency-key.ts';

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

/** Ends a handler whose reply an earlier request with the same Idempotency-Key has stored. */
class Replay extends Error {
  override readonly name = 'Replay';
  readonly answer: Answer;

  constructor(answer: Answer) {
    super('an earlier request with this key got its reply');
    this.answer = answer;
  }
}

interface OnceOnly {
  verbs: Pick<AnyCall, 'once' | 'begin'>;
  pack: (reply: AnyReply) => Packed;
  /** After a handler failed: the stored reply, if an earlier request has one. @throws the reason of the failure. */
  recover: (thrown: unknown) => Promise<Packed>;
}

/** Made with the route. `begun` is called after the transaction of work that goes on. */
export function onceOnly(operation: Operation, { services, watch }: Parts) {
  const { transaction, groupTransaction } = services.db;
  const early = EARLY[operation.id];
  const inTransaction = early === 'group' ? groupTransaction : transaction;
  const { answerOnce } = idempotencyActivities(services);
  return ({ headers }: Request, response: Response, begun: () => void): OnceOnly => {
    const key = idempotencyKeyOf(headers['idempotency-key']);
    const { exchange } = response.locals;
    let isStarted = false;
    let replayed = false;
    let made: { reply: AnyReply; packed: Packed } | undefined;
    /** @throws Replay, or the error of `work`, which is stored if a repeated request should get it again. */
    const doOnce = async (work: (tx: Tx) => Promise<Answer & { finished: boolean }>): Promise<Answer> => {
      isStarted = true;
      if (key === undefined) return inTransaction(work);
      const { principal, address, canonical = '' } = response.locals;
      let refused: DomainError | undefined;
      const answer = await answerOnce({
        ...{ caller: callerKey(principal, address, services.keys), operation: operation.id, key },
        ...{ personal: operation.personal, early, request: canonical, run: work },
        refusal(error) {
          if (!isKept(error)) return undefined;
          refused = error;
          return storable(refusalFor(error, response));
        },
      });
      replayed = answer.replayed;
      watch.answeredOnce(replayed);
      if (replayed && answer.finished) throw new Replay(answer);
      if (!replayed && refused !== undefined) throw refused;
      return answer;
    };
    const marked = (packed: Packed): Packed =>
      replayed ? { ...packed, headers: { ...packed.headers, 'Idempotent-Replayed': 'true' } } : packed;
    return {
      verbs: {
        async once(work) {
          await doOnce(async (tx) => {
            const reply = await work(tx);
            made = { reply, packed: pack(reply, exchange) };
            return { ...storable(made.packed), finished: true };
          });
          return made!.reply;
        },
        async begin(work) {
          const { body } = await doOnce(async (tx) => {
            return { status: 202, headers: {}, body: JSON.stringify(await work(tx)), finished: false };
          });
          begun();
          return JSON.parse(body!) as Awaited<ReturnType<typeof work>>;
        },
      },
      pack: (reply) => (reply === made?.reply ? made.packed : marked(pack(reply, exchange))),
      async recover(thrown) {
        try {
          if (!isStarted && key !== undefined)
            await doOnce(() => {
              throw thrown;
            });
          throw thrown;
        } catch (error) {
          if (error instanceof Replay) return marked(error.answer);
          throw error;
        }
      },
    };
  };
}

/** Errors that might not occur on a retry are not stored. */
function isKept({ code }: DomainError): boolean {
  const { status } = PROBLEMS[code];
  return status < 500 && ![401, 403, 429].includes(status);
}

/** A caller can repeat an operation often, so the database would not have space for files and long lists. */
function storable({ status, headers, body }: Packed): Answer {
  if (typeof body === 'object' && body !== null) throw new TypeError('a response that is stored must be short text');
  return {
    status,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    body,
  };
}
