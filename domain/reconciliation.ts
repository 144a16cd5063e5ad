/**
 * `matched`: found in the account that paid. `missing`: not found there in time. `not-applicable`: nobody lets the service
 * read that account, or the payment moved no money.
 */
export const RECONCILIATION_STATUSES = ['pending', 'matched', 'missing', 'not-applicable'] as const;
export type ReconciliationStatus = (typeof RECONCILIATION_STATUSES)[number];

/** What makes a payment need attention. */
export const PROBLEMS = ['ambiguous', 'missing', 'return-missing', 'unexplained-return'] as const;
export type Problem = (typeof PROBLEMS)[number];
