import { DomainError } from '../../domain/errors.ts';

const TRANSIENT = new Set(['40001', '40P01']);
const UNAVAILABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'ETIMEDOUT',
  'EAI_AGAIN',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '08000',
  '08001',
  '08003',
  '08006',
  // The following codes come from a reachable database that cannot serve the query.
  '25006',
  '53000',
  '53100',
  '53200',
  '53400',
  '57014',
  '57P05',
  '58030',
]);

/** The SQL function `require_present` raises this code if a timestamp is over a minute from the present. */
const NOT_PRESENT = 'RF002';

export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** Whether a retry of the whole transaction can succeed. */
export function isTransient(error: unknown): boolean {
  return TRANSIENT.has(codeOf(error));
}

/** Returns `dependency-unavailable` for a database outage or a wrong clock, and other errors unchanged. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof DomainError) return error;
  if (codeOf(error) === NOT_PRESENT) {
    return new DomainError(
      'dependency-unavailable',
      'The clocks of the service and its database differ by more than a minute, so nothing was written. The operator must correct the clocks. Then send the same request again. If it had an Idempotency-Key, send the same key, so that the request takes effect only once.',
      { dependency: 'clock' },
    );
  }
  const message = error instanceof Error ? error.message : '';
  const lost =
    /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|query read timeout/i;
  if (!UNAVAILABLE.has(codeOf(error)) && !lost.test(message)) return error;
  const unavailable = new DomainError(
    'dependency-unavailable',
    'The database cannot be reached, or cannot accept the request now. Send the same request again. If it had an Idempotency-Key, send the same key, so that the request takes effect only once.',
    { dependency: 'database' },
  );
  unavailable.cause = error;
  return unavailable;
}
