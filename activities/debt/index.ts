import { londonDateOf } from '../../domain/dates.ts';
import { DEFAULT_STRATEGY, type Repayment } from '../../domain/debt/simulation.ts';
import { pence } from '../../domain/money.ts';
import type { Services } from '../../infra/services.ts';
import type { DebtSimulationRequest, DebtSimulation } from '../../openapi/types.ts';
import { bind } from '../bind.ts';
import { chartTask, writeSimulation } from './calculations.ts';
import { changeDebtPlan } from './change.ts';
import { closeDebtPlan } from './close.ts';
import { prepareDebtPlan } from './create.ts';
import { drawDebtPlan, getDebtPlan, listDebtPlans, readDebtProgress, readNewPlan } from './read.ts';
import { termsOf } from './rows.ts';

export { createDebtPlan, type PreparedPlan } from './create.ts';
export { recordDebtPayment } from './record.ts';

const simulations = { simulateDebts, drawDebts, prepareDebtPlan };
const plans = {
  readNewPlan,
  getDebtPlan,
  drawDebtPlan,
  listDebtPlans,
  changeDebtPlan,
  closeDebtPlan,
  readDebtProgress,
};

export const debtActivities = (services: Services) => bind(services, { ...simulations, ...plans });

type Simulating = Pick<Services, 'db' | 'clock' | 'threads'>;

async function simulateDebts({ db, clock, threads }: Simulating, request: DebtSimulationRequest) {
  const repayment = repaymentOf(request);
  const startsOn = londonDateOf(await clock.now(db));
  const { json } = await writeSimulation<DebtSimulation>(threads, { repayment, startsOn, head: {} });
  return json;
}

async function drawDebts({ db, clock, threads }: Simulating, request: DebtSimulationRequest): Promise<string> {
  const repayment = repaymentOf(request);
  const startsOn = londonDateOf(await clock.now(db));
  return threads.run(chartTask, { repayment, startsOn, name: null });
}

function repaymentOf({ debts, monthly_budget, strategy = DEFAULT_STRATEGY }: DebtSimulationRequest): Repayment {
  return { debts: debts.map(termsOf), monthlyBudget: pence(monthly_budget), strategy };
}
