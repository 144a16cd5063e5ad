import type { Client, Output } from '../../../client/src/index.ts';
import { byId, h, line, p, svg } from './page.ts';
import { day, pounds } from './words.ts';

type Outlook = Output<'readOutlook'>;
type Day = Outlook['days'][number];

const DAYS = 35;
const HEIGHT = 100;

/** @returns a function that draws what will be safe to spend */
export function outlookCard(client: Client, userId: string) {
  return async (): Promise<void> => {
    const outlook = await client.readOutlook({ path: { user_id: userId }, query: { days: DAYS } });
    const eventful = outlook.days.filter(({ in: added, out, bills }) => added + out + bills.length > 0);
    const none = p('No wage and no bill is expected. Say above what happens with each wage.', 'empty');
    const picture = h('div', {}, verdictOf(outlook), chart(outlook), line(day(outlook.from), day(outlook.to), 'why'));
    byId('outlook').replaceChildren(...(eventful.length === 0 ? [none] : [picture, table(eventful)]));
  };
}

function verdictOf({ short_on, lowest }: Outlook): HTMLElement {
  if (short_on !== null) return p(`On ${day(short_on)} you are short. Put less aside, or move a bill.`, 'alert');
  return p(
    `You always have ${pounds(lowest.amount)} or more to spend. The lowest day is ${day(lowest.date)}.`,
    'advice',
  );
}

/** Each day is a step. What is below nothing hangs from the line. */
function chart({ days, lowest }: Outlook): SVGElement {
  const most = Math.max(1, ...days.map(({ balance }) => balance));
  const least = Math.min(0, lowest.amount);
  const at = (amount: number) => ((most - amount) / (most - least)) * HEIGHT;
  const steps = days.flatMap(({ balance }, place) => [`${place},${at(balance)}`, `${place + 1},${at(balance)}`]);
  const about = `Safe to spend from ${day(days[0]!.date)} to ${day(days.at(-1)!.date)}: at least ${pounds(lowest.amount)}, at most ${pounds(most)}.`;
  return svg(
    'svg',
    { class: 'owed', viewBox: `0 0 ${days.length} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img' },
    svg('title', {}, about),
    svg('polygon', { points: `0,${at(0)} ${steps.join(' ')} ${days.length},${at(0)}` }),
  );
}

function table(days: readonly Day[]): HTMLElement {
  const heads = ['Day', 'What happens', 'To spend'].map((name, place) =>
    h('th', { scope: 'col', ...(place === 2 && { class: 'amount' }) }, name),
  );
  const rows = days.map((one) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, day(one.date)),
      h('td', {}, happens(one)),
      h('td', { class: 'amount' }, pounds(one.balance)),
    ),
  );
  return h('table', { class: 'ahead' }, h('thead', {}, h('tr', {}, ...heads)), h('tbody', {}, ...rows));
}

function happens({ in: added, out, bills }: Day): string {
  const wage = added > 0 ? [`A wage leaves ${pounds(added)}`] : [];
  const paid = bills.map(({ type, amount }) => `${type} ${pounds(amount)}`);
  return [...wage, ...paid, ...(out > 0 ? [`${pounds(out)} of it is not set aside`] : [])].join(', ');
}
