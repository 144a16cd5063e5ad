import { addDays, type CalendarDate } from '../dates.ts';
import { BOOKED_WITHIN_DAYS } from '../reconciliation.ts';
import { assign, type Alike } from '../reconciliation/assign.ts';

/** A payment that the bank might have booked. */
export interface Bookable {
  paymentId: string;
  account: string;
  amount: number;
  /** The same for payments whose bookings say the same. Null if only the payment's id in a booking counts. */
  words: string | null;
  /** The first day on which it can have been sent. */
  sentOn: CalendarDate;
}

/** Money that left an account. */
export interface Debit {
  id: string;
  account: string;
  /** Positive. */
  amount: number;
  bookedOn: CalendarDate;
  /** The payments of this service whose ids the booking names. */
  names: readonly string[];
  /** The words of payments that it can be. */
  says: ReadonlySet<string>;
}

export interface MatchedDebits {
  /** The debit of each payment that has one. */
  found: ReadonlyMap<string, string>;
  /** Debits of no payment that is known. */
  unexplained: readonly Debit[];
}

/** Each debit is one payment at most. By words and days only what is certain counts: a payment without a debit may be booked yet. */
export function matchDebits(payments: readonly Bookable[], debits: readonly Debit[]): MatchedDebits {
  const found = new Map<string, string>();
  const used = new Set<string>();
  const known = new Map(payments.map((payment) => [payment.paymentId, payment]));
  const take = (paymentId: string, debit: string) => {
    found.set(paymentId, debit);
    used.add(debit);
  };
  for (const { id, names, amount } of inOrder(debits)) {
    const payment = names.length === 1 ? known.get(names[0]!) : undefined;
    if (payment?.amount === amount && !found.has(payment.paymentId)) take(payment.paymentId, id);
  }
  // A debit that names a payment is no other payment's.
  const unnamed = inOrder(debits).filter(({ id, names }) => !used.has(id) && names.length === 0);
  const wordless = payments.filter(({ paymentId }) => !found.has(paymentId));
  for (const [paymentId, debit] of assign(setsOf(wordless, unnamed)).taken) take(paymentId, debit);
  return { found, unexplained: debits.filter(({ id }) => !used.has(id)) };
}

function setsOf(payments: readonly Bookable[], debits: readonly Debit[]): Alike[] {
  const kindOf = ({ account, amount, words }: Bookable) => JSON.stringify([account, amount, words]);
  const sets = Map.groupBy(
    payments.filter(({ words }) => words !== null),
    (payment) => JSON.stringify([kindOf(payment), payment.sentOn]),
  );
  return [...sets.values()].map((alike) => ({
    kind: kindOf(alike[0]!),
    payments: alike.map(({ paymentId }) => paymentId),
    bookings: debits.filter((debit) => canBe(debit, alike[0]!)).map(({ id }) => id),
  }));
}

/** Later ones could be another payment with the same words, such as next month's. */
function canBe({ account, amount, bookedOn, says }: Debit, payment: Bookable): boolean {
  const isThen = bookedOn >= addDays(payment.sentOn, -1) && bookedOn <= addDays(payment.sentOn, BOOKED_WITHIN_DAYS);
  return isThen && account === payment.account && amount === payment.amount && says.has(payment.words!);
}

function inOrder(debits: readonly Debit[]): Debit[] {
  return debits.toSorted((a, b) => a.bookedOn.localeCompare(b.bookedOn));
}
