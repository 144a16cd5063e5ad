import { inPounds } from '../../domain/money.ts';
import { addMonths, londonDateOf, monthStartOf } from '../../domain/dates.ts';
import { accrualWorkflowId } from '../../workflows/ids.ts';
import type { Person } from './account.ts';
import { issueKey, must, soon, workflowPage, type Stage } from './stage.ts';

/** Amounts are in pence, and rates in basis points a year. */
const DEBTS = [
  { name: 'Credit card', balance: 300_000, rate: 2_490, minimum: 9_000 },
  { name: 'Car loan', balance: 150_000, rate: 690, minimum: 5_000 },
  { name: 'Store card', balance: 60_000, rate: 3_990, minimum: 2_500 },
];

export async function planDebts({ client, teller }: Stage, { userId }: Person): Promise<void> {
  teller.step(
    'Plan the way out of debt',
    'Three debts, and £300.00 a month to repay them. The avalanche pays the highest rate first, the snowball the smallest balance.',
  );
  const budget = { debts: DEBTS, monthly_budget: 30_000 };
  const snowball = await client.simulateDebts({ body: { ...budget, strategy: 'snowball' } });
  teller.answered(
    200,
    `snowball: ${snowball.total_months} months, ${inPounds(snowball.total_interest_paid)} of interest`,
  );
  const plan = await client.createDebtPlan({
    body: { ...budget, strategy: 'avalanche', user_id: userId, name: 'Out of debt' },
  });
  const interest = plan.total_interest_paid;
  teller.answered(
    201,
    `avalanche: ${plan.total_months} months, ${inPounds(interest)}; debt-free on ${plan.debt_free_date}`,
  );
  must(interest < snowball.total_interest_paid, 'The avalanche should cost less interest than the snowball.');
  teller.found(`${inPounds(snowball.total_interest_paid - interest)} less interest, to the penny`);
}

export async function askWhatIsAffordable({ client, teller }: Stage, { userId }: Person): Promise<void> {
  teller.step('Ask before signing up', 'A gym costs £45.00 a month. Is it affordable, and why?');
  const answer = await client.simulateAffordability({
    body: { user_id: userId, proposed_amount: 4_500, frequency: 'MONTHLY', category: 'SUBSCRIPTIONS' },
  });
  const verdict = answer.affordable ? 'affordable' : 'not affordable';
  teller.answered(
    200,
    `${verdict}, score ${answer.score} out of 100; at most ${inPounds(answer.largest_affordable_amount)} a month`,
  );
  teller.answered(200, answer.recommendation);
}

export async function letAMonthPass(stage: Stage, { userId }: Person): Promise<void> {
  const { api, client, teller, config } = stage;
  teller.step(
    'Forecast the interest',
    'The SAVINGS vault earns interest every day (Actual/365). The interest is rounded once, when it is posted.',
  );
  const forecast = await client.forecastYield({
    body: { user_id: userId, horizon_months: 12, include_reinvestment: true },
  });
  teller.answered(
    200,
    `${inPounds(forecast.projected_yield)} in a year; ${forecast.effective_apy} % is the average of all vaults, ${inPounds(forecast.current_balance)} together`,
  );

  teller.step(
    'Let a month pass',
    'In the sandbox you can move business time forward. On the 1st of each month a workflow posts the interest of all vaults that earn any.',
  );
  const operator = api.clientFor({ apiKey: await issueKey(stage, 'admin:audit') });
  const clock = await operator.moveClock({ body: { advance: 'P1M' } });
  const today = londonDateOf(new Date(clock.now));
  const first = monthStartOf(today);
  teller.answered(200, `it is now ${today}; the run of ${first} starts within seconds`);
  const earned = await earnedSoon(stage, userId);
  teller.answered(
    200,
    `${inPounds(earned)} of interest is posted; the fraction of a penny is carried forward to ${addMonths(first, 1)}`,
  );
  teller.look('The run over all vaults', workflowPage(config, accrualWorkflowId(first)));
}

async function earnedSoon({ quiet, teller }: Stage, userId: string): Promise<number> {
  teller.asked(`GET /api/v1/engine/yield/aggregate/${userId}`);
  const earned = async () => {
    const { total_accrued } = await quiet.aggregateYield({ path: { user_id: userId } });
    return total_accrued > 0 ? total_accrued : undefined;
  };
  return soon(earned, 'The monthly run should have posted interest by now.');
}
