import { addDays, monthStartOf, type CalendarDate } from './dates.ts';
import type { VaultType } from './ledger.ts';
import { least, pence, type Pence, type Ratio } from './money.ts';
import { debtsAhead, type OpenPlan, type Paying } from './outlook/debts.ts';
import { splitPaycheck, type Obligation } from './paycheck.ts';
import { nextBillDay } from './payday/days.ts';
import { coveredBy } from './payday/split.ts';

/** How many days affordability looks ahead, and a caller who does not say. */
export const OUTLOOK_DAYS = 31;

/** An entry of a standing split. Without a payee, each wage only sets its amount aside. */
export interface StandingEntry extends Obligation {
  bill: {
    providerId: string;
    /** 1 to 31, or null to pay with each wage. */
    payDay: number | null;
    amount: Pence;
    /** No bill is paid before that day. */
    paysFrom: CalendarDate | null;
    /** First days of the months that have their payment. */
    paidMonths: readonly CalendarDate[];
  } | null;
}

/** A payment whose money has left its vault already. */
export interface ScheduledPayment extends Paying {
  on: CalendarDate;
  type: string;
}

export interface Prospects {
  today: CalendarDate;
  safeToSpend: Pence;
  bufferRate: Ratio;
  /** From today on. */
  wages: readonly { on: CalendarDate; amount: Pence }[];
  /** Of the standing split. None if it is paused. */
  entries: readonly StandingEntry[];
  vaults: readonly { category: VaultType; type: string; balance: Pence }[];
  scheduled: readonly ScheduledPayment[];
  /** Payments that are at the bank now. */
  sent: readonly Paying[];
  /** Newest first. */
  plans: readonly OpenPlan[];
}

interface Bill {
  type: string;
  amount: Pence;
}

/** `balance` is what is safe to spend at the end of the day. */
export interface OutlookDay {
  date: CalendarDate;
  in: Pence;
  out: Pence;
  balance: Pence;
  bills: Bill[];
}

export interface Outlook {
  from: CalendarDate;
  to: CalendarDate;
  starts_with: Pence;
  /** The first day with the lowest balance. */
  lowest: { date: CalendarDate; amount: Pence };
  days: OutlookDay[];
  short_on: CalendarDate | null;
}

/** What will be safe to spend, day by day. @param count how many days, from today. At least 1. */
export function outlookOf(prospects: Prospects, count: number): Outlook {
  const { today, safeToSpend } = prospects;
  const happens = happeningsOf(prospects, addDays(today, count - 1));
  let balance = safeToSpend;
  const days = Array.from({ length: count }, (_, index): OutlookDay => {
    const date = addDays(today, index);
    const { income, spent, bills } = happens(date);
    balance = pence(balance + income - spent);
    return { date, in: income, out: spent, balance, bills };
  });
  const lowest = days.reduce((least, day) => (day.balance < least.balance ? day : least));
  return {
    from: today,
    to: days.at(-1)!.date,
    starts_with: safeToSpend,
    lowest: { date: lowest.date, amount: lowest.balance },
    days,
    short_on: days.find((day) => day.balance < 0)?.date ?? null,
  };
}

interface Happenings {
  income: Pence;
  spent: Pence;
  bills: Bill[];
}

/** The returned function says what happens on a day, day by day from today on. */
function happeningsOf(prospects: Prospects, to: CalendarDate): (day: CalendarDate) => Happenings {
  const { today, entries, bufferRate } = prospects;
  const wages = Map.groupBy(prospects.wages, ({ on }) => on);
  const scheduled = Map.groupBy(prospects.scheduled, ({ on }) => (on < today ? today : on));
  const dated = Map.groupBy(
    entries.flatMap((entry) => billDays(entry, today, to)),
    ({ on }) => on,
  );
  const vaults = vaultsOf(prospects.vaults);
  const debtsOn = debtsAhead(prospects.plans);
  return (day) => {
    const payments: (Paying & { type: string })[] = [...(scheduled.get(day) ?? [])];
    let [income, spent] = [0, 0];
    const pay = ({ category, type, bill }: StandingEntry) => {
      spent += bill!.amount - vaults.take({ category, type }, bill!.amount);
      payments.push({ type, ...bill! });
    };
    for (const { amount } of wages.get(day) ?? []) {
      const covered = coveredEntries(entries, amount);
      income += splitPaycheck(amount, covered, bufferRate).safeToSpend;
      for (const entry of covered) vaults.put(entry);
      // A bill without a day waits for the next wage if its vault is short.
      for (const entry of covered) if (isPaidOnArrival(entry, day) && vaults.has(entry, entry.bill!.amount)) pay(entry);
    }
    for (const { entry } of dated.get(day) ?? []) pay(entry);
    const debts = debtsOn(day, day === today ? [...prospects.sent, ...payments] : payments);
    for (const { amount } of debts) spent += amount;
    const bills = [...payments, ...debts.map(({ name, amount }) => ({ type: name ?? 'Debt plan', amount }))];
    return { income: pence(income), spent: pence(spent), bills: bills.map(({ type, amount }) => ({ type, amount })) };
  };
}

function coveredEntries(entries: readonly StandingEntry[], wage: Pence): readonly StandingEntry[] {
  const amounts = entries.map(({ amount }) => amount);
  return entries.slice(0, coveredBy(wage, amounts));
}

function isPaidOnArrival({ bill }: StandingEntry, day: CalendarDate): boolean {
  return bill !== null && bill.payDay === null && (bill.paysFrom === null || bill.paysFrom <= day);
}

/** Once a calendar month, unless the month has its payment. */
function billDays(entry: StandingEntry, today: CalendarDate, to: CalendarDate) {
  const { bill } = entry;
  if (bill === null || bill.payDay === null) return [];
  const days: { on: CalendarDate; entry: StandingEntry }[] = [];
  const from = bill.paysFrom !== null && bill.paysFrom > today ? bill.paysFrom : today;
  for (let on = nextBillDay(bill.payDay, from); on <= to; on = nextBillDay(bill.payDay, addDays(on, 1))) {
    if (!bill.paidMonths.includes(monthStartOf(on))) days.push({ on, entry });
  }
  return days;
}

function vaultsOf(vaults: Prospects['vaults']) {
  const balances = new Map(vaults.map((vault) => [nameOf(vault), vault.balance]));
  const balanceOf = (vault: VaultName) => balances.get(nameOf(vault)) ?? pence(0);
  return {
    put: (entry: Obligation) => balances.set(nameOf(entry), pence(balanceOf(entry) + entry.amount)),
    has: (entry: VaultName, amount: Pence) => balanceOf(entry) >= amount,
    /** Returns how much of the amount the vault has. */
    take(entry: VaultName, amount: Pence): Pence {
      const taken = least(balanceOf(entry), amount);
      balances.set(nameOf(entry), pence(balanceOf(entry) - taken));
      return taken;
    },
  };
}

type VaultName = Pick<Obligation, 'category' | 'type'>;

function nameOf({ category, type }: VaultName): string {
  return `${category} ${type}`;
}
