import { itemsOf, type Client, type Output } from '../../../client/src/index.ts';
import { byId, h, onSubmit, pence, pounds, svg } from './page.ts';

export type Balances = Output<'listVaults'>;

/** In the chart, each part is one arc. The amount is in pence. */
interface Part {
  name: string;
  amount: number;
  kind: 'bill' | 'buffer' | 'spend' | 'flight' | 'paid';
}

const BILLS = ['Rent', 'Energy', 'Council tax'];
/** The ring's `pathLength`, and the gap between two arcs in the same unit. */
const [ROUND, GAP] = [500, 3];

/** @returns a function that draws the balances, and hides the form if there is anything to draw */
export function wageCard(client: Client, userId: string, changed: () => Promise<void>) {
  onSubmit('split', async (form) => {
    const obligations = BILLS.map((type) => ({ type, amount: pence(form, type), category: 'FIXED' as const }));
    await client.calculatePaycheck({ body: { employee_id: userId, gross_pay: pence(form, 'wage'), obligations } });
    await changed();
  });
  return async (balances: Balances): Promise<void> => {
    const parts = [...partsOf(balances), { name: 'Paid', amount: await paidBy(client), kind: 'paid' } as const];
    const held = parts.filter(({ amount }) => amount > 0);
    byId('split').hidden = held.length > 0;
    byId('picture').replaceChildren(...(held.length > 0 ? [ring(held), legend(held)] : []));
  };
}

function partsOf({ vaults, buffer, safe_to_spend, in_flight }: Balances): Part[] {
  return [
    ...vaults.map(({ label, balance }): Part => ({ name: label ?? 'Vault', amount: balance, kind: 'bill' })),
    { name: 'Safety buffer', amount: buffer, kind: 'buffer' },
    { name: 'Safe to spend', amount: safe_to_spend, kind: 'spend' },
    { name: 'On its way', amount: in_flight, kind: 'flight' },
  ];
}

/** In pence. */
async function paidBy(client: Client): Promise<number> {
  let paid = 0;
  for await (const { status, amount } of itemsOf((cursor) => client.listPayments({ query: { cursor } })))
    if (status === 'completed') paid += amount;
  return paid;
}

const sumOf = (parts: readonly Part[]) => parts.reduce((sum, { amount }) => sum + amount, 0);

function ring(parts: readonly Part[]): SVGElement {
  const total = sumOf(parts);
  let start = 0;
  const arcs = parts.map(({ amount, kind }) => {
    const share = (amount / total) * ROUND;
    const dash = { 'stroke-dasharray': `${Math.max(1, share - GAP)} ${ROUND}`, 'stroke-dashoffset': String(-start) };
    start += share;
    return svg('circle', { class: kind, cx: '100', cy: '100', r: '80', pathLength: String(ROUND), ...dash });
  });
  const all = parts.map(({ name, amount }) => `${name} ${pounds(amount)}`).join(', ');
  return svg(
    'svg',
    { class: 'ring', viewBox: '0 0 200 200', role: 'img', 'aria-label': `A ring of ${pounds(total)}: ${all}` },
    ...arcs,
    svg('text', { class: 'total', x: '100', y: '102' }, pounds(total)),
    svg('text', { x: '100', y: '122' }, 'came in'),
  );
}

function legend(parts: readonly Part[]): HTMLElement {
  const rows = parts.map(({ name, amount, kind }) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, h('span', { class: kind, 'aria-hidden': 'true' }, '■ '), name),
      h('td', {}, pounds(amount)),
    ),
  );
  const total = h('tr', { class: 'sum' }, h('th', { scope: 'row' }, 'Together'), h('td', {}, pounds(sumOf(parts))));
  return h('table', { class: 'legend' }, h('tbody', {}, ...rows, total));
}
