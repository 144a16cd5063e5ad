import { addDays, addMonths, wholeMonths, type CalendarDate } from '../dates.ts';
import { monthlyInterest, payMonth, strategyOrder, type Strategy } from '../debt/simulation.ts';
import { standingOn, type PlanHistory, type StandingDebt } from '../debt/standing.ts';
import { least, pence, sum, type Pence } from '../money.ts';

/** A payment to a payee, which might be one of a plan. */
export interface Paying {
  providerId: string;
  amount: Pence;
}

interface OpenDebt extends StandingDebt {
  /** Paid towards the debt in this month of the plan. */
  paidInMonth: Pence;
}

/** A plan that is not closed, as it stands. */
export interface OpenPlan {
  name: string | null;
  budget: Pence;
  strategy: Strategy;
  startsOn: CalendarDate;
  /** How many months have their interest. */
  months: number;
  debts: OpenDebt[];
  /** Paid in this month of the plan. */
  paid: Pence;
}

/**
 * What debt plans ask of the coming days. The returned function takes the payments of a day, day by day. It returns the rest
 * of the budget of each plan whose month ends on that day.
 */
export function debtsAhead(given: readonly OpenPlan[]) {
  const plans = given.map((plan) => ({ ...plan, debts: plan.debts.map((debt) => ({ ...debt })) }));
  return (day: CalendarDate, payments: readonly Paying[]): { name: string | null; amount: Pence }[] => {
    for (const plan of plans) addInterest(plan, day);
    for (const payment of payments) {
      // Of the plans that name a payee, the newest one that is not repaid counts the payment.
      const counting = plans.find((plan) => plan.startsOn <= day && names(plan, payment) && plan.debts.some(isOwed));
      if (counting) takeOff(counting, payment);
    }
    return plans
      .filter(({ startsOn, months }) => months > 0 && addMonths(startsOn, months) === day)
      .map((plan) => ({ name: plan.name, amount: payRest(plan) }))
      .filter(({ amount }) => amount > 0);
  };
}

/** The plan on that day. A payment on the day on which a month of the plan ends counts in that month. */
export function openPlanOf(name: string | null, history: PlanHistory, today: CalendarDate): OpenPlan {
  const { monthlyBudget: budget, strategy } = history.revisions.at(-1)!;
  const { debts, startsOn, months } = standingOn(history, today);
  const endsToday = months > 0 && addMonths(startsOn, months) === today;
  const month = endsToday ? months - 1 : months;
  const began = month === 0 ? addDays(startsOn, -1) : addMonths(startsOn, month);
  const before = standingOn(history, began < today ? began : today).debts;
  const paid = history.payments.filter(({ on }) => on > began && on <= today).map(({ amount }) => amount);
  return {
    name,
    budget,
    strategy,
    startsOn,
    months,
    debts: debts.map((debt, index) => ({ ...debt, paidInMonth: pence(debt.paid - before[index]!.paid) })),
    paid: sum(paid),
  };
}

function addInterest(plan: OpenPlan, day: CalendarDate): void {
  const months = wholeMonths(plan.startsOn, day);
  if (months <= plan.months) return;
  plan.months = months;
  for (const debt of plan.debts.filter(isOwed)) {
    const added = monthlyInterest(debt.balance, debt.rate) + (months === 1 ? debt.accrued : 0);
    debt.balance = pence(debt.balance + added);
  }
}

function takeOff(plan: OpenPlan, { providerId, amount }: Paying): void {
  plan.paid = pence(plan.paid + amount);
  let left = amount;
  for (const debt of plan.debts.toSorted(strategyOrder(plan.strategy))) {
    if (debt.providerId !== providerId) continue;
    const taken = least(left, debt.balance);
    debt.balance = pence(debt.balance - taken);
    debt.paidInMonth = pence(debt.paidInMonth + taken);
    left = pence(left - taken);
  }
}

/** Ends the month of the plan. Returns what is paid on its last day. */
function payRest(plan: OpenPlan): Pence {
  const open = plan.debts
    .filter(isOwed)
    .map((debt) => ({ ...debt, minimum: pence(Math.max(0, debt.minimum - debt.paidInMonth)), payment: 0 }))
    .sort(strategyOrder(plan.strategy));
  payMonth(open, pence(Math.max(0, plan.budget - plan.paid)));
  const balances = new Map(open.map(({ position, balance }) => [position, balance]));
  for (const debt of plan.debts) {
    debt.balance = balances.get(debt.position) ?? debt.balance;
    debt.paidInMonth = pence(0);
  }
  plan.paid = pence(0);
  return pence(open.reduce((total, { payment }) => total + payment, 0));
}

function names({ debts }: OpenPlan, { providerId }: Paying): boolean {
  return debts.some((debt) => debt.providerId === providerId);
}

function isOwed({ balance }: OpenDebt): boolean {
  return balance > 0;
}
