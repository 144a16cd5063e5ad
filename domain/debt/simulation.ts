import { DomainError } from '../errors.ts';
import { pence, sum, type Pence } from '../money.ts';

export const STRATEGIES = ['avalanche', 'snowball'] as const;
/** Decides which debt gets the money left after the minimums: the highest rate first, or the smallest balance first. */
export type Strategy = (typeof STRATEGIES)[number];
export const DEFAULT_STRATEGY: Strategy = 'avalanche';

/** The service refuses plans that take longer than a hundred years to repay. */
export const MOST_MONTHS = 1_200;

export interface Debt {
  /** The debt's name, which must be unique within a request. */
  name: string;
  balance: Pence;
  /** The yearly interest rate in basis points: 1990 means 19.9 %. */
  rate: number;
  minimum: Pence;
  /** Interest that accrued before the first month. It is added together with the first month's interest. */
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

export interface Simulation {
  strategy: Strategy;
  totalMonths: number;
  totalInterestPaid: Pence;
  totalPaid: Pence;
  /**
   * Instalments by month. Within a month, debts keep their given order. Debts that were cleared in an earlier month are
   * left out.
   */
  schedule: Instalment[];
  /** The interest saved compared with paying only minimums, or null if minimums never clear the debts. */
  savingsVsMinimum: Pence | null;
  /** The names of the debts in the order in which they are cleared. Within a month, the strategy decides the order. */
  order: string[];
}

interface OpenDebt extends Debt {
  position: number;
  payment: number;
}

/**
 * Simulates the repayment of debts. Each month adds interest, pays each minimum, and spends the rest of the budget in
 * the strategy's order. Minimums of cleared debts stay in the budget. Debts without a balance are left out.
 * @throws DomainError `budget-below-minimums` with `required` and `shortfall`; `debt-never-repaid` with `months`.
 */
export function simulateRepayment(repayment: Repayment): Simulation {
  const schedule: Instalment[] = [];
  const { months, interest, order } = repay(repayment, (month, open) => {
    for (const { name, payment, balance } of open.toSorted(byPosition)) {
      schedule.push({ month, debt: name, payment: pence(payment), remaining: balance });
    }
  });
  const minimumsOnly = interestOfMinimums(repayment.debts);
  return {
    strategy: repayment.strategy,
    totalMonths: months,
    totalInterestPaid: interest,
    totalPaid: pence(sum(repayment.debts.map(({ balance }) => balance)) + interest),
    schedule,
    savingsVsMinimum: minimumsOnly === null ? null : pence(minimumsOnly - interest),
    order,
  };
}

/** The number of months until all debts are cleared. @throws as `simulateRepayment`. */
export function monthsToRepay(repayment: Repayment): number {
  return repay(repayment, () => undefined).months;
}

/** The balance of each debt after `months` months, in the given order. @throws as `simulateRepayment`. */
export function remainingAfter(repayment: Repayment, months: number): Pence[] {
  const remaining = repayment.debts.map(({ balance }) => (months > 0 ? pence(0) : balance));
  repay(repayment, (month, open) => {
    if (month === months) for (const { position, balance } of open) remaining[position] = balance;
  });
  return remaining;
}

/** A month's interest: round_half_up(balance x rate / 120000). Exact for every safe integer. */
export function monthlyInterest(balance: Pence, rate: number): Pence {
  // Computed in two parts, because the product could exceed 2^53.
  const rest = balance % PER_MONTH;
  return pence(((balance - rest) / PER_MONTH) * rate + Math.floor((rest * rate + PER_MONTH / 2) / PER_MONTH));
}

/** A yearly rate in basis points, divided by this number, is the monthly rate as a fraction: 10,000 x 12. */
const PER_MONTH = 120_000;

/**
 * Sorts by rate (highest first) or balance (smallest first). Ties are broken by the other of these two values, and then
 * by the given order.
 */
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

/** @throws DomainError `budget-below-minimums` if the budget does not cover the minimums of all open debts. */
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

/** Runs the repayment month by month. `afterMonth` gets the debts open in that month, after their payments. */
function repay(repayment: Repayment, afterMonth: (month: number, open: readonly OpenDebt[]) => void) {
  requireMinimums(repayment);
  const inOrder = strategyOrder(repayment.strategy);
  let open = repayment.debts.map((debt, position): OpenDebt => ({ ...debt, position, payment: 0 })).filter(isOwed);
  let interest = 0;
  const order: string[] = [];
  let month = 0;
  while (open.length > 0) {
    // If the debts exceed all remaining payments, they are never cleared in time. Stopping here also keeps the balances
    // small enough for exact sums.
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

/** Pays every minimum, then spends the rest of the budget in the order of `open`. */
function payMonth(open: readonly OpenDebt[], budget: Pence): void {
  let left: number = budget;
  const pay = (debt: OpenDebt, amount: number) => {
    debt.balance = pence(debt.balance - amount);
    debt.payment += amount;
    left -= amount;
  };
  for (const debt of open) {
    debt.payment = 0;
    pay(debt, Math.min(debt.minimum, debt.balance));
  }
  for (const debt of open) pay(debt, Math.min(left, debt.balance));
}

/** The interest if each debt gets only its minimum, or null if a debt is not cleared within `MOST_MONTHS`. */
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
