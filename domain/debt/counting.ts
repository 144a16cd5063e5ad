import { londonDateOf } from '../dates.ts';
import type { Pence } from '../money.ts';
import { byTime, factOf, isCleared, runningStanding, type Fact, type Paid, type PlanHistory } from './standing.ts';

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
export function activityOf({ revisions: [first, ...later], recorded, counted }: PlanFacts) {
  const dated = [...later, ...recorded].map(factOf).sort((a, b) => (a.at === b.at ? 0 : a.at < b.at ? -1 : 1));
  let running = runningStanding(first);
  let known: Fact[] = [];
  let [nextDated, nextCounted, lastAt] = [0, 0, ''];
  /** The counted payments that the bank will return. */
  const returning = new Map<Fact, number>();
  let isBehind = false;

  const learn = ({ completed, completedAt }: CompletedPayment): Fact[] => {
    const news: Fact[] = [];
    for (; nextDated < dated.length && dated[nextDated]!.at <= completedAt; nextDated += 1)
      news.push(dated[nextDated]!);
    for (; nextCounted < counted.length && counted[nextCounted]!.completed < completed; nextCounted += 1) {
      const payment = counted[nextCounted]!;
      if (payment.returned !== null && payment.returned <= completed) continue;
      const fact = factOf(paidBy(payment));
      if (payment.returned !== null) returning.set(fact, payment.returned);
      news.push(fact);
    }
    return news.sort(byTime);
  };
  const forget = ({ completed, completedAt }: CompletedPayment): void => {
    const gone = new Set<Fact>();
    for (const [fact, returned] of returning) {
      if (returned > completed) continue;
      returning.delete(fact);
      gone.add(fact);
    }
    // Payments that complete together can have times that differ from their order by milliseconds.
    const isEarlier = completedAt < lastAt;
    if (isEarlier) nextDated = dated.findLastIndex(({ at }) => at <= completedAt) + 1;
    lastAt = completedAt;
    if (gone.size === 0 && !isEarlier) return;
    const later = new Set(dated.slice(nextDated));
    known = known.filter((fact) => !gone.has(fact) && !later.has(fact));
    isBehind = true;
  };
  return (payment: CompletedPayment): boolean => {
    const asOf = londonDateOf(new Date(payment.completedAt));
    forget(payment);
    const news = learn(payment);
    known.push(...news);
    if (isBehind || news.some((fact) => fact.on > asOf || !running.canApply(fact))) {
      // Only what comes in another order than it happened costs time in proportion to all that is known.
      known.sort(byTime);
      running = runningStanding(first);
      const past = known.filter(({ on }) => on <= asOf);
      for (const fact of past) running.apply(fact);
      isBehind = past.length < known.length;
    } else for (const fact of news) running.apply(fact);
    return !isCleared(running.until(asOf));
  };
}

function paidBy({ providerId, amount, completedAt }: CompletedPayment): Paid {
  return { on: londonDateOf(new Date(completedAt)), at: completedAt, amount, to: { providerId } };
}
