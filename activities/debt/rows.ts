import { londonDateOf, type CalendarDate } from '../../domain/dates.ts';
import { DomainError } from '../../domain/errors.ts';
import { owed, type Revision } from '../../domain/debt/standing.ts';
import { pence } from '../../domain/money.ts';
import type { PlanStatus } from '../../infra/db/entities/debt.ts';
import type { PlanRow, RevisionRow } from '../../infra/db/queries/debt.ts';
import type { Debt, DebtPlan, DebtSimulation } from '../../openapi/types.ts';

export interface PlanRef {
  plan_id: string;
}

export function requirePlan<Row extends object>(plan: Row | undefined): Row {
  if (plan) return plan;
  throw new DomainError('not-found', 'There is no debt plan with this id.');
}

export function requireNotClosed(plan: PlanRow): PlanRow {
  if (plan.closed_at === null) return plan;
  throw new DomainError('plan-closed', 'The plan is closed. It cannot be changed, and counts no more payments.');
}

/** The last day of which the plan tells: today, or the day on which it was closed. */
export function lastDayOf({ closed_at }: Pick<PlanRow, 'closed_at'>, now: Date): CalendarDate {
  return londonDateOf(closed_at === null ? now : new Date(closed_at));
}

export function statusOf(plan: Parameters<typeof owed>[0]): PlanStatus {
  return owed(plan) === 0 ? 'completed' : 'active';
}

export function termsOf({ name, balance, rate, minimum }: Debt) {
  return { name, balance: pence(balance), rate, minimum: pence(minimum) };
}

export function revisionOf(row: RevisionRow): Revision {
  return {
    strategy: row.strategy,
    monthlyBudget: pence(row.monthly_budget),
    startsOn: row.starts_on,
    madeOn: row.made_on,
    at: row.created_at,
    debts: row.debts.map((debt) => ({
      ...termsOf(debt),
      accrued: pence(debt.accrued),
      providerId: debt.provider_id,
      isGiven: debt.is_given,
    })),
  };
}

export function revisionColumns(revision: Revision) {
  return {
    strategy: revision.strategy,
    monthly_budget: revision.monthlyBudget,
    starts_on: revision.startsOn,
    made_on: revision.madeOn,
    created_at: revision.at,
    debts: revision.debts.map(({ providerId, isGiven, ...debt }) => ({
      ...debt,
      provider_id: providerId,
      is_given: isGiven,
    })),
  };
}

export function headOf(
  plan: Omit<PlanRow, 'seq'>,
  revision: Omit<RevisionRow, 'total_months' | 'total_interest' | 'debt_free_date'>,
): Omit<DebtPlan, keyof DebtSimulation> {
  return {
    plan_id: plan.plan_id,
    user_id: plan.owner_id,
    name: revision.name,
    status: plan.status,
    revision: revision.revision,
    start_date: plan.start_date,
    schedule_from: revision.starts_on,
    monthly_budget: revision.monthly_budget,
    debts: revision.debts.map(({ name, balance, rate, minimum, provider_id }) => {
      return { name, balance, rate, minimum, provider_id };
    }),
    created_at: plan.created_at,
    updated_at: revision.created_at,
    ...(plan.closed_at !== null && { closed_at: plan.closed_at }),
  };
}

export function summaryOf(plan: Omit<PlanRow, 'seq'>, revision: RevisionRow) {
  return {
    ...headOf(plan, revision),
    strategy: revision.strategy,
    total_months: revision.total_months,
    total_interest_paid: revision.total_interest,
    debt_free_date: revision.debt_free_date,
  };
}
