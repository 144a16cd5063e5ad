import { isCertificateFault, NoAnswerError } from './errors.ts';

export interface RetryOptions {
  /** The maximum number of attempts, including the first. Default 5. */
  attempts?: number;
  /** The longest first delay, in milliseconds, which doubles up to `maxMs`. Default 250. */
  baseMs?: number;
  /** The longest delay without a `Retry-After`, in milliseconds. Default 8,000. */
  maxMs?: number;
  /** The client does not retry after a longer `Retry-After`, in milliseconds. Default 60,000. */
  maxRetryAfterMs?: number;
}

export const RETRY_DEFAULTS: Required<RetryOptions> = {
  attempts: 5,
  baseMs: 250,
  maxMs: 8_000,
  maxRetryAfterMs: 60_000,
};

export type Fetch = (request: Request) => Promise<Response>;

export interface Sending extends Required<RetryOptions> {
  fetch: Fetch;
  /** The request only reads, has an Idempotency-Key, or has no further effect when repeated. */
  repeatable: boolean;
  /** The time limit for one response, in milliseconds. */
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

/**
 * Retries after a 429, `debt-plan-busy` and the service's own 503. For a `repeatable` request, also retries after a
 * missing response, a 502, 503 or 504, and while the first attempt is being processed.
 * @throws NoAnswerError if there is no response; the reason of `signal` if `signal` is aborted.
 */
export async function sendPatiently(request: Request, sending: Sending): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt >= sending.attempts;
    const outcome = await sendOnce(isLast ? request : request.clone(), sending);
    sending.signal?.throwIfAborted();
    if ('failure' in outcome) {
      if (isLast || !sending.repeatable || isCertificateFault(outcome.failure))
        throw new NoAnswerError(attempt, new URL(request.url).origin, outcome.failure);
      await pause(backOff(attempt, sending), sending.signal);
      continue;
    }
    const { response } = outcome;
    if (isLast || !(await isWorthRepeating(response, sending.repeatable))) return response;
    const named = retryAfterOf(response) ?? 0;
    if (named * 1_000 > sending.maxRetryAfterMs) return response;
    await response.body?.cancel().catch(() => undefined);
    await pause(Math.max(named * 1_000, backOff(attempt, sending)), sending.signal);
  }
}

async function sendOnce(
  request: Request,
  { fetch, timeoutMs, signal }: Sending,
): Promise<{ response: Response } | { failure: unknown }> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const limited = new Request(request, { signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]) });
  try {
    const response = await fetch(limited);
    // A retry is possible here, so the body is read here. An incomplete body counts as no response.
    const bytes = await response.arrayBuffer();
    const { status, statusText, headers } = response;
    const hasBody = bytes.byteLength > 0 && ![204, 205, 304].includes(status);
    return { response: new Response(hasBody ? bytes : null, { status, statusText, headers: new Headers(headers) }) };
  } catch (failure) {
    return { failure };
  }
}

// The service's own 429 and 503 are safe to repeat. A proxy's 503 might not be.
async function isWorthRepeating(response: Response, repeatable: boolean): Promise<boolean> {
  const { status } = response;
  if (status === 429) return true;
  if (status === 503) return repeatable || (await codeOf(response)) !== undefined;
  if (status === 409) {
    const code = await codeOf(response);
    return code === 'debt-plan-busy' || (repeatable && code === 'idempotency-key-in-use');
  }
  return repeatable && (status === 502 || status === 504);
}

/** The error code; undefined if, for example, a proxy sent the response. */
async function codeOf(response: Response): Promise<string | undefined> {
  try {
    const { code, error } = (await response.clone().json()) as { code?: unknown; error?: unknown };
    return typeof code === 'string' ? code : typeof error === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}

/** `Retry-After` in seconds. The header has seconds or a date (RFC 9110, 10.2.3). */
export function retryAfterOf({ headers }: Response): number | undefined {
  const given = headers.get('retry-after');
  if (given === null) return undefined;
  const seconds = /^\d+$/.test(given.trim()) ? Number(given) : (Date.parse(given) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

/** A random factor between 0.5 and 1 spreads out calls that failed together. */
export function backOff(attempt: number, { baseMs, maxMs }: Pick<Sending, 'baseMs' | 'maxMs'>): number {
  const whole = Math.min(maxMs, baseMs * 2 ** (attempt - 1));
  return whole / 2 + Math.random() * (whole / 2);
}

/** @throws the signal's reason as soon as the signal is aborted. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((done, fail) => {
    const stop = () => {
      clearTimeout(timer);
      fail(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      done();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
