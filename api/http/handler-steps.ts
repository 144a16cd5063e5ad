import { pack, type Packed } from './answer.ts';
import type { AnyCall, AnyReply, Handlers, OperationId, UnderWay } from './operations.ts';

/** What a request does. Some requests finish only after what they began is stored. */
export interface Steps {
  /** Before anything is stored or claimed. */
  prepare: () => Promise<void>;
  begin: () => Promise<Packed & { finished: boolean }>;
  /** Takes the body that `begin` gave. */
  finish: (begun: string) => Promise<Packed>;
  /** Whether what `finish` gives is the answer from then on. */
  keepsAnswer: boolean;
}

interface AnyLongHandler {
  prepare?: (call: AnyCall) => Promise<unknown>;
  begin: (call: AnyCall, prepared: unknown) => Promise<AnyReply | { underWay: UnderWay }>;
  finish?: (call: AnyCall, underWay: UnderWay) => Promise<AnyReply>;
  keepsAnswer?: false;
}

/**
 * The steps of a handler, of either kind, for one call.
 * @param stored called once what was begun is stored: the body is not needed from then on
 */
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
      // It may be a file, and finishing may take long.
      prepared = undefined;
      stored();
      return pack(await finish!(call, JSON.parse(begun) as UnderWay));
    },
    keepsAnswer,
  };
}

/** Does a request that is done as often as it is sent. */
export async function doSteps({ prepare, begin, finish }: Steps): Promise<Packed> {
  await prepare();
  const { finished, ...begun } = await begin();
  return finished ? begun : finish(textOf(begun)!);
}

/** The text of an answer that is kept, or of what was begun. @throws TypeError where it is no text. */
export function textOf({ body }: Packed): string | null {
  if (body instanceof Uint8Array) throw new TypeError('an answer that is kept must be text');
  return typeof body === 'object' && body !== null ? Buffer.concat(body).toString() : body;
}
