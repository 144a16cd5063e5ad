import type { Client } from '../../../client/src/index.ts';
import { byId, day, h, onSubmit, pence, pounds, refusal } from './page.ts';

/** Plans the way out of a debt, and shows the latest plan. */
export function debtCard(client: Client): void {
  const show = async (): Promise<void> => {
    const [plan] = (await client.listDebtPlans({ query: { limit: 1 } })).items;
    if (plan === undefined) return;
    // The service draws the picture itself.
    const chart = await client.getDebtPlan({ path: { plan_id: plan.plan_id } }, { accept: 'image/svg+xml' });
    const src = URL.createObjectURL(new Blob([chart], { type: 'image/svg+xml' }));
    const months = `${plan.total_months} ${plan.total_months === 1 ? 'month' : 'months'}`;
    byId('plan').replaceChildren(
      h('p', { class: 'result' }, h('strong', {}, `Free on ${day(plan.debt_free_date)}`)),
      h('p', {}, `After ${months} and ${pounds(plan.total_interest_paid)} of interest.`),
      h('img', { src, alt: `What is owed falls to nothing in ${months}.` }),
    );
  };
  onSubmit('debt', async (form) => {
    const rate = Math.round(Number(form.get('rate')) * 100);
    const debt = { name: 'Credit card', balance: pence(form, 'balance'), rate, minimum: pence(form, 'minimum') };
    await client.createDebtPlan({ body: { debts: [debt], monthly_budget: pence(form, 'budget') } });
    await show();
  });
  show().catch((error: unknown) => byId('plan').replaceChildren(...refusal(error)));
}
