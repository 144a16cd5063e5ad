import type { Client, Output } from '../../../client/src/index.ts';
import { byId, h, line, onSubmit, p, refusal, svg } from './page.ts';
import { counted, day, pence, pounds } from './words.ts';

type Plan = Output<'getDebtPlan'>;

/** @returns a function that shows the latest plan */
export function debtCard(client: Client, changed: () => Promise<void>) {
  const show = (plan: Plan) => byId('plan').replaceChildren(...shown(plan));
  onSubmit('debt', async (form) => {
    const rate = Math.round(Number(form.get('rate')) * 100);
    const debt = { name: 'Credit card', balance: pence(form, 'balance'), rate, minimum: pence(form, 'minimum') };
    await client.createDebtPlan({ body: { debts: [debt], monthly_budget: pence(form, 'budget') } });
    await changed();
  });
  const latest = async () => {
    const [summary] = (await client.listDebtPlans({ query: { limit: 1 } })).items;
    if (summary !== undefined) show(await client.getDebtPlan({ path: { plan_id: summary.plan_id } }));
    else byId('plan').replaceChildren(p('No plan yet. A plan shows when your debt ends, and what it costs.', 'empty'));
  };
  return () => latest().catch((error: unknown) => byId('plan').replaceChildren(...refusal(error)));
}

function shown({ debts, payoff_schedule, total_months, total_interest_paid, debt_free_date }: Plan): Node[] {
  const months = counted(total_months, 'month');
  const owed = debts.reduce((sum, { balance }) => sum + balance, 0);
  const left = payoff_schedule.map(({ month, remaining }) => `${month},${100 - (remaining / owed) * 100}`);
  const picture = svg(
    'svg',
    { class: 'owed', viewBox: `0 0 ${total_months} 100`, preserveAspectRatio: 'none', role: 'img' },
    svg('title', {}, `What you owe falls from ${pounds(owed)} to nothing in ${months}.`),
    svg('polygon', { points: `0,100 0,0 ${left.join(' ')}` }),
  );
  return [
    h('p', { class: 'result' }, h('strong', {}, `Free on ${day(debt_free_date)}`)),
    p(`After ${months}, with ${pounds(total_interest_paid)} of interest.`),
    picture,
    line(`${pounds(owed)} today`, `£0 in ${months}`, 'why'),
  ];
}
