import { isProblem, type Client, type Input, type Output } from '../../../client/src/index.ts';
import type { Money } from './money.ts';
import { actionButton, byId, h, line, onSubmit, options, p, textOf } from './page.ts';
import { STATUS } from './payment.ts';
import { day, LEFT_OUT, pence, pounds, time } from './words.ts';

type Split = Output<'readStandingSplit'>;
type Order = Input<'setStandingSplit'>['body'];
type Entry = Order['obligations'][number];
type Payday = Output<'listPaydays'>['items'][number];

const LAST_DAY = 31;
const ON_ARRIVAL = 'on_arrival';

/** Says what happens with each wage, and what did. @returns a function that draws both */
export function paydayCard(client: Client, userId: string, changed: () => Promise<void>) {
  const path = { user_id: userId };
  let split: Split | undefined;
  let etag = '';

  async function read(): Promise<void> {
    const onResponse = ({ headers }: Response) => (etag = headers.get('etag') ?? '');
    split = await client.readStandingSplit({ path }, { onResponse }).catch((error: unknown) => {
      if (isProblem(error, 'not-found')) return undefined;
      throw error;
    });
  }
  /** Another page or program may have changed the split since it was read. */
  async function put(change: (now: Order) => Order): Promise<void> {
    const now = split === undefined ? { obligations: [] } : orderOf(split);
    await client.setStandingSplit({ path, body: change(now) }, split === undefined ? {} : { ifMatch: etag });
    await changed();
  }
  readForm(async (entry) => put((now) => ({ ...now, obligations: [...now.obligations, entry] })));

  const pause = (paused: boolean) =>
    actionButton(paused ? 'Pause all' : 'Go on', 'Saving…', () => put((now) => ({ ...now, paused })));
  const drop = (id: string) => () =>
    put((now) => ({ ...now, obligations: now.obligations.filter(({ entry_id }) => entry_id !== id) }));

  return async (money: Money): Promise<void> => {
    const [, paydays] = await Promise.all([read(), client.listPaydays({ query: { limit: 5 } })]);
    options('entry-payee', [['', 'Nobody, keep it'], ...money.payees]);
    byId('entry-payee').dispatchEvent(new Event('change'));
    const entries = (split?.obligations ?? []).map((entry) =>
      h(
        'li',
        {},
        line(entry.type, pounds(entry.amount)),
        p(meaningOf(entry, money), 'why'),
        actionButton(`Drop ${entry.type}`, 'Dropping…', drop(entry.entry_id)),
      ),
    );
    const isPaused = split?.paused === true;
    byId('entries').replaceChildren(
      ...(isPaused ? [p('Paused. Wages are not split, and nothing is paid.', 'alert')] : []),
      ...(entries.length === 0
        ? [p('Nothing yet. Say once what each wage pays. Then it happens by itself.', 'empty')]
        : [h('ul', { class: 'rows' }, ...entries), pause(!isPaused)]),
    );
    byId('payday').replaceChildren(...paydays.items.flatMap((one, place) => shown(one, money, place)));
    if (paydays.items.length === 0)
      byId('payday').replaceChildren(p('When a wage arrives at your bank, it says here what was paid.', 'empty'));
  };
}

/** An entry with a payee is a bill. Anything else is kept. */
function readForm(add: (entry: Entry) => Promise<void>): void {
  const form = byId('entry') as HTMLFormElement;
  const field = (name: string) => form.querySelector<HTMLInputElement>(`[name=${name}]`)!;
  const days = Array.from({ length: LAST_DAY }, (_, place) => String(place + 1));
  options('pay-on', [[ON_ARRIVAL, 'When the wage arrives'], ...days.map((one) => [one, `On day ${one}`] as const)]);
  const showPaying = () => {
    const paying = byId('paying') as HTMLFieldSetElement;
    paying.hidden = paying.disabled = (byId('entry-payee') as HTMLSelectElement).value === '';
  };
  byId('entry-payee').addEventListener('change', showPaying);
  field('aside').addEventListener('input', () => (field('pay_amount').value = field('aside').value));
  onSubmit('entry', async (given) => {
    const provider_id = textOf(given, 'entry_payee');
    const entry = { type: textOf(given, 'type'), amount: pence(given, 'aside') };
    if (provider_id === '') await add({ ...entry, category: 'SAVINGS' });
    else {
      const on = textOf(given, 'pay_on');
      const pay_on = on === ON_ARRIVAL ? ON_ARRIVAL : Number(on);
      await add({ ...entry, category: 'FIXED', provider_id, pay_on, pay_amount: pence(given, 'pay_amount') });
    }
    form.reset();
    showPaying();
  });
}

