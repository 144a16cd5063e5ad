import { addMonths, longDate, type CalendarDate } from '../../domain/dates.ts';
import { comparedProgress, standingNow } from '../../domain/debt/progress.ts';
import type { PlanHistory } from '../../domain/debt/standing.ts';
import { simulateRepayment, type Repayment, type Simulation } from '../../domain/debt/simulation.ts';
import { inPounds } from '../../domain/money.ts';
import type { MonthlyChart, Series } from '../../infra/charts/index.ts';
import { longJson, type LongJson } from '../../infra/threads/long-json.ts';
import type { Threads } from '../../infra/threads/index.ts';
import { task } from '../../infra/threads/task.ts';
import type { DebtPlan, DebtSimulation } from '../../openapi/types.ts';

/* Large calculations run in a worker thread: 50 debts over 1,200 months make 60,000 entries. */

/** `head` contains the fields of the response that do not come from the simulation. */
interface SimulationRequest {
  repayment: Repayment;
  startsOn: CalendarDate;
  head: Partial<DebtPlan>;
}

/** `json` is the whole response. */
export interface SimulationText<View> {
  total_months: number;
  total_interest: number;
  debt_free_date: CalendarDate;
  json: LongJson<View>;
}

type ChartRequest = Omit<SimulationRequest, 'head'> & { name: string | null };

/** Up to this many debts, a schedule has at most 4,800 entries, and the main thread calculates the schedule. */
const FEW = 4;

export async function writeSimulation<View extends DebtSimulation>(
  threads: Threads,
  request: Omit<SimulationRequest, 'head'> & { head: Omit<View, keyof DebtSimulation> },
): Promise<SimulationText<View>> {
  const written = isShort(request.repayment) ? simulationText(request) : await threads.run(textTask, request);
  return written as SimulationText<View>;
}

export async function compareProgress(threads: Threads, request: { history: PlanHistory; asOf: CalendarDate }) {
  const now = standingNow(request.history, request.asOf);
  return isShort(now.last) ? comparedProgress(now) : threads.run(progressTask, now);
}

function isShort({ debts }: Repayment): boolean {
  return debts.length <= FEW;
}

const textTask = task<typeof simulationText>(import.meta.url, 'simulationText');
export const chartTask = task<typeof simulationChart>(import.meta.url, 'simulationChart');
const progressTask = task<typeof comparedProgress>(
  new URL('../../domain/debt/progress.ts', import.meta.url).href,
  'comparedProgress',
);

export function simulationText({ repayment, startsOn, head }: SimulationRequest): SimulationText<DebtSimulation> {
  const { schedule, order, ...figures } = simulateRepayment(repayment);
  const { total_months, total_interest_paid: total_interest } = figures;
  const debt_free_date = addMonths(startsOn, total_months);
  const json = longJson<DebtSimulation>({ ...head, ...figures, debt_free_date, order, payoff_schedule: schedule });
  return { total_months, total_interest, debt_free_date, json };
}

export async function simulationChart({ repayment, startsOn, name }: ChartRequest): Promise<string> {
  // Loaded on demand, because the module is slow to load.
  const { stackedArea, withOthers, MOST_SERIES } = await import('../../infra/charts/index.ts');
  const simulation = simulateRepayment(repayment);
  const layers = withOthers(layersOf(repayment, simulation), MOST_SERIES, (count) => `${count} other debts`);
  return stackedArea({
    title: name ?? 'What is still owed, month by month',
    ...textsOf(repayment, simulation, startsOn),
    start: startsOn,
    yLabel: 'Still owed',
    series: layers,
  });
}

/** The debt cleared last is at the bottom. */
function layersOf({ debts }: Repayment, { schedule, total_months, order }: Simulation): Series[] {
  const values = new Map(order.map((name) => [name, Array.from({ length: total_months + 1 }, () => 0)]));
  for (const { name, balance } of debts) values.get(name)?.splice(0, 1, balance);
  for (const { month, debt, remaining } of schedule) values.get(debt)![month] = remaining;
  return order.toReversed().map((name) => ({ name, values: values.get(name)! }));
}

function textsOf(
  { debts, monthlyBudget, strategy }: Repayment,
  { total_months: months, total_interest_paid: interest }: Simulation,
  startsOn: CalendarDate,
): Pick<MonthlyChart, 'subtitle' | 'description'> {
  const owed = debts.reduce((total, { balance }) => total + balance, 0);
  const day = (month: number) => longDate(addMonths(startsOn, month));
  const name = strategy === 'avalanche' ? 'Avalanche' : 'Snowball';
  return {
    subtitle: `${name}, ${inPounds(monthlyBudget)} a month: debt-free on ${day(months)}, ${inPounds(interest)} of interest`,
    description:
      `What is still owed month by month, one layer for each debt: ${inPounds(owed)} on ${day(0)}, ` +
      `nothing on ${day(months)}, ${months} months later.`,
  };
}
