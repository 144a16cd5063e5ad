import { pack, type Packed } from './reply/answer.ts';
import type { InTransaction, Tx } from '../../infra/db/transaction.ts';
import type { AnyCall, AnyReply, Handlers, OperationId, UnderWay } from './handlers.ts';

/** If `begin` leaves work unfinished, `finish` runs once the result of `begin` is stored. */
export interface Steps {
  /** Runs before the Idempotency-Key is claimed. Never rejects: the error is an error of `begin`. */
  prepare: () => Promise<void>;
  /** `ready` is the result of `finish`, if known. */
  begin: (tx: Tx | undefined) => Promise<Packed & { finished: boolean; ready?: Packed }>;
  /** `begun` is the body that `begin` returned. */
  finish: (begun: string) => Promise<Packed>;
  /** Whether the result of `finish` is stored as the response to repeated requests. */
  keepsAnswer: boolean;
}

interface AnyLongHandler {
  prepare?: (call: AnyCall) => Promise<unknown>;
  begin: (call: AnyCall, prepared: Promise<unknown>) => Promise<AnyReply | { underWay: UnderWay; ready?: AnyReply }>;
  finish?: (call: AnyCall, underWay: UnderWay) => Promise<AnyReply>;
  keepsAnswer?: false;
}

/** Calls `stored` before `finish`, which does not need uploaded files. */
export function stepsOf(handler: Handlers[OperationId], call: AnyCall, stored: () => void): Steps {
  const {
    prepare,
    begin,
    finish,
    keepsAnswer = true,
  } = (typeof handler === 'function' ? { begin: handler } : handler) as unknown as AnyLongHandler;
  let prepared: Promise<unknown> = Promise.resolve();
  return {
    async prepare() {
      if (prepare !== undefined) prepared = prepare(call);
      await Promise.allSettled([prepared]);
    },
    async begin(tx) {
      const reply = await begin({ ...call, tx }, prepared);
      if (!('underWay' in reply)) return { ...pack(reply), finished: true };
      const underWay = { status: 202, headers: {}, body: JSON.stringify(reply.underWay), finished: false };
      return reply.ready === undefined ? underWay : { ...underWay, ready: pack(reply.ready) };
    },
    async finish(begun) {
      // Frees the prepared value, which can be a file, because `finish` can take a long time.
      prepared = Promise.resolve();
      stored();
      return pack(await finish!(call, JSON.parse(begun) as UnderWay));
    },
    keepsAnswer,
  };
}

/** Of an operation that accepts no Idempotency-Key, or of a request without a key: `inTransaction` runs `begin`. */
export async function doSteps({ prepare, begin, finish }: Steps, inTransaction?: InTransaction): Promise<Packed> {
  await prepare();
  const { finished, ready, ...begun } = await (inTransaction ? inTransaction(begin) : begin(undefined));
  if (finished) return begun;
  return ready ?? finish(textOf(begun)!);
}

/** A caller can repeat an operation often, so the database would not have room for files and long lists. */
export function textOf({ body }: Packed): string | null {
  if (typeof body === 'object' && body !== null) throw new TypeError('a response that is stored must be short text');
  return body;
}
