export const ACCOUNT_KINDS = ['current', 'savings', 'card', 'other'] as const;
export type AccountKind = (typeof ACCOUNT_KINDS)[number];

/** Who asked for a sync: the schedule, somebody else, or the person, who is there. */
export type AskedBy = 'schedule' | 'request' | 'person';

export const SYNC_OUTCOMES = ['complete', 'partial', 'failed'] as const;
export type SyncOutcome = (typeof SYNC_OUTCOMES)[number];
