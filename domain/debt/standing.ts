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

/** What changes a standing, with its place in time. */
export type Fact = { on: CalendarDate; at: string } & ({ revision: Revision } | { payment: Paid });

export function factOf(change: Revision | Paid): Fact {
  return 'debts' in change
    ? { on: change.madeOn, at: change.at, revision: change }
    : { on: change.on, at: change.at, payment: change };
}

/** Adds interest after each whole month. Subtracts payments on their own day, after that day's interest. */
export function standingOn({ revisions: [first, ...later], payments }: PlanHistory, asOf: CalendarDate): Standing {
  const running = runningStanding(first);
  const facts = [...later, ...payments].map(factOf).filter(({ on }) => on <= asOf);
  for (const fact of facts.sort(byTime)) running.apply(fact);
  return running.until(asOf);
}

/** A standing to which facts are applied in order of time. */
export function runningStanding(first: Revision) {
  let { strategy } = first;
  let last: Fact | undefined;
  let reached: CalendarDate = '';
  const standing: Standing = {
    debts: first.debts.map((debt, position) => ({ ...debt, position, starting: debt.balance, paid: pence(0) })),
    startsOn: first.startsOn,
    months: 0,
    clearedOn: null,
  };
  const reach = (day: CalendarDate) => {
    if (day !== reached) addInterestUntil(standing, day);
    reached = day;
  };
  return {
    /** Whether no later fact, and no later day, has had its effect. */
    canApply: (fact: Fact) => fact.on >= reached && (last === undefined || byTime(last, fact) <= 0),
    apply(fact: Fact): void {
      reach(fact.on);
      last = fact;
      if ('payment' in fact) {
        takeOff(standing, fact.payment, strategy);
        return;
      }
      revise(standing, fact.revision);
      strategy = fact.revision.strategy;
    },
    /** The same object changes with each call. */
    until(day: CalendarDate): Standing {
      reach(day);
      return standing;
    },
  };
}

/** At the same time, changes of the plan come first, then recorded payments. */
export function byTime(a: Fact, b: Fact): number {
  if (a.on !== b.on) return a.on < b.on ? -1 : 1;
  if (a.at !== b.at) return a.at < b.at ? -1 : 1;
  return rankOf(a) - rankOf(b);
}

function rankOf(fact: Fact): number {
  if ('revision' in fact) return 0;
  return 'debt' in fact.payment.to ? 1 : 2;
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
  const isPaid = (debt: PlanDebt) => ('debt' in to ? debt.name === to.debt : debt.providerId === to.providerId);
  const order = strategyOrder(strategy);
  const open = standing.debts.filter((debt) => debt.balance > 0 && isPaid(debt));
  for (let left = amount; left > 0 && open.length > 0;) {
    const debt = open.reduce((first, other) => (order(other, first) < 0 ? other : first));
    const taken = least(left, debt.balance);
    debt.balance = pence(debt.balance - taken);
    debt.paid = least(MOST_PAID, pence(debt.paid + taken));
    left = pence(left - taken);
    open.splice(open.indexOf(debt), 1);
  }
  standing.clearedOn = isCleared(standing) ? (standing.clearedOn ?? on) : null;
}

function revise(standing: Standing, revision: Revision): void {
  standing.debts = standing.debts.map((debt, index) => {
    const { balance, isGiven, ...terms } = revision.debts[index]!;
    return { ...debt, ...terms, isGiven, balance: isGiven ? balance : debt.balance };
  });
  standing.startsOn = revision.startsOn;
  standing.months = 0;
  standing.clearedOn = isCleared(standing) ? (standing.clearedOn ?? revision.madeOn) : null;
}

export function isCleared({ debts }: { debts: readonly Pick<Debt, 'balance'>[] }): boolean {
  return debts.every(({ balance }) => balance === 0);
}

export function owed({ debts }: { debts: readonly Pick<Debt, 'balance'>[] }): Pence {
  return sum(debts.map(({ balance }) => balance));
}
