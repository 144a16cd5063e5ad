import { addMonths, daysBetween, type CalendarDate } from '../dates.ts';
import { DomainError } from '../errors.ts';
import { exact, pence, roundHalfUp, type Pence } from '../money.ts';
import {
  standingOn,
  type PlanDebt,
  type PlanHistory,
  type Revision,
  type Standing,
  type StandingDebt,
} from './standing.ts';

/** Missing fields keep their values. */
export interface PlanChange {
  strategy?: Revision['strategy'];
  monthlyBudget?: Pence;
  debts?: readonly { name: string; balance?: Pence; rate?: number; minimum?: Pence }[];
}

/** Carries accrued interest over, except for debts with a new balance. */
export function revisedPlan(
  history: PlanHistory,
  change: PlanChange,
  now: { today: CalendarDate; at: string },
): Revision {
  const last = history.revisions.at(-1)!;
  for (const { name } of change.debts ?? []) requireDebt(last.debts, name);
  const standing = standingOn(history, now.today);
  const startsOn = now.today > standing.startsOn ? now.today : standing.startsOn;
  const debts = standing.debts.map((debt): PlanDebt => {
    const {
      balance,
      rate = debt.rate,
      minimum = debt.minimum,
    } = change.debts?.find(({ name }) => name === debt.name) ?? {};
    return {
      name: debt.name,
      balance: balance ?? debt.balance,
      rate,
      minimum,
      accrued: balance === undefined ? accruedUntil(standing, debt, now.today) : pence(0),
      providerId: debt.providerId,
      isGiven: balance !== undefined,
    };
  });
  return {
    startsOn,
    madeOn: now.today,
    at: now.at,
    strategy: change.strategy ?? last.strategy,
    monthlyBudget: change.monthlyBudget ?? last.monthlyBudget,
    debts,
  };
}

export function requireDebt(debts: readonly { name: string }[], name: string): void {
  if (debts.some((debt) => debt.name === name)) return;
  throw new DomainError('unknown-debt', 'The plan has no debt with this name. The name must match exactly.');
}

/** Interest not yet in the balance. In the first month, interest that the revision carried over is included. */
function accruedUntil({ startsOn, months }: Standing, debt: StandingDebt, day: CalendarDate): Pence {
  const carried = months === 0 ? debt.accrued : pence(0);
  const [from, to] = [addMonths(startsOn, months), addMonths(startsOn, months + 1)];
  if (debt.balance === 0) return pence(0);
  if (day <= from) return carried;
  const share = exact(debt.balance).times(debt.rate).times(daysBetween(from, day));
  return pence(carried + roundHalfUp(share.dividedBy(120_000).dividedBy(daysBetween(from, to))));
}
