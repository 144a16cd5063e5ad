import { londonDateOf } from '../dates.ts';
import { sum, type Pence } from '../money.ts';
import { owed, standingOn, type Paid, type PlanHistory } from './standing.ts';

/** A completed payment through this service. */
export interface CompletedPayment {
  providerId: string;
  amount: Pence;
  completedAt: string;
  /** The positions of its completion and its return among the events of all payments; null if it did not come back. */
  completed: number;
  returned: number | null;
}

/** A plan's facts, in the order in which they became known. Facts are only ever added. */
export interface PlanFacts {
  revisions: PlanHistory['revisions'];
  /** Payments that somebody recorded. */
  recorded: readonly Paid[];
  /** Completed payments that count in the plan, including those that came back. */
  counted: readonly CompletedPayment[];
}

/** A plan's history, from the facts known today. */
export function historyBy({ revisions, recorded, counted }: PlanFacts): PlanHistory {
  return { revisions, payments: [...recorded, ...counted.filter(({ returned }) => returned === null).map(paidBy)] };
}

/**
 * Whether a plan was active (something was owed) when a payment completed. Uses only what was known then, so that no
 * later return, change or record moves a payment to another plan. Ask about payments in the order of their completion.
 */
export function activityOf(facts: PlanFacts): (payment: CompletedPayment) => boolean {
  let last = { events: -1, counted: 0, owed: 0 };
  return (payment) => {
    const known = knownBefore(facts, payment);
    const events = known.revisions.length + known.recorded.length + known.returns;
    if (events === last.events) {
      if (last.owed === 0) return false;
      // Only payments reduce the debt, so a plan with many payments need not be computed anew for each.
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
