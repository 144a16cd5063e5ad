import { ownerFor, type Principal } from '../../domain/auth.ts';
import type { CalendarDate } from '../../domain/dates.ts';
import * as queries from '../../infra/db/queries/bank-lists.ts';
import type { Position } from '../../infra/db/queries/bank-lists.ts';
import type { Row } from '../../infra/db/tables.ts';
import type { Services } from '../../infra/services.ts';
import type { BankTransaction } from '../../openapi/types.ts';
import { pagesOf, type Page } from '../page.ts';
import { openTexts, type TransactionTexts } from './accounts.ts';

interface ListRequest {
  principal: Principal;
  user_id?: string;
  account_id?: string;
  from?: CalendarDate;
  to?: CalendarDate;
  limit: number;
  cursor?: string;
}

type Listed = Pick<
  Row<'bank_transactions'>,
  'transaction_id' | 'seq' | 'account_id' | 'amount' | 'booked_on' | 'texts_sealed'
> &
  Pick<Row<'bank_accounts'>, 'key_sealed'> & { wage_id: string | null; payment_id: string | null };

/** The latest booked first. A row that arrives while somebody turns pages moves no other row to a different page. */
export async function listTransactions(
  services: Pick<Services, 'db' | 'keys'>,
  request: ListRequest,
): Promise<Page<BankTransaction>> {
  const { principal, user_id, account_id: account, from, to, limit, cursor } = request;
  const owner = ownerFor(principal, user_id, '/query/user_id');
  const pages = pagesOf(services, { operation: 'listTransactions', filter: { owner, account, from, to } });
  const before = positionIn(await pages.positionAfter(cursor));
  const wanted = { owner, account, from, to, before, most: limit + 1 };
  const { items, next_cursor } = await pages.page(
    await services.db.many(queries.transactionsOf(wanted)),
    limit,
    (row) => row,
    ({ booked_on, seq }) => `${booked_on} ${seq}`,
  );
  const texts = await textsOf(services, items);
  return { items: items.map((row) => transactionView(row, texts.get(row.transaction_id)!)), next_cursor };
}

function positionIn(position: string | undefined): Position | undefined {
  const [booked_on, seq] = position?.split(' ') ?? [];
  return booked_on === undefined ? undefined : { booked_on, seq: Number(seq) };
}

/** By transaction. Opens each account's secret once. */
async function textsOf(
  services: Pick<Services, 'keys'>,
  rows: readonly Listed[],
): Promise<Map<string, TransactionTexts>> {
  const accounts = Map.groupBy(rows, ({ account_id }) => account_id);
  const opened = [...accounts.values()].map(async (ofAccount) => {
    const texts = await openTexts(services, ofAccount[0]!, ofAccount);
    return ofAccount.map(({ transaction_id }, index) => [transaction_id, texts[index]!] as const);
  });
  return new Map((await Promise.all(opened)).flat());
}

/** A payment's debit, or the credit by which it came back, is matched with it. A suggested wage is no match yet. */
function transactionView(
  { transaction_id, account_id, amount, booked_on, wage_id, payment_id }: Listed,
  { counterparty, reference }: TransactionTexts,
): BankTransaction {
  const matched = matchOf(payment_id, wage_id);
  return { transaction_id, account_id, amount, booked_on, counterparty, reference, matched };
}

function matchOf(paymentId: string | null, wageId: string | null): BankTransaction['matched'] {
  if (paymentId !== null) return { kind: 'payment', id: paymentId };
  return wageId === null ? null : { kind: 'wage', id: wageId };
}
