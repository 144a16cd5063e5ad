import { isProblem, WaitedTooLongError, type Client, type Output } from '../../../client/src/index.ts';
import { actionButton, facts, h, line, p } from './page.ts';
import { nameWage } from './wages.ts';
import { day, inMoney, pounds, time } from './words.ts';

type Connection = Output<'getConnection'>;
type Account = NonNullable<Connection['accounts']>[number];
type Transaction = Output<'listTransactions'>['items'][number];

const [IN_SIGHT, WAIT_S, LOOKS] = [5, 20, 6];
/** After the reading, the service looks for wages, splits them, and looks for the payments. */
const LATER_MS = 4_000;
const MATCHED = { wage: 'A wage.', payment: 'Paid by the service.' } as const;

/** The figures of a connection, its latest transactions, and a button that reads them again. */
export function accountsOf(client: Client, connection: Connection, changed: () => Promise<void>): HTMLElement[] {
  const { accounts = [], last_sync, status } = connection;
  const rows = accounts.map((account) => {
    const { name, currency, balance, account_number_masked } = account;
    const figure = balance === null ? 'not known' : inMoney(balance, currency);
    return h(
      'li',
      {},
      line(name, figure),
      ...(account_number_masked === null ? [] : [p(`Account ${account_number_masked}`, 'why')]),
      ...(hasTransactions(account) ? [transactionsOf(client, account, changed)] : []),
    );
  });
  return [
    ...(rows.length === 0 ? [] : [h('ul', { class: 'rows' }, ...rows)]),
    ...(last_sync ? [p(saysOf(last_sync), 'why')] : []),
    ...(status === 'authorised'
      ? [actionButton('Read now', 'Reading…', () => readNow(client, connection, changed))]
      : []),
  ];
}

const hasTransactions = ({ kind, currency }: Account) => currency === 'GBP' && ['current', 'savings'].includes(kind);

function saysOf({ outcome, finished_at }: NonNullable<Connection['last_sync']>): string {
  const when = `${day(finished_at)}, ${time(finished_at)}`;
  if (outcome === 'complete') return `Read on ${when}.`;
  return `Not everything could be read on ${when}. The service tries again by itself.`;
}

/** Fetches the transactions when the person opens this part. */
function transactionsOf(client: Client, { account_id }: Account, changed: () => Promise<void>): HTMLElement {
  const list = h('ul', { class: 'rows' });
  const more = h('div', {});
  async function show(cursor?: string): Promise<void> {
    const page = { limit: IN_SIGHT, ...(cursor !== undefined && { cursor }) };
    const { items, next_cursor } = await client.listTransactions({ query: { account_id, ...page } });
    list.append(...items.map((item) => transactionRow(client, item, changed)));
    if (list.childElementCount === 0) more.replaceChildren(p('No transactions yet.', 'empty'));
    else
      more.replaceChildren(
        ...(next_cursor === null ? [] : [actionButton('Show older', 'Loading…', () => show(next_cursor))]),
      );
  }
  const part = h('details', {}, h('summary', {}, 'Transactions'), list, more);
  part.addEventListener('toggle', () => void show().catch(() => part.removeAttribute('open')), { once: true });
  return part;
}

function transactionRow(client: Client, item: Transaction, changed: () => Promise<void>): HTMLElement {
  const { amount, booked_on, counterparty, reference, matched, transaction_id } = item;
  const about = [day(booked_on), ...(reference === null ? [] : [reference])].join(', ');
  return h(
    'li',
    {},
    line(counterparty ?? reference ?? 'Not named', pounds(amount)),
    p(matched === null ? about : `${about}. ${MATCHED[matched.kind]}`, 'why'),
    ...(amount > 0 && matched === null ? [nameWage(client, transaction_id, changed)] : []),
  );
}

async function readNow(client: Client, { connection_id, last_sync }: Connection, changed: () => Promise<void>) {
  const path = { path: { connection_id } };
  await client.syncConnection(path);
  for (let look = 0; look < LOOKS; look += 1) {
    const now = await client.getConnection(path, { wait: WAIT_S });
    if (now.last_sync?.finished_at === last_sync?.finished_at) continue;
    await changed();
    setTimeout(() => void changed().catch(() => undefined), LATER_MS);
    return;
  }
  throw new WaitedTooLongError(connection_id, 'processing');
}

/** Whether the bank holds the ring-fenced money. Nothing if no bank shows its accounts. */
export async function backingOf(client: Client, userId: string): Promise<HTMLElement[]> {
  const backing = await client.getBacking({ path: { user_id: userId } }).catch((error: unknown) => {
    if (isProblem(error, 'bank-not-connected')) return undefined;
    throw error;
  });
  if (backing === undefined || backing.as_of === null) return [];
  const { ring_fenced, in_flight, bank_balance, shortfall, covered } = backing;
  const held = 'Yes. Your bank accounts hold all that is set aside.';
  const missing = `No. ${pounds(shortfall)} is missing in your bank accounts.`;
  const isAny = ring_fenced + in_flight > 0;
  return [
    h('h3', {}, 'Is the ring-fenced money there?'),
    ...(isAny ? [h('p', { class: covered ? 'advice' : 'alert' }, covered ? held : missing)] : []),
    facts([
      ['Set aside', pounds(ring_fenced)],
      ['On its way', pounds(in_flight)],
      ['At the bank', pounds(bank_balance)],
    ]),
  ];
}
