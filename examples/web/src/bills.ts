import type { Client, Output } from '../../../client/src/index.ts';
import { byId, h, onSubmit, pounds, refusal, time } from './page.ts';
import type { Balances } from './wage.ts';

type Payment = Output<'getPayment'>;
interface Bill {
  allocationId: string;
  name: string;
  amount: number;
}

/** @returns a function that refreshes the list of bills */
export function billsCard(client: Client, changed: () => Promise<void>) {
  let bills: readonly Bill[] = [];
  const names = new Map<string, string>();
  let followed = '';

  /** Shows a payment until it ends, or until the person pays another bill. */
  async function follow(paymentId: string): Promise<void> {
    followed = paymentId;
    const show = async (payment: Payment) => {
      if (followed !== paymentId) return;
      byId('timeline').replaceChildren(...timeline(payment, names.get(payment.provider_id)));
      await changed();
    };
    const payment = await client.getPayment({ path: { payment_id: paymentId } });
    await show(payment);
    if (['pending', 'processing'].includes(payment.status)) await show(await client.untilPaymentEnds(paymentId));
  }
  const showRefusal = (error: unknown) => byId('timeline').append(...refusal(error));

  onSubmit('pay', async (form) => {
    const bill = bills.find(({ allocationId }) => allocationId === form.get('bill'));
    if (bill === undefined) return;
    const { payment_id } = await client.executePayment({
      body: {
        vault_allocation_id: bill.allocationId,
        amount: bill.amount,
        currency: 'GBP',
        provider_id: form.get('payee') as string,
      },
    });
    follow(payment_id).catch((error: unknown) => followed === payment_id && showRefusal(error));
  });

  const latest = async () => {
    const payees = (await client.listProviders()).items;
    for (const { provider_id, name } of payees) names.set(provider_id, name);
    options('payee', [['', 'Choose a payee'], ...payees.map(({ provider_id, name }) => [provider_id, name] as const)]);
    const [last] = (await client.listPayments({ query: { limit: 1 } })).items;
    if (last !== undefined) await follow(last.payment_id);
  };
  latest().catch(showRefusal);

  return async ({ vaults }: Balances): Promise<void> => {
    const [paycheck] = (await client.listPaychecks({ query: { limit: 1 } })).items;
    bills = (paycheck?.vaults ?? []).flatMap(({ type, vault_id, allocation_id }) => {
      const amount = vaults.find((vault) => vault.vault_id === vault_id)?.balance ?? 0;
      return amount > 0 ? [{ allocationId: allocation_id, name: type, amount }] : [];
    });
    byId('pay').hidden = bills.length === 0;
    byId('no-bills').hidden = bills.length > 0;
    options(
      'bill',
      bills.map(({ allocationId, name, amount }) => [allocationId, `${name}, ${pounds(amount)}`]),
    );
  };
}

/** Keeps the selected option if the new list has it. */
function options(id: 'bill' | 'payee', pairs: readonly (readonly [value: string, text: string])[]): void {
  const select = byId(id) as HTMLSelectElement;
  const chosen = select.value;
  select.replaceChildren(...pairs.map(([value, text]) => h('option', { value }, text)));
  if (pairs.some(([value]) => value === chosen)) select.value = chosen;
}

function timeline(payment: Payment, payee = 'a payee'): Node[] {
  const steps = payment.timeline.map(({ status, at, detail }) =>
    h('li', { class: status }, h('strong', {}, status), ' ', h('time', { datetime: at }, time(at)), h('p', {}, detail)),
  );
  if (payment.failure !== null) steps.at(-1)?.append(h('p', {}, payment.failure.detail));
  return [h('h3', {}, `${pounds(payment.amount)} to ${payee}`), h('ol', { class: 'timeline' }, ...steps)];
}
