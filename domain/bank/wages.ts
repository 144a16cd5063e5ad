import { addDays, daysBetween, type CalendarDate } from '../dates.ts';
import { rhythmicDays } from './rhythms.ts';

/** How a wage was recognised: by a payslip, a known payer, the person, or the rhythm of the credits. */
export const WAGE_MATCHES = ['payslip', 'payer', 'person', 'pattern'] as const;
export type WageMatch = (typeof WAGE_MATCHES)[number];

/** Nothing runs on a suggested wage. A reversed one went back to its payer, or was the person's own money. */
export const WAGE_STATUSES = ['confirmed', 'suggested', 'reversed'] as const;
export type WageStatus = (typeof WAGE_STATUSES)[number];

/** How many days back wages are looked for, and in how many credits at most. */
export const WAGES_WITHIN_DAYS = 400;
export const MOST_CREDITS = 10_000;

/** Within how many days of its pay date a payslip's net pay arrives. */
export const PAYSLIP_DAYS = 5;
/** Within how many days a wage goes back to its payer. */
export const REVERSED_WITHIN_DAYS = 5;
/** How far apart the two bookings are of money that a person moves between their accounts. */
export const OWN_MOVE_DAYS = 1;

/** A booked transaction. Hashes are null where the bank says nothing. */
export interface Movement {
  transactionId: string;
  seq: number;
  accountId: string;
  /** In pence, and positive for a debit too. */
  amount: number;
  bookedOn: CalendarDate;
  counterpartyHash: string | null;
}

export interface Credit extends Movement {
  payerHash: string | null;
  /** Of the account that the money came from. */
  debtorHash: string | null;
  storedAt: Date;
}

export interface KnownWage {
  wageId: string;
  seq: number;
  transactionId: string;
  accountId: string;
  amount: number;
  receivedOn: CalendarDate;
  payerHash: string | null;
  counterpartyHash: string | null;
  debtorHash: string | null;
  matchedBy: WageMatch;
  status: WageStatus;
  /** Whether its transaction is no longer kept. */
  isOrphan: boolean;
}

/** A payer whom the person named, by the credit of this day. */
export interface KnownPayer {
  namedOn: CalendarDate;
  namedAt: Date;
}

export interface Known {
  /** All credits and debits of the person's accounts. */
  credits: readonly Credit[];
  debits: readonly Movement[];
  wages: readonly KnownWage[];
  payers: ReadonlyMap<string, KnownPayer>;
  /** Hashes of the numbers of accounts that are, or were, the person's own. */
  ownNumbers: ReadonlySet<string>;
  payslips: readonly { netPay: number; payDate: CalendarDate }[];
  /** The ids of transactions in whose texts a known payer's name stands. */
  naming: ReadonlySet<string>;
  /** The last day up to which a restored backup might lack wages that were split before. */
  lostThrough: CalendarDate | null;
}

export interface Recognised {
  /** Wages whose credit the bank has reported again. */
  relinked: { wageId: string; credit: Credit }[];
  found: { credit: Credit; matchedBy: WageMatch; status: WageStatus }[];
  /** Suggested wages that are the person's own money. */
  dropped: string[];
  /** Wages, of those that were known, that are none any more. */
  reversed: string[];
}

/** The order of the rows does not matter, and the same again changes nothing. */
export function recognise(known: Known): Recognised {
  const isOwn = ownCredits(known);
  const isReversed = reversals(known.debits);
  // What the person said of a wage counts more.
  const isOwnMoney = ({ matchedBy }: KnownWage, paid: Paid) => matchedBy !== 'person' && isOwn(paid);
  const { relinked, isWage } = relinks(known, isOwnMoney);
  const result: Recognised = { relinked, found: [], dropped: [], reversed: [] };
  const last = new Map<string, Paid>();
  const confirm = (wage: Paid) => {
    if (wage.payerHash === null) return;
    const before = last.get(wage.payerHash);
    if (!before || before.receivedOn <= wage.receivedOn) last.set(wage.payerHash, wage);
  };
  const wages = inOrder(known.wages.map(asRelinked(relinked)), ({ receivedOn }) => receivedOn);
  for (const wage of wages) if (wage.status === 'reversed' && !isOwnMoney(wage, wage)) isReversed(wage);
  for (const wage of wages) {
    if (wage.status === 'reversed') continue;
    const isTheirs = isOwnMoney(wage, wage);
    if (isTheirs && wage.status === 'suggested') result.dropped.push(wage.wageId);
    else if (isTheirs || isReversed(wage)) result.reversed.push(wage.wageId);
    else if (wage.status === 'confirmed') confirm(wage);
  }
  const matchOf = matcher(known, isOwn, (payerHash) => last.get(payerHash)?.amount);
  for (const credit of inOrder(known.credits, ({ bookedOn }) => bookedOn)) {
    if (isWage(credit) || isOwn(asPaid(credit))) continue;
    const match = matchOf(credit);
    if (match === undefined) continue;
    const status = isReversed(asPaid(credit)) ? 'reversed' : match.status;
    if (status === 'confirmed') confirm(asPaid(credit));
    result.found.push({ credit, matchedBy: match.matchedBy, status });
  }
  return result;
}

