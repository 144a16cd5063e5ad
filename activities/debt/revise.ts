import { callerOf, type Principal } from '../../domain/auth.ts';
import type { Revision } from '../../domain/debt/standing.ts';
import type { PlanRow, RevisionRow } from '../../infra/db/queries/debt.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import type { DebtPlan } from '../../openapi/types.ts';
import { writeSimulation } from './calculations.ts';
import { headOf, revisionColumns } from './rows.ts';

export async function simulateRevision(
  { threads }: Pick<Services, 'threads'>,
  plan: Omit<PlanRow, 'seq'>,
  name: string | null,
  revision: Revision,
) {
  const said = { plan_id: plan.plan_id, revision: plan.revision, name, ...revisionColumns(revision) };
  const { startsOn } = revision;
  const request = { repayment: revision, startsOn, head: headOf(plan, said) };
  const { json, ...totals } = await writeSimulation<DebtPlan>(threads, request);
  return { row: { ...said, ...totals }, json };
}

export async function auditPlan(
  tx: Tx,
  services: Pick<Services, 'newId'>,
  kind: 'debt.plan-created' | 'debt.plan-updated',
  principal: Principal,
  { plan_id, revision, strategy, monthly_budget, debts, total_months }: RevisionRow,
  at: Date,
): Promise<void> {
  const owedTotal = debts.reduce((total, { balance }) => total + balance, 0);
  const data = { revision, strategy, monthly_budget, debts: debts.length, balance: owedTotal, total_months };
  await audit(tx, services, { subject: plan_id, kind, actor: callerOf(principal), data, at });
}
