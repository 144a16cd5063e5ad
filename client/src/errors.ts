import type { ProblemCode } from './codes.ts';
import type { components } from './contract.ts';

type ProblemDocument = components['schemas']['Problem'];
type OAuthCode = components['schemas']['OAuthError']['error'];

export class RingfenceError extends Error {
  override name = 'RingfenceError';
}

export interface Refusal {
  status: number;
  /** Seconds to wait before a retry, if the response states them. */
  retryAfter: number | undefined;
  /** The `X-Request-Id` of the response, by which the operator finds the request in the log. */
  requestId: string | undefined;
}

/** A problem document (RFC 9457) from the service. Use `code` to tell errors apart. */
export class ProblemError extends RingfenceError implements Refusal {
  override name = 'ProblemError';
  /** A newer service might send codes that this client does not know. */
  readonly code: ProblemCode | (string & {});
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** The faults of an invalid request, each with its JSON Pointer. */
  readonly errors: readonly { pointer: string; detail: string }[];
  /** Includes fields that explain the error, such as `available` in pence. */
  readonly problem: ProblemDocument & Readonly<Record<string, unknown>>;
  readonly retryAfter: number | undefined;
  readonly requestId: string | undefined;

  constructor(problem: ProblemDocument, { retryAfter, requestId }: Omit<Refusal, 'status'>) {
    super(`${problem.code}: ${problem.detail}`);
    this.code = problem.code;
    this.status = problem.status;
    this.title = problem.title;
    this.detail = problem.detail;
    this.errors = problem.errors ?? [];
    this.problem = problem;
    this.retryAfter = retryAfter;
    this.requestId = requestId;
  }
}

/** An error response from an OAuth endpoint (RFC 6749). Use `error` to tell errors apart. */
export class OAuthError extends RingfenceError implements Refusal {
  override name = 'OAuthError';
  readonly error: OAuthCode | (string & {});
  readonly description: string;
  readonly status: number;
  readonly retryAfter: number | undefined;
  readonly requestId: string | undefined;

  constructor(body: { error: string; error_description?: string }, refusal: Refusal) {
    super(`${body.error}: ${body.error_description ?? ''}`);
    this.error = body.error;
    this.description = body.error_description ?? '';
    this.status = refusal.status;
    this.retryAfter = refusal.retryAfter;
    this.requestId = refusal.requestId;
  }
}

/** A response from something other than the service, such as a proxy. */
export class UnexpectedAnswerError extends RingfenceError implements Refusal {
  override name = 'UnexpectedAnswerError';
  readonly status: number;
  readonly retryAfter: number | undefined;
  readonly requestId: string | undefined;

  constructor({ status, retryAfter, requestId }: Refusal) {
    super(`a response with status ${status} came from something other than the service, perhaps a proxy`);
    this.status = status;
    this.retryAfter = retryAfter;
    this.requestId = requestId;
  }
}

/** The last attempt got no response. `cause` is that attempt's failure. The request might have taken effect. */
export class NoAnswerError extends RingfenceError {
  override name = 'NoAnswerError';
  readonly attempts: number;
  /** Scheme, host and port of the request. */
  readonly address: string;

  constructor(attempts: number, address: string, cause: unknown) {
    const tries = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
    super(`no response from ${address} after ${tries}: ${reasonOf(cause)}`, { cause });
    this.attempts = attempts;
    this.address = address;
  }
}

/** OpenSSL's error codes for untrusted certificates, as Node reports them. */
const CERTIFICATE_FAULT = /CERT|UNABLE_TO_VERIFY/;

export function isCertificateFault(failure: unknown): boolean {
  return CERTIFICATE_FAULT.test(codeOf(failure) ?? '');
}

/** With `tlsFetch` the error has the code, with Node's `fetch` its `cause` does, and browsers give none. */
function codeOf(failure: unknown): string | undefined {
  const { code, cause } = failure as { code?: unknown; cause?: { code?: unknown } };
  return [cause?.code, code].find((one) => typeof one === 'string');
}

function reasonOf(failure: unknown): string {
  if (isCertificateFault(failure)) {
    return `the certificate of the server is not trusted (${codeOf(failure)}). Set NODE_EXTRA_CA_CERTS, or the "ca" of tlsFetch, to the certificate of its CA, or correct the URL`;
  }
  return codeOf(failure) ?? (failure instanceof Error ? failure.message : String(failure));
}

/** `last` is the latest known state, if there is one. */
export class WaitedTooLongError<T = unknown> extends RingfenceError {
  override name = 'WaitedTooLongError';
  readonly last: T | undefined;

  constructor(what: string, last: T | undefined) {
    super(`timed out waiting for ${what}`);
    this.last = last;
  }
}

/** If `code` is given, the error must have this code. */
export function isProblem(thrown: unknown, code?: ProblemCode): thrown is ProblemError {
  return thrown instanceof ProblemError && (code === undefined || thrown.code === code);
}
