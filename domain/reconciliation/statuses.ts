/**
 * - `matched`: found in the account that paid.
 * - `missing`: not found there in time.
 * - `not-applicable`: nobody lets the service read that account, or the payment moved no money.
 */
export type ReconciliationStatus = 'pending' | 'matched' | 'missing' | 'not-applicable';
export type StoredStatus = Exclude<ReconciliationStatus, 'not-applicable'>;

/** What makes a payment need attention. */
export type Problem = 'ambiguous' | 'missing' | 'return-missing' | 'unexplained-return';
