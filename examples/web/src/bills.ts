import { WaitedTooLongError, type Client } from '../../../client/src/index.ts';
import type { Money } from './money.ts';
import { actionButton, byId, onSubmit, options, p, refusal, textOf } from './page.ts';
import { canRetry, timeline, type Payment } from './payment.ts';
import { pounds } from './words.ts';

const LONGEST_MS = 60_000;

/** Pays bills, and shows how one payment goes. */
export function billsCard(client: Client, changed: () => Promise<void>) {
  let money: Money | undefined;
  let followed = '';

  async function show(payment: Payment): Promise<void> {
    if (followed === payment.payment_id) {
      const again = () => actionButton('Try again', 'Trying again…', () => retry(payment.payment_id));
      const payee = money?.payees.get(payment.provider_id) ?? 'a payee';
      byId('timeline').replaceChildren(...timeline(payment, payee), ...(canRetry(payment) ? [again()] : []));
    }
    await changed();
  }
  /** Shows a payment until it ends, unless the person pays another bill. */
  async function follow(payment_id: string): Promise<void> {
    followed = payment_id;
    try {
      const payment = await client.getPayment({ path: { payment_id } });
      await show(payment);
      if (!['pending', 'processing'].includes(payment.status)) return;
      await show(await client.untilPaymentEnds(payment_id, { timeoutMs: LONGEST_MS }));
    } catch (error) {
      if (error instanceof WaitedTooLongError && error.last !== undefined) await show(error.last as Payment);
      if (followed === payment_id) byId('timeline').append(...refusal(error));
    }
  }
  async function retry(payment_id: string): Promise<void> {
    await client.retryPayment({ path: { payment_id } });
    void follow(payment_id);
    await changed();
    byId('timeline').querySelector('h3')?.focus();
  }

  onSubmit('pay', async (form) => {
    const bill = money?.bills.find(({ allocationId }) => allocationId === form.get('bill'));
    if (bill === undefined) return;
    const order = { vault_allocation_id: bill.allocationId, amount: bill.left, currency: 'GBP' };
    const { payment_id } = await client.executePayment({ body: { ...order, provider_id: textOf(form, 'payee') } });
    byId('payee-added').replaceChildren();
    void follow(payment_id);
  });
  onSubmit('add-payee', async (form) => {
    const name = textOf(form, 'name');
    const account = { sort_code: textOf(form, 'sort_code'), account_number: textOf(form, 'account_number') };
    const { provider_id } = await client.addProvider({ body: { name, category: 'OTHER', ...account } });
    await changed();
    (byId('payee') as HTMLSelectElement).value = provider_id;
    showSource();
    (byId('add-payee') as HTMLFormElement).reset();
    (byId('new-payee') as HTMLDetailsElement).open = false;
    byId('payee-added').replaceChildren(p(`${name} is added and chosen. Press Pay to pay.`, 'advice'));
    byId('payee').focus();
  });

  const showSource = () => showSourceOf(money);
  byId('payee').addEventListener('change', showSource);

  return {
    retry,
    showLast: () => {
      const last = money?.payments[0];
      if (last !== undefined) void follow(last.payment_id);
    },
    draw: (latest: Money) => {
      money = latest;
      drawBills(latest);
    },
  };
}

function drawBills(money: Money): void {
  const open = money.bills.filter(({ left }) => left > 0);
  byId('pay').hidden = open.length === 0;
  byId('no-bills').hidden = open.length > 0;
  byId('no-bills').textContent =
    money.bills.length === 0 ? 'Split a wage first. Then your bills are here.' : 'All your bills are paid.';
  options(
    'bill',
    open.map(({ allocationId, name, left }) => [allocationId, `${name}, ${pounds(left)}`] as const),
  );
  options('payee', [['', 'Choose a payee'], ...money.payees]);
  showSourceOf(money);
}

/** Says from which account the chosen payee is paid, and what is left of the month. */
function showSourceOf(money: Money | undefined): void {
  const payee = (byId('payee') as HTMLSelectElement).value;
  const pays = money?.connections.find(({ provider_id, status }) => provider_id === payee && status === 'authorised');
  const { per_payment = 0, per_month = 0 } = pays?.limits ?? {};
  const left = Math.min(per_payment, per_month - (pays?.used_this_month ?? 0));
  byId('pay-from').hidden = pays === undefined;
  byId('pay-from').textContent = `From your own bank. Your limits leave ${pounds(left)} for a payment now.`;
}
