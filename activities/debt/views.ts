import type { PlanDebtJson } from '../../infra/db/entities/debt.ts';
import type { PlanRow, RevisionRow } from '../../infra/db/queries/debt.ts';
import type { DebtPlan, DebtSimulation } from '../../openapi/types.ts';

type PlanHead = Omit<DebtPlan, keyof DebtSimulation>;

export function headOf(
  plan: Omit<PlanRow, 'seq'>,
  revision: Omit<RevisionRow, 'total_months' | 'total_interest' | 'debt_free_date'>,
): PlanHead {
  return {
    plan_id: plan.plan_id,
    user_id: plan.owner_id,
    name: revision.name,
    status: plan.status,
    revision: revision.revision,
    start_date: plan.start_date,
    schedule_from: revision.starts_on,
    monthly_budget: revision.monthly_budget,
    debts: revision.debts.map(debtView),
    created_at: plan.created_at,
    updated_at: revision.created_at,
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

function debtView({ name, balance, rate, minimum, provider_id }: PlanDebtJson) {
  return { name, balance, rate, minimum, provider_id };
}
