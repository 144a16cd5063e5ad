import type { Client } from '../../../client/src/index.ts';
import type { Money } from './money.ts';
import { actionButton, byId, h, line, p } from './page.ts';
import { canRetry, reasonOf, STATUS } from './payment.ts';
import { day, pounds, time } from './words.ts';

/** The newest entries are always in sight, the others in a part that the person opens. */
const [IN_SIGHT, MOST] = [5, 50];

/** What each kind of movement did. Later versions of the service might add kinds. */
const KIND: Readonly<Record<string, string>> = {
  ...{
    allocation: 'Put aside for',
    withdrawal: 'Taken out of',
    transfer_in: 'Moved into',
    transfer_out: 'Moved out of',
  },
  ...{ payment: 'Paid from', payment_returned: 'Back in', interest: 'Interest on' },
};

/** @returns a function that draws the payments, and the money that moved into and out of vaults */
export function historyCard(client: Client, userId: string, retry: (paymentId: string) => Promise<void>) {
  async function paymentRow(payment: Money['payments'][number], { bills, payees }: Money): Promise<HTMLElement> {
    const { payment_id, status, amount, initiated_at: at } = payment;
    const [name] = STATUS[status];
    const row = h(
      'li',
      {},
      line(payees.get(payment.provider_id) ?? 'A payee', pounds(amount)),
      h('p', { class: `line ${status}` }, when(at), h('span', { class: 'status' }, name)),
    );
    if (status !== 'failed') return row;
    // Only the details of a payment say why it failed.
    const details = await client.getPayment({ path: { payment_id } });
    const left = bills.find(({ allocationId }) => allocationId === payment.vault_allocation_id)?.left ?? 0;
    row.append(p(reasonOf(details), 'why'));
    if (canRetry(details) && left >= amount)
      row.append(actionButton('Try again', 'Trying again…', () => retry(payment_id)));
    return row;
  }

  return async (money: Money): Promise<void> => {
    const [payments, moves] = await Promise.all([
      Promise.all(money.payments.slice(0, MOST).map((payment) => paymentRow(payment, money))),
      client.listAllocationHistory({ path: { user_id: userId }, query: { limit: MOST } }),
    ]);
    fill('payments', payments, 'No payments yet. When you pay a bill, it is here.');
    const rows = moves.items.map(({ kind, label, amount, created_at }) => {
      const moved = `${KIND[kind] ?? 'Changed in'} ${label ?? 'a vault'}`;
      return h('li', {}, line(moved, `${amount > 0 ? '+' : '−'}${pounds(Math.abs(amount))}`), when(created_at));
    });
    fill('movements', rows, 'Nothing has moved yet. When you split a wage, it is here.');
  };
}

const when = (at: string): HTMLElement => h('time', { datetime: at }, `${day(at)}, ${time(at)}`);

function fill(id: string, rows: Node[], none: string): void {
  const list = (some: Node[]) => h('ul', { class: 'rows' }, ...some);
  const [inSight, older] = [rows.slice(0, IN_SIGHT), rows.slice(IN_SIGHT)];
  const rest = older.length === 0 ? [] : [h('details', {}, h('summary', {}, `${older.length} older`), list(older))];
  byId(id).replaceChildren(...(rows.length === 0 ? [p(none, 'empty')] : [list(inSight), ...rest]));
}
