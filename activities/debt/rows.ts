import { DomainError } from '../../domain/errors.ts';
import { owed, type Revision } from '../../domain/debt/standing.ts';
import { pence } from '../../domain/money.ts';
import type { PlanStatus } from '../../infra/db/entities/debt.ts';
import type { RevisionRow } from '../../infra/db/queries/debt.ts';
import type { Debt } from '../../openapi/types.ts';

export interface PlanRef {
  plan_id: string;
}

export function requirePlan<Row extends object>(plan: Row | undefined): Row {
  if (plan) return plan;
  throw new DomainError('not-found', 'There is no debt plan with this id.');
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
