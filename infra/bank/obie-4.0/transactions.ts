import { isCalendarDate, londonDateOf, type CalendarDate } from '../../../domain/dates.ts';
import type { BankRow, RowsWanted } from '../interface.ts';
import { plainText } from '../values.ts';
import { signedIn, sortCodeIn } from './fields.ts';
import { list, record } from './json.ts';

/** The standard's longest. */
const LONGEST_ID = 210;
const DAY = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(Z|[+-]\d\d:?\d\d)?$/;

/** Reads the booked rows of OBReadTransaction6 that are of the days wanted. */
export function rowsIn(
  entries: readonly unknown[],
  wanted: Pick<RowsWanted, 'account' | 'from' | 'to'>,
): { items: BankRow[]; refused: number } {
  const items: BankRow[] = [];
  let refused = 0;
  for (const entry of entries) {
    const told = record(entry);
    if (!isFinal(told)) continue;
    const bookedOn = dayOf(told['BookingDateTime']);
    if (bookedOn !== null && (bookedOn < wanted.from || bookedOn > wanted.to)) continue;
    const row = rowOf(told, wanted.account, bookedOn);
    if (row === null) refused += 1;
    else items.push(row);
  }
  return { items, refused };
}

/** A pending row may change or vanish, and so may a mutable one. */
function isFinal({ Status, TransactionMutability }: Record<string, unknown>): boolean {
  return Status === 'BOOK' && TransactionMutability !== 'Mutable';
}

function rowOf(
  told: Record<string, unknown>,
  { ref, currency }: RowsWanted['account'],
  bookedOn: CalendarDate | null,
): BankRow | null {
  const amount = signedIn(told, currency);
  if (amount === null || bookedOn === null || (told['AccountId'] ?? ref) !== ref) return null;
  const debtor = told['CreditDebitIndicator'] === 'Credit' ? record(told['DebtorAccount']) : {};
  const creditor = told['CreditDebitIndicator'] === 'Debit' ? record(told['CreditorAccount']) : {};
  const payer = plainText(debtor['Name']);
  const merchant = plainText(record(told['MerchantDetails'])['MerchantName']);
  const reference = plainText(told['TransactionInformation']);
  return {
    stableId: idIn(told['TransactionId']),
    amount,
    bookedOn,
    counterparty: payer ?? plainText(creditor['Name']) ?? merchant ?? reference,
    payer,
    debtorAccount: sortCodeIn(debtor),
    reference,
  };
}

function idIn(value: unknown): string | null {
  const id = plainText(value);
  return id === null || id.length > LONGEST_ID ? null : id;
}

/** The day in London. A time without a zone, against the standard, can only be London's. */
function dayOf(value: unknown): CalendarDate | null {
  const [text, day, time, zone] = DAY.exec(typeof value === 'string' ? value : '') ?? [];
  if (text === undefined || !isCalendarDate(day!)) return null;
  if (zone === undefined) return day!;
  const at = new Date(text);
  return time === undefined || Number.isNaN(at.getTime()) ? null : londonDateOf(at);
}

/** Null if it is no list of transactions. An empty one may be left out. */
export function entriesIn(data: Record<string, unknown>, name: string): readonly unknown[] | null {
  const entries = data[name] ?? [];
  return Array.isArray(entries) ? list(entries) : null;
}
