import { londonDateOf } from '../dates.ts';
import { sum, type Pence } from '../money.ts';
import { owed, standingOn, type Paid, type PlanHistory } from './standing.ts';

/** A payment through this service that completed. */
export interface CompletedPayment {
  providerId: string;
  amount: Pence;
  completedAt: string;
  /** The places of its completion and of its return among the events of all payments; null where it did not come back. */
  completed: number;
  returned: number | null;
}

/** What happened to a plan, in the order in which it became known. It is only ever added to. */
export interface PlanFacts {
  revisions: PlanHistory['revisions'];
  /** Payments that somebody recorded. */
  recorded: readonly Paid[];
  /** Completed payments that count in the plan, also those that came back. */
  counted: readonly CompletedPayment[];
}

/** All that happened to a plan, by what is known today. */
export function historyBy({ revisions, recorded, counted }: PlanFacts): PlanHistory {
  return { revisions, payments: [...recorded, ...counted.filter(({ returned }) => returned === null).map(paidBy)] };
}

/**
 * Whether a plan was active, that is whether something was owed, when a payment completed. It goes by what was known then, so
 * that no later return, change or record moves a payment to another plan. Ask about payments in the order of their completion.
 */
export function activityOf(facts: PlanFacts): (payment: CompletedPayment) => boolean {
  let last = { events: -1, counted: 0, owed: 0 };
  return (payment) => {
    const known = knownBefore(facts, payment);
    const events = known.revisions.length + known.recorded.length + known.returns;
    if (events === last.events) {
      if (last.owed === 0) return false;
      // Only payments make it less, so that a plan with many of them is not reckoned anew for each.
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
