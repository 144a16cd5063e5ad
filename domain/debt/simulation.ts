import { DomainError } from '../errors.ts';
import { pence, sum, type Pence } from '../money.ts';

export const STRATEGIES = ['avalanche', 'snowball'] as const;
/** After the minimums, avalanche pays the highest rate first, and snowball the smallest balance. */
export type Strategy = (typeof STRATEGIES)[number];
export const DEFAULT_STRATEGY: Strategy = 'avalanche';

/** A hundred years. Plans that take longer are refused. */
export const MOST_MONTHS = 1_200;

export interface Debt {
  /** Unique within a request. */
  name: string;
  balance: Pence;
  /** Yearly, in basis points: 1990 means 19.9 %. */
  rate: number;
  minimum: Pence;
  /** Interest from before the first month, added together with the first month's interest. */
  accrued?: Pence;
}

export interface Repayment {
  debts: readonly Debt[];
  monthlyBudget: Pence;
  strategy: Strategy;
}

export interface Instalment {
  month: number;
  debt: string;
  payment: Pence;
  remaining: Pence;
}

export type Simulation = ReturnType<typeof simulateRepayment>;

interface OpenDebt extends Debt {
  position: number;
  payment: number;
}

/** Minimums of cleared debts stay in the budget. Debts without a balance are left out. */
export function simulateRepayment(repayment: Repayment) {
  const schedule: Instalment[] = [];
  const { months, interest, order } = repay(repayment, (month, open) => {
    for (const { name, payment, balance } of open.toSorted(byPosition)) {
      schedule.push({ month, debt: name, payment: pence(payment), remaining: balance });
    }
  });
  const minimumsOnly = interestOfMinimums(repayment.debts);
  return {
    strategy: repayment.strategy,
    total_months: months,
    total_interest_paid: interest,
    total_paid: pence(sum(repayment.debts.map(({ balance }) => balance)) + interest),
    /** Compared with paying only minimums. Null if minimums do not clear the debts within `MOST_MONTHS`. */
    savings_vs_minimum: minimumsOnly === null ? null : pence(minimumsOnly - interest),
    minimums_never_repay: minimumsOnly === null,
    /** Names, in the order in which the debts are cleared. */
    order,
    /** By month, then in the given order. Leaves out debts cleared in an earlier month. */
    schedule,
  };
}

/** @throws DomainError `budget-below-minimums` or `debt-never-repaid`. */
export function monthsToRepay(repayment: Repayment): number {
  return repay(repayment, () => undefined).months;
}

export function remainingAfter(repayment: Repayment, months: number): Pence[] {
  const remaining = repayment.debts.map(({ balance }) => (months > 0 ? pence(0) : balance));
  repay(repayment, (month, open) => {
    if (month === months) for (const { position, balance } of open) remaining[position] = balance;
  });
  return remaining;
}

/** Rounds half up. Computed in two parts, because `balance * rate` could exceed 2^53. */
export function monthlyInterest(balance: Pence, rate: number): Pence {
  const rest = balance % PER_MONTH;
  return pence(((balance - rest) / PER_MONTH) * rate + Math.floor((rest * rate + PER_MONTH / 2) / PER_MONTH));
}

/** Basis points per whole, times months per year: 10,000 x 12. */
const PER_MONTH = 120_000;

export function strategyOrder(strategy: Strategy): (a: OrderedDebt, b: OrderedDebt) => number {
  const dearest = (a: OrderedDebt, b: OrderedDebt) => b.rate - a.rate;
  const smallest = (a: OrderedDebt, b: OrderedDebt) => a.balance - b.balance;
  const [first, second] = strategy === 'avalanche' ? [dearest, smallest] : [smallest, dearest];
  return (a, b) => first(a, b) || second(a, b) || byPosition(a, b);
}

interface OrderedDebt {
  balance: Pence;
  rate: number;
  position: number;
}

function byPosition(a: { position: number }, b: { position: number }): number {
  return a.position - b.position;
}

function requireMinimums({ debts, monthlyBudget }: Repayment): void {
  const required = sum(debts.filter(isOwed).map(({ minimum }) => minimum));
  if (monthlyBudget >= required) return;
  throw new DomainError(
    'budget-below-minimums',
    `The minimum payments come to ${required} pence a month, but the budget is ${monthlyBudget} pence. Raise the budget by at least the difference.`,
    { required, shortfall: required - monthlyBudget },
  );
}

function neverRepaid(): DomainError {
  return new DomainError(
    'debt-never-repaid',
    `With this budget the debts are not repaid within ${MOST_MONTHS} months. Raise monthly_budget.`,
    { months: MOST_MONTHS },
  );
}

/** `afterMonth` gets the debts open in that month, after their payments. */
function repay(repayment: Repayment, afterMonth: (month: number, open: readonly OpenDebt[]) => void) {
  requireMinimums(repayment);
  const inOrder = strategyOrder(repayment.strategy);
  let open = repayment.debts.map((debt, position): OpenDebt => ({ ...debt, position, payment: 0 })).filter(isOwed);
  let interest = 0;
  const order: string[] = [];
  let month = 0;
  while (open.length > 0) {
    // Debts above all remaining payments are never cleared in time. Stopping here also keeps sums exact.
    const payable = repayment.monthlyBudget * (MOST_MONTHS - month);
    if (open.reduce((total, { balance }) => total + balance, 0) > payable) throw neverRepaid();
    month += 1;
    for (const debt of open) interest += addInterest(debt, month);
    open.sort(inOrder);
    payMonth(open, repayment.monthlyBudget);
    afterMonth(month, open);
    for (const { balance, name } of open) if (balance === 0) order.push(name);
    open = open.filter(isOwed);
  }
  return { months: month, interest: pence(interest), order };
}

function addInterest(debt: OpenDebt, month: number): number {
  const added = monthlyInterest(debt.balance, debt.rate) + (month === 1 ? (debt.accrued ?? 0) : 0);
  debt.balance = pence(debt.balance + added);
  return added;
}

/** Pays the minimums first, and then the debts in the given order. Sets each `payment`, and never pays more than the budget. */
export function payMonth(open: readonly OpenDebt[], budget: Pence): void {
  let left: number = budget;
  const pay = (debt: OpenDebt, amount: number) => {
    debt.balance = pence(debt.balance - amount);
    debt.payment += amount;
    left -= amount;
  };
  for (const debt of open) {
    debt.payment = 0;
    pay(debt, Math.min(debt.minimum, debt.balance, left));
  }
  for (const debt of open) pay(debt, Math.min(left, debt.balance));
}

function interestOfMinimums(debts: readonly Debt[]): Pence | null {
  let total = 0;
  for (const debt of debts.filter(isOwed)) {
    const interest = interestOfMinimum(debt);
    if (interest === null) return null;
    total += interest;
  }
  return pence(total);
}

function interestOfMinimum({ balance, rate, minimum, accrued = pence(0) }: Debt): number | null {
  let [owed, interest] = [balance + accrued, 0 + accrued];
  for (let month = 1; month <= MOST_MONTHS; month += 1) {
    const added = monthlyInterest(month === 1 ? balance : pence(owed), rate);
    interest += added;
    owed += added;
    if (owed <= minimum) return interest;
    owed -= minimum;
    // If interest is at least the minimum, the balance never falls again.
    if (month > 1 && added >= minimum) return null;
  }
  return null;
}

function isOwed({ balance }: Pick<Debt, 'balance'>): boolean {
  return balance > 0;
}
