import type { ProblemCode } from './codes.ts';
import type { components } from './contract.ts';

type ProblemDocument = components['schemas']['Problem'];
type OAuthCode = components['schemas']['OAuthError']['error'];

/** The base class of all errors of this client. */
export class RingfenceError extends Error {
  override name = 'RingfenceError';
}

/** The details of a refusal. */
export interface Refusal {
  status: number;
  /** Seconds to wait before retrying, if the answer named them. */
  retryAfter: number | undefined;
  /** `X-Request-Id` of the answer: give it to the operator. */
  requestId: string | undefined;
}

/** The service refused, with a problem document (RFC 9457). Decide by `code`. */
export class ProblemError extends RingfenceError implements Refusal {
  override name = 'ProblemError';
  /** The stable code of the refusal. A newer service may have codes that this version of the client does not know. */
  readonly code: ProblemCode | (string & {});
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** Every fault of an invalid request, by JSON pointer. */
  readonly errors: readonly { pointer: string; detail: string }[];
  /** The whole document, with the figures that explain the refusal, such as `available` in pence. */
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

/** A refusal of the OAuth endpoints, in the form of RFC 6749. Decide by `error`. */
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

/** The answer is not from the service: something in between, such as a proxy, answered. */
export class UnexpectedAnswerError extends RingfenceError implements Refusal {
  override name = 'UnexpectedAnswerError';
  readonly status: number;
  readonly retryAfter: number | undefined;
  readonly requestId: string | undefined;

  constructor({ status, retryAfter, requestId }: Refusal) {
    super(`the answer with status ${status} did not come from the service, perhaps from a proxy`);
    this.status = status;
    this.retryAfter = retryAfter;
    this.requestId = requestId;
  }
}

/** No answer came in any attempt; `cause` is the last failure. The request may have taken effect. */
export class NoAnswerError extends RingfenceError {
  override name = 'NoAnswerError';
  readonly attempts: number;
  /** Scheme, host and port that were asked. */
  readonly address: string;

  constructor(attempts: number, address: string, cause: unknown) {
    const tries = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
    super(`no answer from ${address} after ${tries}: ${reasonOf(cause)}`, { cause });
    this.attempts = attempts;
    this.address = address;
  }
}

/** How OpenSSL names a certificate that cannot be trusted, as Node passes it on. */
const CERTIFICATE_FAULT = /CERT|UNABLE_TO_VERIFY/;

/** Whether a failure is that of a certificate: the next attempt would fail the same. */
export function isCertificateFault(failure: unknown): boolean {
  return CERTIFICATE_FAULT.test(codeOf(failure) ?? '');
}

/** `tlsFetch` fails with Node's own error, and Node's `fetch` has that as its cause. Browsers do not say why. */
function codeOf(failure: unknown): string | undefined {
  const { code, cause } = failure as { code?: unknown; cause?: { code?: unknown } };
  return [cause?.code, code].find((one) => typeof one === 'string');
}

function reasonOf(failure: unknown): string {
  if (isCertificateFault(failure)) {
    return `its certificate is not trusted (${codeOf(failure)}). Set NODE_EXTRA_CA_CERTS, or the "ca" of tlsFetch, to its certificate authority, or correct the address`;
  }
  return codeOf(failure) ?? (failure instanceof Error ? failure.message : String(failure));
}

/** The awaited result did not come in time; `last` is the latest state. */
export class WaitedTooLongError<T = unknown> extends RingfenceError {
  override name = 'WaitedTooLongError';
  readonly last: T | undefined;

  constructor(what: string, last: T | undefined) {
    super(`waited too long for ${what}`);
    this.last = last;
  }
}

/** Whether a thrown value is a problem document, and has that code if one is given. */
export function isProblem(thrown: unknown, code?: ProblemCode): thrown is ProblemError {
  return thrown instanceof ProblemError && (code === undefined || thrown.code === code);
}
