import { isProblem, type Client } from '../../../client/src/index.ts';
import type { Money, Wage } from './money.ts';
import { actionButton, byId, h, line, options, p } from './page.ts';
import { SERVICE } from './sign-in.ts';
import { day, pounds } from './words.ts';

/** What each status is called, and what it means. */
const STATUS: Readonly<Record<Wage['status'], readonly [name: string, meaning: string]>> = {
  suggested: ['Is it a wage?', 'It looks like one. Nothing happens until you say so.'],
  confirmed: ['Wage', ''],
  reversed: ['Taken back', 'The money went back to its payer.'],
};

/** A button by which the person says that a credit is a wage. For a new payer, only the service's own page will do. */
export function nameWage(client: Client, transaction_id: string, changed: () => Promise<void>): HTMLElement {
  const place = h('div', { role: 'status' });
  const confirm = async () => {
    try {
      await client.confirmWage({ body: { transaction_id } });
    } catch (error) {
      if (!isProblem(error, 'own-sign-in-required')) throw error;
      const { confirm_url } = error.problem as { confirm_url?: string };
      if (confirm_url === undefined) throw error;
      const href = new URL(confirm_url, SERVICE).href;
      const why =
        'Only you can name a new payer or an unusual amount. Do it at the service, then load this page again.';
      place.replaceChildren(p(why, 'advice'), h('a', { class: 'button quiet small', href }, 'Confirm it there'));
      return;
    }
    await changed();
  };
  return h('div', {}, actionButton('It is my wage', 'Confirming…', confirm), place);
}

/** @returns a function that lists the wages, and offers those that are not split yet */
export function wagesList(client: Client, changed: () => Promise<void>) {
  const chosen = byId('from-wage') as HTMLSelectElement;
  const amount = document.querySelector<HTMLInputElement>('[name=wage]')!;
  let open: readonly Wage[] = [];
  const showAmount = () => {
    const wage = open.find(({ wage_id }) => wage_id === chosen.value);
    amount.readOnly = wage !== undefined;
    if (wage !== undefined) amount.value = (wage.amount / 100).toFixed(2);
  };
  chosen.addEventListener('change', showAmount);

  return ({ wages }: Pick<Money, 'wages'>): void => {
    open = wages.filter(({ status, calculation_id }) => status === 'confirmed' && calculation_id === null);
    byId('which-wage').hidden = open.length === 0;
    options('from-wage', [['', 'The amount below'], ...open.map((wage) => [wage.wage_id, nameOf(wage)] as const)]);
    showAmount();
    byId('wages').hidden = wages.length === 0;
    const rows = wages.map((wage) => rowOf(client, wage, changed));
    byId('wages').replaceChildren(h('h3', {}, 'Wages at your bank'), h('ul', { class: 'rows' }, ...rows));
  };
}

const nameOf = ({ payer, amount, received_on }: Wage) =>
  `${pounds(amount)} of ${day(received_on)}${payer === null ? '' : `, ${payer}`}`;

function rowOf(client: Client, wage: Wage, changed: () => Promise<void>): HTMLElement {
  const { payer, amount, received_on, status, transaction_id, calculation_id } = wage;
  const [name, meaning] = STATUS[status];
  const words = status === 'confirmed' ? (calculation_id === null ? 'Not split yet.' : 'Split.') : meaning;
  return h(
    'li',
    {},
    line(payer ?? 'Payer not named', pounds(amount)),
    line(`${day(received_on)}. ${words}`, h('span', { class: 'status' }, name), 'why'),
    ...(status === 'suggested' ? [nameWage(client, transaction_id, changed)] : []),
  );
}
