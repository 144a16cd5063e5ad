import { londonDateOf } from '../dates.ts';
import { sum, type Pence } from '../money.ts';
import { owed, standingOn, type Paid, type PlanHistory } from './standing.ts';

export interface CompletedPayment {
  providerId: string;
  amount: Pence;
  completedAt: string;
  /** The sequence numbers of two events: the completion, and the return by the bank, if any. */
  completed: number;
  returned: number | null;
}

/** Facts are added, but never changed or removed. */
export interface PlanFacts {
  revisions: PlanHistory['revisions'];
  /** Payments made outside this service. */
  recorded: readonly Paid[];
  /** Includes payments that the bank later returned. */
  counted: readonly CompletedPayment[];
}

export function historyBy({ revisions, recorded, counted }: PlanFacts): PlanHistory {
  return { revisions, payments: [...recorded, ...counted.filter(({ returned }) => returned === null).map(paidBy)] };
}

/**
 * Tells whether the plan still had debt when a payment completed. Uses facts known at that time, because later facts
 * must not move a payment to another plan. Call the returned function with payments in order of completion.
 */
export function activityOf(facts: PlanFacts): (payment: CompletedPayment) => boolean {
  let last = { events: -1, counted: 0, owed: 0 };
  return (payment) => {
    const known = knownBefore(facts, payment);
    const events = known.revisions.length + known.recorded.length + known.returns;
    if (events === last.events) {
      if (last.owed === 0) return false;
      // Only payments reduce the debt. So debt remains if the last known debt exceeds all later payments together.
      if (last.owed > sum(known.counted.slice(last.counted).map(({ amount }) => amount))) return true;
    }
    const history = { revisions: known.revisions, payments: [...known.recorded, ...known.kept.map(paidBy)] };
    const standing = standingOn(history, londonDateOf(new Date(payment.completedAt)));
    last = { events, counted: known.counted.length, owed: owed(standing) };
    return last.owed > 0;
  };
}

function knownBefore({ revisions, recorded, counted }: PlanFacts, { completedAt, completed }: CompletedPayment) {
  const [first, ...later] = revisions;
  const before = counted.filter((payment) => payment.completed < completed);
  const kept = before.filter(({ returned }) => returned === null || returned > completed);
  return {
    revisions: [first, ...later.filter(({ at }) => at <= completedAt)] as const,
    recorded: recorded.filter(({ at }) => at <= completedAt),
    counted: before,
    kept,
    returns: before.length - kept.length,
  };
}

function paidBy({ providerId, amount, completedAt }: CompletedPayment): Paid {
  return { on: londonDateOf(new Date(completedAt)), at: completedAt, amount, to: { providerId } };
}
