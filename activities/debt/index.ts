import { londonDateOf } from '../../domain/dates.ts';
import { requireDifferentNames } from '../../domain/debt/plan.ts';
import { DEFAULT_STRATEGY, type Repayment } from '../../domain/debt/simulation.ts';
import { pence } from '../../domain/money.ts';
import type { Services } from '../../infra/services.ts';
import type { DebtSimulationRequest, DebtSimulation } from '../../openapi/types.ts';
import { drawSimulation, writeSimulation } from './calculations.ts';
import { changeDebtPlan, type PlanChangeRequest } from './change.ts';
import { createDebtPlan, prepareDebtPlan, type NewPlan, type PreparedPlan } from './create.ts';
import { drawDebtPlan, getDebtPlan, listDebtPlans, readDebtProgress, readNewPlan } from './read.ts';
import { recordDebtPayment, type DebtPaymentRequest } from './record.ts';
import type { PlanRef } from './rows.ts';

export const debtActivities = (services: Services) => ({
  async simulateDebts(request: DebtSimulationRequest) {
    const repayment = repaymentOf(request);
    const { json } = await writeSimulation<DebtSimulation>(services.threads, {
      repayment,
      startsOn: londonDateOf(await services.clock.now()),
      head: {},
    });
    return json;
  },

  async drawDebts(request: DebtSimulationRequest): Promise<string> {
    const repayment = repaymentOf(request);
    const startsOn = londonDateOf(await services.clock.now());
    return drawSimulation(services.threads, { repayment, startsOn, title: 'What is still owed, month by month' });
  },

  prepareDebtPlan: (request: NewPlan) => prepareDebtPlan(services, request),
  createDebtPlan: (request: NewPlan, prepared?: Promise<PreparedPlan>) => createDebtPlan(services, request, prepared),
  readNewPlan: (request: PlanRef) => readNewPlan(services, request),
  getDebtPlan: (request: PlanRef) => getDebtPlan(services, request),
  drawDebtPlan: (request: PlanRef) => drawDebtPlan(services, request),
  listDebtPlans: (request: { user_id: string; limit?: number; cursor?: string }) => listDebtPlans(services, request),
  changeDebtPlan: (request: PlanChangeRequest) => changeDebtPlan(services, request),
  readDebtProgress: (request: PlanRef) => readDebtProgress(services, request),
  recordDebtPayment: (request: DebtPaymentRequest) => recordDebtPayment(services, request),
});

function repaymentOf({ debts, monthly_budget, strategy = DEFAULT_STRATEGY }: DebtSimulationRequest): Repayment {
  requireDifferentNames(debts);
  return {
    debts: debts.map(({ name, balance, rate, minimum }) => ({
      name,
      balance: pence(balance),
      rate,
      minimum: pence(minimum),
    })),
    monthlyBudget: pence(monthly_budget),
    strategy,
  };
}