function asRelinked(relinked: Recognised['relinked']): (wage: KnownWage) => KnownWage {
  const credits = new Map(relinked.map(({ wageId, credit }) => [wageId, credit]));
  return (wage) => {
    const credit = credits.get(wage.wageId);
    if (!credit) return wage;
    const { accountId, debtorHash } = credit;
    return { ...wage, accountId, debtorHash, payerHash: wage.payerHash ?? credit.payerHash };
  };
}

/** What a wage and a credit have in common. */
export type Paid = Pick<
  KnownWage,
  'accountId' | 'amount' | 'receivedOn' | 'payerHash' | 'counterpartyHash' | 'debtorHash'
>;

export function asPaid({ bookedOn: receivedOn, ...credit }: Credit): Paid {
  return { ...credit, receivedOn };
}

/** Half to twice as much as the payer paid last. */
export function isUsual(amount: number, last: number): boolean {
  return 2 * amount >= last && amount <= 2 * last;
}

interface OwnMoney extends Pick<Known, 'ownNumbers'> {
  debits: readonly Pick<Movement, 'amount' | 'bookedOn' | 'accountId'>[];
}

type OwnMove = Pick<Paid, 'amount' | 'receivedOn' | 'accountId' | 'debtorHash'>;

/** Doubt means own: an equal debit a day before or after, on another account, is enough. */
export function ownCredits({ debits, ownNumbers }: OwnMoney): (paid: OwnMove) => boolean {
  const accounts = new Map<string, Set<string>>();
  for (const { amount, bookedOn, accountId } of debits) {
    const key = `${amount} ${bookedOn}`;
    accounts.set(key, (accounts.get(key) ?? new Set()).add(accountId));
  }
  const leftAnother = ({ amount, receivedOn, accountId }: OwnMove, days: number) => {
    const left = accounts.get(`${amount} ${addDays(receivedOn, days)}`);
    return left !== undefined && (left.size > 1 || !left.has(accountId));
  };
  return (paid) =>
    (paid.debtorHash !== null && ownNumbers.has(paid.debtorHash)) ||
    daysFrom(-OWN_MOVE_DAYS, OWN_MOVE_DAYS).some((days) => leftAnother(paid, days));
}

/** Takes the debit by which money went back to its payer. Each debit sends back one wage. */
export function reversals(debits: readonly Movement[]): (paid: Paid) => boolean {
  const left = new Map<string, number>();
  for (const { amount, bookedOn, counterpartyHash } of debits) {
    if (counterpartyHash === null) continue;
    const key = `${amount} ${bookedOn} ${counterpartyHash}`;
    left.set(key, (left.get(key) ?? 0) + 1);
  }
  return ({ amount, receivedOn, payerHash, counterpartyHash }) => {
    const parties = [payerHash, counterpartyHash].filter((hash) => hash !== null);
    const keys = daysFrom(0, REVERSED_WITHIN_DAYS).flatMap((days) =>
      parties.map((party) => `${amount} ${addDays(receivedOn, days)} ${party}`),
    );
    const key = keys.find((one) => (left.get(one) ?? 0) > 0);
    if (key !== undefined) left.set(key, left.get(key)! - 1);
    return key !== undefined;
  };
}

