import type { Client } from '../../../client/src/index.ts';
import type { Money } from './money.ts';
import { byId, h, onSubmit, svg, textOf } from './page.ts';
import { pence, pounds } from './words.ts';

/** In the chart, each part is one arc. The amount is in pence, and the colour is a custom property of the style. */
type Part = readonly [name: string, amount: number, colour: string];

const BILLS = ['Rent', 'Energy', 'Council tax'];
/** The ring's `pathLength`, and the gap between two arcs in the same unit. */
const [ROUND, GAP] = [500, 3];

/** @returns a function that draws where the money is, and opens the form if there is none */
export function wageCard(client: Client, userId: string, changed: () => Promise<void>) {
  const details = byId('another') as HTMLDetailsElement;
  onSubmit('split', async (form) => {
    const obligations = BILLS.map((type) => ({ type, amount: pence(form, type), category: 'FIXED' as const }));
    const owed = obligations.filter(({ amount }) => amount > 0);
    const wage_id = textOf(form, 'from_wage');
    const income = wage_id === '' ? { gross_pay: pence(form, 'wage') } : { wage_id };
    await client.calculatePaycheck({ body: { employee_id: userId, obligations: owed, ...income } });
    await changed();
    details.open = false;
  });
  details.open = true;
  return (money: Money): void => {
    const parts = partsOf(money).filter(([, amount]) => amount > 0);
    if (parts.length > 0 && byId('picture').childElementCount === 0) details.open = false;
    byId('picture').replaceChildren(...(parts.length > 0 ? [ring(parts, 'came in'), legend(parts)] : []));
    byId('summary').textContent = parts.length > 0 ? summaryOf(money) : 'Split your first wage to begin.';
  };
}

function partsOf({ balances: { vaults, buffer, safe_to_spend, in_flight }, payments }: Money): Part[] {
  const paid = payments.filter(({ status }) => status === 'completed');
  return [
    ...vaults.map(({ label, balance }, index): Part => [label ?? 'Vault', balance, `bill-${index % BILLS.length}`]),
    ['Safety buffer', buffer, 'buffer'],
    ['Safe to spend', safe_to_spend, 'spend'],
    ['On its way', in_flight, 'flight'],
    ['Paid', paid.reduce((sum, { amount }) => sum + amount, 0), 'edge'],
  ];
}

function summaryOf({ balances: { safe_to_spend, vaults } }: Money): string {
  const kept = vaults.reduce((sum, { balance }) => sum + balance, 0);
  return `You can spend ${pounds(safe_to_spend)}. ${pounds(kept)} is kept for bills.`;
}

const sumOf = (parts: readonly Part[]) => parts.reduce((sum, [, amount]) => sum + amount, 0);

export function ring(parts: readonly Part[], caption: string): SVGElement {
  const total = sumOf(parts);
  let start = 0;
  const arcs = parts.map(([, amount, colour]) => {
    const share = (amount / total) * ROUND;
    const dash = { 'stroke-dasharray': `${Math.max(1, share - GAP)} ${ROUND}`, 'stroke-dashoffset': String(-start) };
    start += share;
    const place = { cx: '100', cy: '100', r: '84', pathLength: String(ROUND) };
    return svg('circle', { ...place, ...dash, style: `stroke: var(--${colour})` });
  });
  const all = parts.map(([name, amount]) => `${name} ${pounds(amount)}`).join(', ');
  return svg(
    'svg',
    { class: 'ring', viewBox: '0 0 200 200', role: 'img', 'aria-label': `A ring of ${pounds(total)}: ${all}` },
    ...arcs,
    svg('text', { class: 'total', x: '100', y: '104' }, pounds(total)),
    svg('text', { x: '100', y: '122' }, caption),
  );
}

function legend(parts: readonly Part[]): HTMLElement {
  const row = (kind: string, name: (Node | string)[], amount: number) =>
    h('tr', { class: kind }, h('th', { scope: 'row' }, ...name), h('td', {}, pounds(amount)));
  const swatch = (colour: string) => h('span', { class: 'swatch', style: `background: var(--${colour})` });
  const rows = parts.map(([name, amount, colour]) => row('', [swatch(colour), name], amount));
  return h('table', { class: 'legend' }, h('tbody', {}, ...rows, row('sum', ['Together'], sumOf(parts))));
}
