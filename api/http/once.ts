import type { Answer, idempotencyActivities, Repeatable, RequestName } from '../../activities/idempotency.ts';
import type { DomainError } from '../../domain/errors.ts';
import type { Handlers, OperationId, UnderWay } from './operations.ts';
import { PROBLEMS } from './problem.ts';
import type { AnyReply, Packed } from './reply.ts';

/** What a request does: it begins, and where that is not all, it finishes after what was begun is stored. */
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
  prepare?: (call: object) => Promise<unknown>;
  begin: (call: object, prepared: unknown) => Promise<AnyReply | { underWay: UnderWay }>;
  finish?: (call: object, underWay: UnderWay) => Promise<AnyReply>;
  keepsAnswer?: false;
}

/** The steps of a handler, of either kind, for one call. */
export function stepsOf(
  handler: Handlers[OperationId],
  { call, pack }: { call: object; pack: (reply: AnyReply) => Promise<Packed> },
): Steps {
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
      return { ...(await pack(reply)), finished: true };
    },
    async finish(begun) {
      // It may be a file, and finishing may take long.
      prepared = undefined;
      return pack(await finish!(call, JSON.parse(begun) as UnderWay));
    },
    keepsAnswer,
  };
}

/** Does a request that has no Idempotency-Key. */
export async function answerAtOnce({ prepare, begin, finish }: Steps): Promise<Packed> {
  await prepare();
  const { finished, ...begun } = await begin();
  return finished ? begun : finish(textOf(begun)!);
}

/** A request with an Idempotency-Key: its name, itself in canonical form, and how a refusal of it is answered. */
export interface OnceRequest {
  name: RequestName & Pick<Repeatable, 'early'>;
  canonical: string;
  steps: Steps;
  refused: (error: DomainError) => Packed;
}

/**
 * Does a request once, however often it is sent. What was begun and not finished is finished by whoever asks next.
 * @returns the answer, and the refusal that it is, where it is one of now.
 */
export async function answerOnce(
  idempotency: ReturnType<typeof idempotencyActivities>,
  { name, canonical, steps, refused }: OnceRequest,
): Promise<{ answer: Packed; refusal: DomainError | undefined }> {
  let refusal: DomainError | undefined;
  await steps.prepare();
  const { replayed, finished, ...kept } = await idempotency.answerOnce({
    ...name,
    request: canonical,
    run: async () => {
      const { finished: atOnce, ...begun } = await steps.begin();
      return { ...storable(begun), finished: atOnce };
    },
    refusal(error) {
      if (!isKept(error)) return undefined;
      refusal = error;
      return storable(refused(error));
    },
  });
  if (finished) return { answer: replayed ? asReplay(kept) : kept, refusal: replayed ? undefined : refusal };
  const answer = await steps.finish(kept.body!);
  if (steps.keepsAnswer) await idempotency.finishAnswer(name, storable(answer));
  return { answer: replayed ? asReplay(answer) : answer, refusal };
}

function asReplay(answer: Packed): Packed {
  return { ...answer, headers: { ...answer.headers, 'Idempotent-Replayed': 'true' } };
}

/** Whether a refusal is the answer from now on; what may be otherwise the next time is not. */
function isKept({ code }: DomainError): boolean {
  const { status } = PROBLEMS[code];
  return status < 500 && ![401, 403, 429].includes(status);
}

function storable(packed: Packed): Answer {
  const single = Object.entries(packed.headers).map(([name, value]) => [name, String(value)] as const);
  return { status: packed.status, headers: Object.fromEntries(single), body: textOf(packed) };
}

function textOf({ body }: Packed): string | null {
  if (body instanceof Uint8Array) throw new TypeError('an answer that is kept must be text');
  return typeof body === 'object' && body !== null ? Buffer.concat(body).toString() : body;
}