/** What a request sends back of a split, so that its entries stay. */
function orderOf({ obligations, buffer_rate, paused }: Split): Order {
  const entries = obligations.map(({ set_by: _by, pays_from: _from, ...entry }) => entry);
  return { obligations: entries, paused, ...(buffer_rate !== undefined && { buffer_rate }) };
}

function meaningOf(
  { amount, provider_id, pay_on, pay_amount = amount, pays_from }: Split['obligations'][number],
  { payees }: Money,
) {
  if (provider_id === undefined) return 'Kept for you.';
  const when = pay_on === ON_ARRIVAL ? 'when a wage arrives' : `on day ${pay_on ?? ''} of each month`;
  const from = pays_from === undefined ? '' : ` It begins on ${day(pays_from)}.`;
  return `Pays ${pounds(pay_amount)} to ${payees.get(provider_id) ?? 'a payee'} ${when}.${from}`;
}

/** The newest payday is in sight, the others in parts that the person opens. */
function shown(payday: Payday, money: Money, place: number): Node[] {
  const { wage_id, started_at, ended_at } = payday;
  const wage = money.wages.find((one) => one.wage_id === wage_id);
  const title = `${wage === undefined ? 'A wage' : pounds(wage.amount)} on ${day(wage?.received_on ?? started_at)}`;
  const rows = [...paidRows(payday, money), ...payday.left_out.map(leftOutRow)];
  const parts = [
    ...(payday.attention ? [p(attentionOf(payday), 'alert')] : []),
    ...(ended_at === null ? [p('It is in progress.', 'why')] : []),
    ...(rows.length === 0 ? [] : [h('ul', { class: 'rows' }, ...rows)]),
  ];
  if (place === 0) return [h('h3', {}, title), ...parts];
  return [
    h('details', {}, h('summary', {}, title), ...(parts.length === 0 ? [p('No bill was paid.', 'empty')] : parts)),
  ];
}

function paidRows({ payments }: Payday, money: Money): HTMLElement[] {
  const made = money.payments.filter(({ payment_id }) => payments.includes(payment_id));
  return made.map(({ provider_id, amount, status, execute_on, initiated_at }) => {
    const waits = status === 'pending' && execute_on !== null;
    const [name] = waits ? [`On ${day(execute_on)}`] : STATUS[status];
    const at = h('time', { datetime: initiated_at }, `${day(initiated_at)}, ${time(initiated_at)}`);
    return h(
      'li',
      {},
      line(money.payees.get(provider_id) ?? 'A payee', pounds(amount)),
      h('p', { class: `line ${status}` }, at, h('span', { class: 'status' }, name)),
    );
  });
}

function leftOutRow({ type, amount, reason }: Payday['left_out'][number]): HTMLElement {
  const why = LEFT_OUT[reason] ?? 'The service could not pay it.';
  return h(
    'li',
    {},
    line(type, pounds(amount)),
    h('p', { class: 'line failed' }, h('span', { class: 'why' }, why), h('span', { class: 'status' }, 'Left out')),
  );
}

function attentionOf({ attention_reason }: Payday): string {
  if (attention_reason === 'wage-reversed')
    return 'The wage went back to its payer. What was set aside and paid stays.';
  return 'The wage was not split, because it does not agree with a paycheck of that day. Split it by hand.';
}
