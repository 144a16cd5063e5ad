import { addDays, HOUR_MS, type CalendarDate, type Period } from '../dates.ts';
import { isEnded, type ConnectionKind, type ConnectionStatus } from './connections.ts';

export const ACCOUNT_KINDS = ['current', 'savings', 'card', 'other'] as const;
export type AccountKind = (typeof ACCOUNT_KINDS)[number];

/** Who asked for a sync: the schedule, somebody else, or the person, who is there. */
export type RequestedBy = 'schedule' | 'request' | 'person';

export const SYNC_OUTCOMES = ['complete', 'partial', 'failed'] as const;
export type SyncOutcome = (typeof SYNC_OUTCOMES)[number];

/** Why a sync is not complete. Callers see the codes. */
export const SYNC_REASONS = [
  'read-limit',
  'bank-wait',
  'bank-away',
  'account-error',
  'rows-cut',
  'reauthorisation-needed',
  'reconfirmation-needed',
  'consent-ended',
  'not-final',
  'configuration',
] as const;
export type SyncReason = (typeof SYNC_REASONS)[number];

/** An untrue date of a bank must not stop reading for good. */
export const MAX_WAIT_MS = 25 * HOUR_MS;

/** Transactions of one account that one sync reads at most. */
export const MAX_ROWS = 10_000;

/** How many days a read covers again. Banks book some transactions late. */
const OVERLAP_DAYS = 3;

/** How long after a sign-in the person counts as being there, in real time. */
export const ATTENDED_FOR_MIN = 5;

/** How many times a day a person may have their accounts read while they are there. */
export const ATTENDED_A_DAY = 20;

export type Unreadable = 'pays' | 'not-connected' | 'reauthorisation-needed' | 'ended' | 'reconfirmation-needed';

interface Readable {
  kind: ConnectionKind;
  status: ConnectionStatus;
  reconfirm_by: CalendarDate | null;
}

/** Why the connection may not be read now. Undefined if it may. */
export function whyUnreadable({ kind, status, reconfirm_by }: Readable, today: CalendarDate): Unreadable | undefined {
  if (kind !== 'accounts') return 'pays';
  if (isEnded(status)) return 'ended';
  if (status === 'awaiting_authorisation') return 'not-connected';
  if (status === 'reauthorisation_needed') return 'reauthorisation-needed';
  return reconfirm_by !== null && reconfirm_by < today ? 'reconfirmation-needed' : undefined;
}

/** How many of an account's reads in 24 hours are for this caller. The person's own do not count. */
export function readsADay(unattendedPerDay: number, requestedBy: RequestedBy): number {
  if (requestedBy === 'person') return Number.POSITIVE_INFINITY;
  return requestedBy === 'schedule' ? Math.ceil(unattendedPerDay / 2) : Math.floor(unattendedPerDay / 2);
}

interface Backwards {
  /** How many days back the bank's first read goes, and each later one. */
  freshDays: number;
  laterDays: number;
}

/** The days that a read asks for. `readThrough` is the last day that a complete read covered. */
export function daysToRead(readThrough: CalendarDate | null, today: CalendarDate, bank: Backwards): Period {
  if (readThrough === null) return { from: addDays(today, -bank.freshDays), to: today };
  const [overlap, earliest] = [addDays(readThrough, -OVERLAP_DAYS), addDays(today, -bank.laterDays)];
  return { from: overlap > earliest ? overlap : earliest, to: today };
}

/** Whether the account's transactions are read, and not only its figures. */
export function hasTransactions({ kind, currency }: { kind: AccountKind; currency: string }): boolean {
  return currency === 'GBP' && (kind === 'current' || kind === 'savings');
}

/** `stored`: of how many accounts the sync stored something. */
export function syncOutcome(reasons: readonly SyncReason[], stored: number): SyncOutcome {
  if (reasons.length === 0) return 'complete';
  return stored > 0 ? 'partial' : 'failed';
}
