import { addDays, type CalendarDate } from './dates.ts';
import type { PaymentStatus } from './payments.ts';
import { assign, type Alike, type Assigned } from './reconciliation/assign.ts';
import type { Problem, ReconciliationStatus, StoredStatus } from './reconciliation/statuses.ts';

/** How many days before and after a payment its booking is looked for, and how many days back payments are. */
export const BOOKED_WITHIN_DAYS = 5;
export const RECONCILED_WITHIN_DAYS = 90;

/** What is stored of a payment. `isKept`: the bank account still has the transaction. */
export interface KnownMatch {
  status: StoredStatus;
  debit: string | null;
  isDebitKept: boolean;
  credit: string | null;
  isCreditKept: boolean;
  problem: Problem | null;
}

/** A payment that moved money, from an account that is read. */
export interface SoughtPayment {
  paymentId: string;
  seq: number;
  amount: number;
  /** Of the account that paid. */
  account: string;
  /** The same for payments with the same words. */
  words: string;
  sentOn: CalendarDate;
  completedOn: CalendarDate;
  returnedOn: CalendarDate | null;
  /** The last day that every read of the account covers. */
  readThrough: CalendarDate | null;
  known: KnownMatch | null;
}

/** A transaction of an account that is read, and no payment's so far. */
export interface Booking {
  transactionId: string;
  seq: number;
  account: string;
  /** Signed. */
  amount: number;
  bookedOn: CalendarDate;
  /** The words of payments that it can be, or return. */
  says: ReadonlySet<string>;
  /** Whether a credit may be the person's own money. */
  isOwn: boolean;
}

export interface Sought {
  payments: readonly SoughtPayment[];
  bookings: readonly Booking[];
  /** Amounts of payments that are on their way: a debit can be theirs. */
  onTheirWay: ReadonlySet<number>;
}

export interface Found extends Pick<KnownMatch, 'status' | 'debit' | 'credit' | 'problem'> {
  paymentId: string;
}

/** Looks for the debit of each payment, and for the credit of each that came back. The order of the rows does not matter. */
export function reconcile({ payments, bookings, onTheirWay }: Sought): Found[] {
  const inOrder = sorted(payments, ({ completedOn }) => completedOn);
  const free = freeBookings(inOrder, bookings);
  const debits = assign(setsOf(inOrder.filter(lacksDebit), possibleOf(free.debits), debitDays));
  const credits = assign(setsOf(inOrder.filter(lacksCredit), possibleOf(free.credits), returnDays));
  const again = leftOver(free.debits, debits);
  const unexplained = unexplainedReturns(inOrder, leftOver(free.credits, credits));
  return inOrder.map((payment) => {
    const { paymentId, known } = payment;
    const debit = heldDebit(payment) ?? debits.taken.get(paymentId) ?? known?.debit ?? null;
    const credit = heldCredit(payment) ?? credits.taken.get(paymentId) ?? known?.credit ?? null;
    const isAgain = heldDebit(payment) !== null && again(payment, debitDays(payment)).length > 0;
    const left = isAgain ? 2 : (debits.left.get(paymentId)?.length ?? 0);
    const { status, problem } = standingOf(payment, { debit, left, isOnItsWay: onTheirWay.has(payment.amount) });
    const returned = returnProblem(payment, credit, credits);
    const more = returned ?? (unexplained.has(paymentId) ? 'unexplained-return' : null);
    return { paymentId, status, debit, credit, problem: problem ?? more };
  });
}

interface Debit {
  debit: string | null;
  /** How many bookings it could be, or, with a debit, could be a second one. */
  left: number;
  isOnItsWay: boolean;
}

function standingOf(payment: SoughtPayment, { debit, left, isOnItsWay }: Debit): Pick<Found, 'status' | 'problem'> {
  const { known } = payment;
  if (debit === null && left === 0 && (isOver(payment) || known?.status === 'missing'))
    return { status: 'missing', problem: 'missing' };
  const isAmbiguous = left > 1 || (left === 1 && isOver(payment));
  const isReported = isAmbiguous && (!isOnItsWay || known?.problem === 'ambiguous');
  return { status: debit === null ? 'pending' : 'matched', problem: isReported ? 'ambiguous' : null };
}

function sorted<Item extends { seq: number }>(items: readonly Item[], dayOf: (item: Item) => CalendarDate): Item[] {
  return [...items].sort((a, b) => (dayOf(a) < dayOf(b) ? -1 : dayOf(a) > dayOf(b) ? 1 : a.seq - b.seq));
}

const heldDebit = ({ known }: SoughtPayment) => (known?.isDebitKept ? known.debit : null);
const heldCredit = ({ known }: SoughtPayment) => (known?.isCreditKept ? known.credit : null);
/** A transaction that is no longer kept can come back under another id. */
const lacksDebit = (payment: SoughtPayment) => heldDebit(payment) === null;
const lacksCredit = (payment: SoughtPayment) => payment.returnedOn !== null && heldCredit(payment) === null;

type Days = readonly [from: CalendarDate, to: CalendarDate];

