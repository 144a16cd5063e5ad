import { addMonths, wholeMonths, type CalendarDate } from '../dates.ts';
import { DomainError } from '../errors.ts';
import { pence, ratioOf, sum, type Pence, type Ratio } from '../money.ts';
import { monthsToRepay, remainingAfter, type Debt } from './simulation.ts';
import { owed, standingOn, type PlanHistory, type Revision, type Standing } from './standing.ts';

/** Compares a plan with the schedule of its latest revision, counting completed months only. */
export function planProgress(history: PlanHistory, asOf: CalendarDate) {
  return comparedProgress(standingNow(history, asOf));
}

/** What a comparison needs of a history, which can be long. */
export function standingNow(history: PlanHistory, asOf: CalendarDate) {
  const { startsOn } = history.revisions[0];
  return { startsOn, last: history.revisions.at(-1)!, standing: standingOn(history, asOf), asOf };
}

export function comparedProgress({ startsOn, last, standing, asOf }: ReturnType<typeof standingNow>) {
  const expected = remainingAfter(last, wholeMonths(last.startsOn, asOf));
  const [expected_balance, actual_balance] = [sum(expected), owed(standing)];
  return {
    strategy: last.strategy,
    as_of: asOf,
    months_elapsed: wholeMonths(startsOn, asOf),
    starting_balance: sum(standing.debts.map(({ starting }) => starting)),
    expected_balance,
    actual_balance,
    paid_to_date: sum(standing.debts.map(({ paid }) => paid)),
    ahead_by: pence(expected_balance - actual_balance),
    on_track: actual_balance <= expected_balance,
    projected_debt_free_date: projectedDate(standing, last),
    debts: standing.debts.map(({ name, starting, balance }, index) => ({
      name,
      starting_balance: starting,
      expected_balance: expected[index]!,
      actual_balance: balance,
      percent_repaid: percentRepaid(starting, balance),
    })),
  };
}

/** Null if the plan cannot clear the debts. */
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
