import { pack, type Packed } from './answer.ts';
import type { AnyCall, AnyReply, Handlers, OperationId, UnderWay } from './operations.ts';

/** If `begin` leaves work unfinished, `finish` runs once the result of `begin` is stored. */
export interface Steps {
  /** Runs before the Idempotency-Key is claimed. */
  prepare: () => Promise<void>;
  begin: () => Promise<Packed & { finished: boolean }>;
  /** `begun` is the body that `begin` returned. */
  finish: (begun: string) => Promise<Packed>;
  /** Whether the result of `finish` is stored as the response to repeated requests. */
  keepsAnswer: boolean;
}

interface AnyLongHandler {
  prepare?: (call: AnyCall) => Promise<unknown>;
  begin: (call: AnyCall, prepared: unknown) => Promise<AnyReply | { underWay: UnderWay }>;
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
  let prepared: unknown;
  return {
    async prepare() {
      prepared = await prepare?.(call);
    },
    async begin() {
      const reply = await begin(call, prepared);
      if ('underWay' in reply)
        return { status: 202, headers: {}, body: JSON.stringify(reply.underWay), finished: false };
      return { ...pack(reply), finished: true };
    },
    async finish(begun) {
      // Frees the prepared value, which can be a file, because `finish` can take a long time.
      prepared = undefined;
      stored();
      return pack(await finish!(call, JSON.parse(begun) as UnderWay));
    },
    keepsAnswer,
  };
}

export async function doSteps({ prepare, begin, finish }: Steps): Promise<Packed> {
  await prepare();
  const { finished, ...begun } = await begin();
  return finished ? begun : finish(textOf(begun)!);
}

export function textOf({ body }: Packed): string | null {
  if (body instanceof Uint8Array) throw new TypeError('a response that is stored must be text');
  return typeof body === 'object' && body !== null ? Buffer.concat(body).toString() : body;
}
