import { addMonths, wholeMonths, type CalendarDate } from '../dates.ts';
import { DomainError } from '../errors.ts';
import { pence, ratioOf, sum, type Pence, type Ratio } from '../money.ts';
import { monthsToRepay, remainingAfter, type Debt } from './simulation.ts';
import { owed, standingOn, type PlanHistory, type Revision, type Standing } from './standing.ts';

interface Progress {
  asOf: CalendarDate;
  monthsElapsed: number;
  startingBalance: Pence;
  expectedBalance: Pence;
  actualBalance: Pence;
  paidToDate: Pence;
  aheadBy: Pence;
  onTrack: boolean;
  /** Null if the plan cannot clear the debts. */
  projectedDebtFreeDate: CalendarDate | null;
  debts: {
    name: string;
    startingBalance: Pence;
    expectedBalance: Pence;
    actualBalance: Pence;
    percentRepaid: Ratio;
  }[];
}

/** Compares a plan with the schedule of its latest revision, counting completed months only. */
export function planProgress(history: PlanHistory, asOf: CalendarDate): Progress {
  const [first] = history.revisions;
  const last = history.revisions.at(-1)!;
  const standing = standingOn(history, asOf);
  const expected = remainingAfter(last, wholeMonths(last.startsOn, asOf));
  const [expectedBalance, actualBalance] = [sum(expected), owed(standing)];
  return {
    asOf,
    monthsElapsed: wholeMonths(first.startsOn, asOf),
    startingBalance: sum(standing.debts.map(({ starting }) => starting)),
    expectedBalance,
    actualBalance,
    paidToDate: sum(standing.debts.map(({ paid }) => paid)),
    aheadBy: pence(expectedBalance - actualBalance),
    onTrack: actualBalance <= expectedBalance,
    projectedDebtFreeDate: projectedDate(standing, last),
    debts: standing.debts.map(({ name, starting, balance }, index) => ({
      name,
      startingBalance: starting,
      expectedBalance: expected[index]!,
      actualBalance: balance,
      percentRepaid: percentRepaid(starting, balance),
    })),
  };
}

function projectedDate(standing: Standing, { strategy, monthlyBudget }: Revision): CalendarDate | null {
  if (standing.clearedOn !== null) return standing.clearedOn;
  const debts = standing.debts.map((debt): Debt => (standing.months === 0 ? debt : { ...debt, accrued: pence(0) }));
  try {
    return addMonths(standing.startsOn, standing.months + monthsToRepay({ debts, strategy, monthlyBudget }));
  } catch (error) {
    if (error instanceof DomainError) return null;
    throw error;
  }
}

function percentRepaid(starting: Pence, balance: Pence): Ratio {
  const repaid = Math.max(0, starting - balance);
  return ratioOf(pence(repaid * 100), starting, 2);
}
