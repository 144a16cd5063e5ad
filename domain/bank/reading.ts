import type { CalendarDate } from '../dates.ts';
import { isEnded, type ConnectionKind, type ConnectionStatus } from './connections.ts';

export const ACCOUNT_KINDS = ['current', 'savings', 'card', 'other'] as const;
export type AccountKind = (typeof ACCOUNT_KINDS)[number];

/** Who asked for a sync: the schedule, somebody else, or the person, who is there. */
export type AskedBy = 'schedule' | 'request' | 'person';

export const SYNC_OUTCOMES = ['complete', 'partial', 'failed'] as const;
export type SyncOutcome = (typeof SYNC_OUTCOMES)[number];

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
export function readsADay(unattendedPerDay: number, askedBy: AskedBy): number {
  if (askedBy === 'person') return Number.POSITIVE_INFINITY;
  return askedBy === 'schedule' ? Math.ceil(unattendedPerDay / 2) : Math.floor(unattendedPerDay / 2);
}
