import type * as z from 'zod';
import { isCalendarDate, londonDateOf, type CalendarDate } from '../../../domain/dates.ts';
import type { BankRow, BankRows, ConsentAccess, RowsWanted } from '../interface.ts';
import { pathOf, type Account } from './accounts.ts';
import type { Data } from './data.ts';
import { numeral, parts, text } from './fields.ts';
import { minorUnits } from './json.ts';

const ROW = parts({
  timestamp: text,
  amount: numeral,
  currency: text,
  transaction_type: text,
  normalised_provider_transaction_id: text,
  merchant_name: text,
  description: text,
  meta: parts({ counter_party_preferred_name: text, provider_reference: text }),
});

type Row = z.output<typeof ROW>;

/** The API has no pages. Its pending transactions are apart. @throws BankError */
export async function readTransactions(
  data: Data,
  access: ConsentAccess,
  { account, from, to }: RowsWanted,
): Promise<BankRows> {
  const query = new URLSearchParams({ from, to: notTomorrow(to) });
  const { results } = await data.ask(access, `${pathOf(account)}/transactions?${query.toString()}`, { list: false });
  const read = results.map((row) => rowIn(ROW.parse(row), account));
  const usable = read.filter((row) => row !== 'refused');
  return {
    items: usable.filter(({ bookedOn }) => bookedOn >= from && bookedOn <= to),
    refused: read.length - usable.length,
    cursor: null,
    complete: true,
  };
}

/** The provider counts days in UTC, and refuses a range that ends tomorrow. In summer, London's day begins earlier. */
function notTomorrow(to: CalendarDate): CalendarDate {
  const now = new Date();
  return to === londonDateOf(now) ? now.toISOString().slice(0, 10) : to;
}

function rowIn(row: Row, account: Account): BankRow | 'refused' {
  const bookedOn = dayOf(row.timestamp);
  const amount = amountOf(row, account);
  if (bookedOn === null || amount === null) return 'refused';
  const { merchant_name, description, meta } = row;
  const named = meta.counter_party_preferred_name;
  return {
    stableId: row.normalised_provider_transaction_id,
    amount,
    bookedOn,
    counterparty: merchant_name ?? named ?? description,
    payer: amount > 0 ? named : null,
    debtorAccount: null,
    reference: meta.provider_reference ?? description,
  };
}

/** The type has the sign. Banks disagree about the amount's, but a negative credit of an account contradicts itself. */
function amountOf({ amount, currency, transaction_type: type }: Row, account: Account): number | null {
  const units = currency === account.currency ? minorUnits(amount, currency) : null;
  if (units === null) return null;
  if (type === 'DEBIT') return 0 - Math.abs(units);
  if (type !== 'CREDIT') return null;
  // On a card, what the person owes is positive, so a credit is negative.
  return units < 0 && account.kind !== 'card' ? null : Math.abs(units);
}

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** A time without a zone is in UTC, as the API says. A date without a time is the day. */
function dayOf(timestamp: string | null): CalendarDate | null {
  const found = TIMESTAMP.exec(timestamp ?? '');
  if (found === null || !isCalendarDate(found[1]!)) return null;
  const at = new Date(found[2] === undefined && found[0].includes('T') ? `${found[0]}Z` : found[0]);
  return Number.isNaN(at.getTime()) ? null : londonDateOf(at);
}
