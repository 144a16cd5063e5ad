import { londonDateOf } from '../../domain/dates.ts';
import { DEFAULT_STRATEGY, type Repayment } from '../../domain/debt/simulation.ts';
import { pence } from '../../domain/money.ts';
import type { Services } from '../../infra/services.ts';
import type { DebtSimulationRequest, DebtSimulation } from '../../openapi/types.ts';
import { bind } from '../bind.ts';
import { chartTask, writeSimulation } from './calculations.ts';
import { changeDebtPlan } from './change.ts';
import { createDebtPlan, prepareDebtPlan } from './create.ts';
import { drawDebtPlan, getDebtPlan, listDebtPlans, readDebtProgress, readNewPlan } from './read.ts';
import { recordDebtPayment } from './record.ts';
import { termsOf } from './rows.ts';

const newPlans = { prepareDebtPlan, createDebtPlan, readNewPlan };
const plans = { ...newPlans, getDebtPlan, drawDebtPlan, listDebtPlans, changeDebtPlan };
const payments = { readDebtProgress, recordDebtPayment };

export const debtActivities = (services: Services) =>
  bind(services, { simulateDebts, drawDebts, ...plans, ...payments });

async function simulateDebts(services: Services, request: DebtSimulationRequest) {
  const repayment = repaymentOf(request);
  const startsOn = londonDateOf(await services.clock.now());
  const { json } = await writeSimulation<DebtSimulation>(services.threads, { repayment, startsOn, head: {} });
  return json;
}

async function drawDebts(services: Services, request: DebtSimulationRequest): Promise<string> {
  const repayment = repaymentOf(request);
  const startsOn = londonDateOf(await services.clock.now());
  return services.threads.run(chartTask, { repayment, startsOn, name: null });
}

function repaymentOf({ debts, monthly_budget, strategy = DEFAULT_STRATEGY }: DebtSimulationRequest): Repayment {
  return { debts: debts.map(termsOf), monthlyBudget: pence(monthly_budget), strategy };
}
