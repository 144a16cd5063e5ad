import { wholeMonths, type CalendarDate } from '../dates.ts';
import { least, pence, sum, type Pence } from '../money.ts';
import { monthlyInterest, strategyOrder, type Debt, type Repayment } from './simulation.ts';

export interface PlanDebt extends Debt {
  /** Payments to this payee count towards the debt. */
  providerId: string | null;
  /** Whether the caller stated the balance. Otherwise the service computed the balance. */
  isGiven: boolean;
  accrued: Pence;
}

/** A plan as created or changed, with the balances of that day. */
export interface Revision extends Repayment {
  /** The day from which the schedule counts months. */
  startsOn: CalendarDate;
  madeOn: CalendarDate;
  /** Decides the order of changes on the same day. */
  at: string;
  debts: readonly PlanDebt[];
}

export interface Paid {
  on: CalendarDate;
  /** When the service learned of the payment. */
  at: string;
  amount: Pence;
  to: { debt: string } | { providerId: string };
}

/** The first revision is the plan as created. */
export interface PlanHistory {
  revisions: readonly [Revision, ...Revision[]];
  payments: readonly Paid[];
}

export interface StandingDebt extends PlanDebt {
  position: number;
  /** When the plan began. */
  starting: Pence;
  paid: Pence;
}

/** `months` counts completed months since the latest revision. */
export interface Standing {
  debts: StandingDebt[];
  startsOn: CalendarDate;
  months: number;
  /** The day on which the last debt was cleared, or null while debt remains. */
  clearedOn: CalendarDate | null;
}

/** In pence. At these limits amounts stop growing, so that sums stay exact. */
const MOST_OWED = 10_000_000_000_000 as Pence;
const MOST_PAID = 100_000_000_000_000 as Pence;

/** Adds interest after each whole month. Subtracts payments on their own day, after that day's interest. */
export function standingOn({ revisions, payments }: PlanHistory, asOf: CalendarDate): Standing {
  const [first, ...later] = revisions;
  const standing: Standing = {
    debts: first.debts.map((debt, position) => ({ ...debt, position, starting: debt.balance, paid: pence(0) })),
    startsOn: first.startsOn,
    months: 0,
    clearedOn: null,
  };
  let strategy = first.strategy;
  const events = [
    ...later.map((revision) => ({ on: revision.madeOn, at: revision.at, revision })),
    ...payments.map((payment) => ({ on: payment.on, at: payment.at, payment })),
  ];
  for (const event of events.filter(({ on }) => on <= asOf).sort(byTime)) {
    addInterestUntil(standing, event.on);
    if ('payment' in event) takeOff(standing, event.payment, strategy);
    else {
      revise(standing, event.revision);
      strategy = event.revision.strategy;
    }
  }
  addInterestUntil(standing, asOf);
  return standing;
}

function byTime(a: { on: string; at: string }, b: { on: string; at: string }): number {
  if (a.on !== b.on) return a.on < b.on ? -1 : 1;
  if (a.at === b.at) return 0;
  return a.at < b.at ? -1 : 1;
}

function addInterestUntil(standing: Standing, day: CalendarDate): void {
  const months = wholeMonths(standing.startsOn, day);
  for (let month = standing.months + 1; month <= months; month += 1) {
    for (const debt of standing.debts.filter(({ balance }) => balance > 0)) {
      const added = monthlyInterest(debt.balance, debt.rate) + (month === 1 ? debt.accrued : 0);
      debt.balance = least(MOST_OWED, pence(debt.balance + added));
    }
  }
  standing.months = Math.max(standing.months, months);
}

function takeOff(standing: Standing, { amount, to, on }: Paid, strategy: Revision['strategy']): void {
  const debts = standing.debts
    .filter((debt) => ('debt' in to ? debt.name === to.debt : debt.providerId === to.providerId))
    .sort(strategyOrder(strategy));
  let left = amount;
  for (const debt of debts) {
    const taken = least(left, debt.balance);
    debt.balance = pence(debt.balance - taken);
    debt.paid = least(MOST_PAID, pence(debt.paid + taken));
    left = pence(left - taken);
  }
  standing.clearedOn = owed(standing) === 0 ? (standing.clearedOn ?? on) : null;
}

function revise(standing: Standing, revision: Revision): void {
  standing.debts = standing.debts.map((debt, index) => {
    const { balance, isGiven, ...terms } = revision.debts[index]!;
    return { ...debt, ...terms, isGiven, balance: isGiven ? balance : debt.balance };
  });
  standing.startsOn = revision.startsOn;
  standing.months = 0;
  standing.clearedOn = owed(standing) === 0 ? (standing.clearedOn ?? revision.madeOn) : null;
}

export function owed({ debts }: { debts: readonly Pick<Debt, 'balance'>[] }): Pence {
  return sum(debts.map(({ balance }) => balance));
}
