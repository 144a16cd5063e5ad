import type { Input, Output } from './call.ts';
import type { components } from './contract.ts';
import { isProblem, WaitedTooLongError } from './errors.ts';
import type { Methods } from './methods.ts';
import { pause } from './retry.ts';

type PaymentStatus = components['schemas']['PaymentStatus'];
type Payment = Output<'getPayment'>;
type PayslipDocument = Output<'getPayslip'>;
type Credential = Output<'generateCredential'>;

export interface WaitOptions {
  signal?: AbortSignal;
  /** Roughly the longest time to wait, in milliseconds. Default 120,000. */
  timeoutMs?: number;
}

/** Methods that wait for slow work. */
export interface Waits {
  /**
   * Waits until the payment has one of the statuses in `until`: by default completed, failed, cancelled or returned.
   * @throws WaitedTooLongError with the payment's latest state. A scheduled payment stays `pending` until its day.
   */
  untilPaymentEnds(payment_id: string, options?: WaitOptions & { until?: readonly PaymentStatus[] }): Promise<Payment>;
  /**
   * Waits until reading ends. If `needs_review` is true, a person should check the values; `review_reasons` says why.
   * @throws WaitedTooLongError with the document's latest state.
   */
  untilDocumentRead(doc_id: string, options?: WaitOptions): Promise<PayslipDocument>;
  /** Generates one credential, and returns it once it is signed. @throws WaitedTooLongError. */
  untilCredentialIssued(
    body: Input<'generateCredential'>['body'],
    options?: WaitOptions & { idempotencyKey?: string },
  ): Promise<Credential>;
}

const ENDED: readonly PaymentStatus[] = ['completed', 'failed', 'cancelled', 'returned'];
const HELD_S = 20;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

export function waitsOf(methods: Methods): Waits {
  return {
    untilPaymentEnds: (payment_id, options = {}) =>
      poll(`payment ${payment_id}`, options, {
        look: (asked) => methods.getPayment({ path: { payment_id } }, asked),
        isDone: ({ status }) => (options.until ?? ENDED).includes(status),
      }),
    untilDocumentRead: (doc_id, options = {}) =>
      poll(`document ${doc_id}`, options, {
        look: (asked) => methods.getPayslip({ path: { doc_id } }, asked),
        isDone: ({ status }) => status !== 'processing',
      }),
    untilCredentialIssued: (body, { idempotencyKey = crypto.randomUUID(), ...options } = {}) =>
      poll('the credential', options, {
        look: ({ signal }) =>
          methods
            .generateCredential({ body }, { idempotencyKey, ...(signal && { signal }) })
            .catch((refused: unknown) => {
              if (isProblem(refused) && refused.status === 503 && 'credential_id' in refused.problem) return undefined;
              throw refused;
            }),
        isDone: () => true,
      }),
  };
}

interface Looking<T> {
  look(asked: { signal?: AbortSignal; wait?: number }): Promise<T | undefined>;
  isDone(found: T): boolean;
}

/** Polls at least once. */
async function poll<T>(what: string, { signal, timeoutMs = 120_000 }: WaitOptions, looking: Looking<T>): Promise<T> {
  const endsAt = Date.now() + timeoutMs;
  let last: T | undefined;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 1.6)) {
    const left = endsAt - Date.now();
    const wait = Math.max(0, Math.min(HELD_S, Math.floor(left / 1_000)));
    last = await looking.look({ ...(wait > 0 && { wait }), ...(signal && { signal }) });
    if (last !== undefined && looking.isDone(last)) return last;
    if (Date.now() + pauseMs >= endsAt) throw new WaitedTooLongError(what, last);
    await pause(pauseMs, signal);
  }
}
