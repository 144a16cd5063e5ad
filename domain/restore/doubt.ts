import { DomainError } from '../errors.ts';

/** In the timeline of an order of the same amount as a payment that a restore might have lost. */
export const BORN_IN_DOUBT =
  'Ordered. Before it is sent, an operator checks whether a payment that was lost in a restore has paid it already.';

/** A payment that failed before a restore might have been retried since the backup, and that attempt is lost here. */
export function requireNotLost({ updated_at }: { updated_at: string }, restoredAt: Date | null): void {
  if (restoredAt === null || Date.parse(updated_at) > restoredAt.getTime()) return;
  throw new DomainError(
    'payment-not-retryable',
    'The service was restored from a backup after this payment failed, so an attempt of it might be missing here. Look for the payment in the bank statement, and make a new payment.',
  );
}

/** Since a restore, nobody knows whether the bank paid it. Only an operator's answer may change it. */
export function requireNoDoubt({ doubted_by }: { doubted_by: string | null }): void {
  if (doubted_by === null) return;
  throw new DomainError(
    'payment-in-doubt',
    'After a restore, an operator must find out whether the bank paid this payment.',
  );
}
