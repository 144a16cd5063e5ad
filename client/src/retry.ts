import { isCertificateFault, NoAnswerError } from './errors.ts';

/** How often and how patiently a request is sent again. */
export interface RetryOptions {
  /** How often a request is sent at most, the first time included. Default 5. */
  attempts?: number;
  /** Milliseconds before the second sending; doubles with each further one. Default 250. */
  baseMs?: number;
  /** The longest pause of our own choice, in milliseconds. Default 8,000. */
  maxMs?: number;
  /** A `Retry-After` beyond this many milliseconds is not waited for: the refusal is thrown. Default 60,000. */
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
  /** Whether the request may take effect twice without harm: it reads, or carries an Idempotency-Key. */
  repeatable: boolean;
  /** How long one answer may take, in milliseconds. */
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

/**
 * Sends a request until there is an answer worth giving: again after a refusal that says to come back, and, where it is
 * repeatable, after a lost connection and for as long as the first sending is still being worked on.
 * @throws NoAnswerError; the reason of `signal` when that is aborted.
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
    // An answer that breaks off in the middle is none: better to know here, where it can be asked for again.
    const bytes = await response.arrayBuffer();
    const { status, statusText, headers } = response;
    const hasBody = bytes.byteLength > 0 && ![204, 205, 304].includes(status);
    return { response: new Response(hasBody ? bytes : null, { status, statusText, headers: new Headers(headers) }) };
  } catch (failure) {
    return { failure };
  }
}

/** 429 and our own 503 promise that nothing was done; what a proxy says promises nothing. */
async function isWorthRepeating(response: Response, repeatable: boolean): Promise<boolean> {
  const { status } = response;
  if (status === 429) return true;
  if (status === 503) return repeatable || (await codeOf(response)) !== undefined;
  if (!repeatable) return false;
  return status === 502 || status === 504 || (status === 409 && (await codeOf(response)) === 'idempotency-key-in-use');
}

/** The code of a refusal of the service; undefined where the answer is of somebody else. */
async function codeOf(response: Response): Promise<string | undefined> {
  try {
    const { code, error } = (await response.clone().json()) as { code?: unknown; error?: unknown };
    return typeof code === 'string' ? code : typeof error === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}

/** `Retry-After` in seconds, whether it was given as such or as a date (RFC 9110, 10.2.3). */
export function retryAfterOf({ headers }: Response): number | undefined {
  const given = headers.get('retry-after');
  if (given === null) return undefined;
  const seconds = /^\d+$/.test(given.trim()) ? Number(given) : (Date.parse(given) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

/** Doubles with each attempt, and differs among those that failed together: between half of it and all of it. */
export function backOff(attempt: number, { baseMs, maxMs }: Pick<Sending, 'baseMs' | 'maxMs'>): number {
  const whole = Math.min(maxMs, baseMs * 2 ** (attempt - 1));
  return whole / 2 + Math.random() * (whole / 2);
}

/** Waits. @throws the signal's reason as soon as it is aborted. */
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
