/** The compiler rejects a new code until `api/http/reply/problem.ts` maps the code to an HTTP status. */
export type ErrorCode =
  | 'invalid-request'
  | 'malformed-json'
  | 'body-too-large'
  | 'headers-too-large'
  | 'request-timeout'
  | 'unsupported-media-type'
  | 'not-acceptable'
  | 'not-found'
  | 'method-not-allowed'
  | 'credentials-missing'
  | 'client-certificate-missing'
  | 'client-certificate-of-another-application'
  | 'invalid-token'
  | 'invalid-credentials'
  | 'invalid-refresh-token'
  | 'wrong-environment-key'
  | 'insufficient-scope'
  | 'other-owner'
  | 'owner-of-another-application'
  | 'unknown-owner'
  | 'users-only'
  | 'account-disabled'
  | 'email-taken'
  | 'registration-closed'
  | 'email-not-verified'
  | 'invalid-reset-token'
  | 'invalid-verification-token'
  | 'invalid-house-link'
  | 'form-expired'
  | 'sign-in-failed'
  | 'invalid-client'
  | 'invalid-grant'
  | 'unauthorized-client'
  | 'unsupported-grant-type'
  | 'invalid-scope'
  | 'rate-limited'
  | 'too-many-bytes'
  | 'idempotency-key-in-use'
  | 'idempotency-key-reused'
  | 'obligations-exceed-income'
  | 'paycheck-already-committed'
  | 'paycheck-already-accrued'
  | 'paycheck-asserted'
  | 'wage-below-paycheck'
  | 'wage-not-confirmed'
  | 'wage-already-calculated'
  | 'wage-reversed'
  | 'unknown-wage'
  | 'unknown-entry'
  | 'unknown-transaction'
  | 'not-a-credit'
  | 'credit-from-own-account'
  | 'pay-date-too-far'
  | 'exceeds-income-limit'
  | 'exceeds-safe-to-spend'
  | 'insufficient-vault-balance'
  | 'same-vault'
  | 'unknown-vault'
  | 'label-taken'
  | 'vault-closed'
  | 'vault-not-empty'
  | 'unknown-allocation'
  | 'balance-limit'
  | 'too-many-vaults'
  | 'too-many-allocations'
  | 'insufficient-allocation'
  | 'income-not-evidenced'
  | 'exceeds-payment-limit'
  | 'exceeds-consent-limit'
  | 'unknown-provider'
  | 'payee-in-use'
  | 'payee-may-be-own'
  | 'payee-unconfirmed'
  | 'unsupported-currency'
  | 'execution-date-out-of-range'
  | 'payment-not-failed'
  | 'payment-not-retryable'
  | 'payment-attempts-exhausted'
  | 'payment-not-pending'
  | 'payment-not-unknown'
  | 'payment-in-doubt'
  | 'budget-below-minimums'
  | 'debt-never-repaid'
  | 'unknown-debt'
  | 'debt-plan-full'
  | 'debt-plan-busy'
  | 'too-many-debt-plans'
  | 'plan-closed'
  | 'already-counted'
  | 'owner-without-account'
  | 'unknown-bank'
  | 'unknown-bank-answer'
  | 'unknown-institution'
  | 'bank-cannot-pay'
  | 'bank-cannot-read'
  | 'unregistered-return-url'
  | 'payee-not-payable'
  | 'own-sign-in-required'
  | 'bank-not-connected'
  | 'bank-consent-ended'
  | 'bank-authorisation-needed'
  | 'bank-reconfirmation-needed'
  | 'nothing-to-reconfirm'
  | 'bank-read-limit'
  | 'precondition-failed'
  | 'no-income-on-record'
  | 'no-payment-history'
  | 'credential-revoked'
  | 'credential-expired'
  | 'credential-damaged'
  | 'not-a-credential'
  | 'clock-not-forward'
  | 'clock-too-far'
  | 'pii-erased'
  | 'pii-in-use'
  | 'pii-damaged'
  | 'malformed-multipart'
  | 'file-too-large'
  | 'empty-file'
  | 'too-many-documents'
  | 'unsupported-document-type'
  | 'document-erased'
  | 'document-not-parsed'
  | 'document-confidence-too-low'
  | 'restoring'
  | 'dependency-unavailable'
  | 'internal-error';

/** `pointer` is a JSON pointer, or begins with `/query/`, `/path/` or `/header/`. */
export interface InputFault {
  pointer: string;
  detail: string;
}

/** Extra members of a problem document, which must not contain personal data. */
export type ErrorExtra = Readonly<Record<string, string | number | boolean | null | readonly InputFault[]>>;

/** An error that the caller can do something about. Any other error is an internal error. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly code: ErrorCode;
  readonly extra: ErrorExtra;

  constructor(code: ErrorCode, detail: string, extra: ErrorExtra = {}) {
    super(detail);
    this.code = code;
    this.extra = extra;
  }
}

/** Looks at which fields are present, not at their values. */
export function exactlyOne(fields: Readonly<Record<string, unknown>>): InputFault[] {
  const [preferred, ...others] = Object.keys(fields);
  const [first, second] = Object.keys(fields).filter((name) => fields[name] !== undefined);
  if (first === undefined)
    return [{ pointer: `/${preferred}`, detail: `is required, unless you send ${others.join(' or ')}` }];
  return second === undefined ? [] : [{ pointer: `/${second}`, detail: `cannot be combined with ${first}` }];
}

export function invalidInput(pointer: string, detail: string): DomainError {
  return new DomainError('invalid-request', detail, { errors: [{ pointer, detail }] });
}

export function requireNoFaults(faults: readonly InputFault[]): void {
  const [only, ...others] = faults;
  if (only === undefined) return;
  if (others.length === 0) throw invalidInput(only.pointer, only.detail);
  throw new DomainError('invalid-request', 'Parts of the request are wrong. See the list of errors.', {
    errors: faults,
  });
}