/** A payment can take days from its submission until the service learns that it completed. */
function debitDays({ sentOn, completedOn }: Pick<SoughtPayment, 'sentOn' | 'completedOn'>): Days {
  const first = sentOn < completedOn ? sentOn : completedOn;
  return [addDays(first, -BOOKED_WITHIN_DAYS), addDays(completedOn, BOOKED_WITHIN_DAYS)];
}

function returnDays({ returnedOn }: SoughtPayment): Days {
  return [addDays(returnedOn!, -BOOKED_WITHIN_DAYS), addDays(returnedOn!, BOOKED_WITHIN_DAYS)];
}

/** The account was read on a later day, so nothing of these days is still to come. */
function isPast(lastDay: CalendarDate, { readThrough }: SoughtPayment): boolean {
  return readThrough !== null && readThrough > lastDay;
}

const isOver = (payment: SoughtPayment) => isPast(debitDays(payment)[1], payment);

function returnProblem(payment: SoughtPayment, credit: string | null, { left }: Assigned): Problem | null {
  if (payment.returnedOn === null || credit !== null) return null;
  const count = left.get(payment.paymentId)?.length ?? 0;
  const isLate = isPast(returnDays(payment)[1], payment) || payment.known?.problem === 'return-missing';
  if (count > 1 || (count === 1 && isLate)) return 'ambiguous';
  return isLate ? 'return-missing' : null;
}

type Free = ReadonlyMap<string, readonly Booking[]>;

const placeOf = ({ account, amount }: Pick<Booking, 'account' | 'amount'>) => `${Math.abs(amount)} ${account}`;

function freeBookings(
  payments: readonly SoughtPayment[],
  bookings: readonly Booking[],
): Record<'debits' | 'credits', Free> {
  const held = new Set(payments.flatMap((payment) => [heldDebit(payment), heldCredit(payment)]));
  const free = sorted(bookings, ({ bookedOn }) => bookedOn).filter(({ transactionId }) => !held.has(transactionId));
  return {
    debits: Map.groupBy(
      free.filter(({ amount }) => amount < 0),
      placeOf,
    ),
    credits: Map.groupBy(
      free.filter(({ amount }) => amount > 0),
      placeOf,
    ),
  };
}

type Possible = (payment: SoughtPayment, days: Days) => readonly Booking[];

/** Looks through the bookings once for payments that are the same in everything. */
function possibleOf(free: Free): Possible {
  const known = new Map<string, Booking[]>();
  return (payment, [from, to]) => {
    const key = JSON.stringify([placeOf(payment), payment.words, from, to]);
    const before = known.get(key);
    if (before) return before;
    const rows = free.get(placeOf(payment)) ?? [];
    const found = rows.filter(({ bookedOn, says }) => bookedOn >= from && bookedOn <= to && says.has(payment.words));
    known.set(key, found);
    return found;
  };
}

function setsOf(
  payments: readonly SoughtPayment[],
  possible: Possible,
  daysOf: (payment: SoughtPayment) => Days,
): Alike[] {
  const kindOf = (payment: SoughtPayment) => JSON.stringify([placeOf(payment), payment.words]);
  const sets = Map.groupBy(payments, (payment) => JSON.stringify([kindOf(payment), daysOf(payment)]));
  return [...sets.values()].map((alike) => ({
    kind: kindOf(alike[0]!),
    payments: alike.map(({ paymentId }) => paymentId),
    bookings: possible(alike[0]!, daysOf(alike[0]!)).map(({ transactionId }) => transactionId),
  }));
}

/** The bookings that no payment took, and no payment waits for. */
function leftOver(free: Free, { taken, left }: Assigned): Possible {
  const used = new Set(taken.values());
  for (const bookings of new Set(left.values())) for (const booking of bookings) used.add(booking);
  const unused = [...free].map(
    ([place, rows]) => [place, rows.filter(({ transactionId }) => !used.has(transactionId))] as const,
  );
  return possibleOf(new Map(unused));
}

/** Payments that seem to have come back, of which their bank says nothing. Each credit is the return of one payment. */
function unexplainedReturns(payments: readonly SoughtPayment[], left: Possible): Set<string> {
  const used = new Set<string>();
  const found = new Set<string>();
  for (const payment of payments) {
    if (payment.returnedOn !== null) continue;
    const days: Days = [payment.sentOn, debitDays(payment)[1]];
    const credit = left(payment, days).find(({ transactionId, isOwn }) => !isOwn && !used.has(transactionId));
    if (credit === undefined) continue;
    used.add(credit.transactionId);
    found.add(payment.paymentId);
  }
  return found;
}

/** What callers see. What was found stays, although the account is no longer read. */
export function shownStatus(status: PaymentStatus, stored: StoredStatus | null, isRead: boolean): ReconciliationStatus {
  if (status === 'failed' || status === 'cancelled') return 'not-applicable';
  if (stored === 'matched' || stored === 'missing') return stored;
  return isRead ? 'pending' : 'not-applicable';
}