function daysFrom(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

type Match = { matchedBy: WageMatch; status: 'confirmed' | 'suggested' };

function matcher(
  { credits, payers, payslips, naming, lostThrough }: Known,
  isOwn: (paid: Paid) => boolean,
  lastOf: (payerHash: string) => number | undefined,
): (credit: Credit) => Match | undefined {
  const foreign = credits.filter((credit) => credit.counterpartyHash !== null && !isOwn(asPaid(credit)));
  const rhythmic = new Map(
    [...Map.groupBy(foreign, ({ counterpartyHash }) => counterpartyHash)].map(
      ([hash, rows]) => [hash, rhythmicDays(rows.map(({ bookedOn }) => bookedOn))] as const,
    ),
  );
  const byNetPay = Map.groupBy(payslips, ({ netPay }) => netPay);
  return ({ transactionId, amount, bookedOn, payerHash, counterpartyHash, storedAt }) => {
    const payer = payerHash === null ? undefined : payers.get(payerHash);
    const isNew = lostThrough === null || bookedOn > lostThrough;
    if (payer && isNew && storedAt > payer.namedAt && bookedOn >= payer.namedOn) {
      const last = lastOf(payerHash!);
      if (last !== undefined && isUsual(amount, last)) return { matchedBy: 'payer', status: 'confirmed' };
    }
    const slips = byNetPay.get(amount) ?? [];
    if (slips.some(({ payDate }) => Math.abs(daysBetween(payDate, bookedOn)) <= PAYSLIP_DAYS)) {
      return { matchedBy: 'payslip', status: 'suggested' };
    }
    if (payer || naming.has(transactionId)) return { matchedBy: 'payer', status: 'suggested' };
    const isRhythmic = rhythmic.get(counterpartyHash)?.has(bookedOn) === true;
    return isRhythmic ? { matchedBy: 'pattern', status: 'suggested' } : undefined;
  };
}

/**
 * A credit of the same day and amount as a wage without its transaction is that wage: nothing may count twice. The credit of
 * a wage that is dropped now is free for this. Only a confirmed wage may turn out to be the person's own money.
 */
function relinks(
  { credits, wages }: Known,
  isOwnMoney: (wage: KnownWage, paid: Paid) => boolean,
): { relinked: Recognised['relinked']; isWage: (credit: Credit) => boolean } {
  const isDropped = (wage: KnownWage) => !wage.isOrphan && wage.status === 'suggested' && isOwnMoney(wage, wage);
  const known = new Set(wages.filter((wage) => !isDropped(wage)).map(({ transactionId }) => transactionId));
  const free = credits.filter(({ transactionId }) => !known.has(transactionId));
  const byDay = Map.groupBy(
    inOrder(free, ({ bookedOn }) => bookedOn),
    ({ bookedOn, amount }) => `${bookedOn} ${amount}`,
  );
  const relinked = new Map<KnownWage, Credit>();
  const taken = new Set<Credit>();
  const alike: ((wage: KnownWage, credit: Credit) => boolean)[] = [
    (wage, { accountId }) => accountId === wage.accountId,
    (wage, { payerHash }) => payerHash !== null && payerHash === wage.payerHash,
    () => true,
  ];
  const orphans = wages.filter(({ isOrphan }) => isOrphan);
  for (const isAlike of alike) {
    for (const wage of inOrder(orphans, ({ receivedOn }) => receivedOn)) {
      const rows = relinked.has(wage) ? [] : (byDay.get(`${wage.receivedOn} ${wage.amount}`) ?? []);
      const isPossible = (row: Credit) => wage.status === 'confirmed' || !isOwnMoney(wage, asPaid(row));
      const credit = rows.find((row) => !taken.has(row) && isPossible(row) && isAlike(wage, row));
      if (credit === undefined) continue;
      taken.add(credit);
      relinked.set(wage, credit);
    }
  }
  return {
    relinked: [...relinked].map(([{ wageId }, credit]) => ({ wageId, credit })),
    isWage: (credit) => known.has(credit.transactionId) || taken.has(credit),
  };
}

function inOrder<Item extends { seq: number }>(items: readonly Item[], dayOf: (item: Item) => CalendarDate): Item[] {
  return [...items].sort((a, b) => (dayOf(a) < dayOf(b) ? -1 : dayOf(a) > dayOf(b) ? 1 : a.seq - b.seq));
}
