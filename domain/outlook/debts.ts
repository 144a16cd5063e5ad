import { addDays, addMonths, type CalendarDate } from '../dates.ts';
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
  /** The number of this month of the plan, from 1, and its last day. */
  month: number;
  endsOn: CalendarDate;
  /** Whether the balances have the interest of this month. */
  hasInterest: boolean;
  debts: OpenDebt[];
  /** Paid in this month. */
  paid: Pence;
}

/**
 * What debt plans ask of the coming days. The returned function takes the payments of a day, day by day. It returns the rest
 * of the budget of each plan whose month ends on that day.
 */
export function debtsAhead(given: readonly OpenPlan[]) {
  const plans = given.map((plan) => ({ ...plan, debts: plan.debts.map((debt) => ({ ...debt })) }));
  const naming = plansByPayee(plans);
  return (day: CalendarDate, payments: readonly Paying[]): { name: string | null; amount: Pence }[] => {
    const ending = plans.filter(({ endsOn }) => endsOn === day);
    for (const plan of ending) addInterest(plan);
    for (const payment of payments) {
      // Of the plans that name a payee, the newest one that is not repaid counts the payment.
      const named = naming.get(payment.providerId) ?? [];
      const counting = named.find((plan) => plan.startsOn <= day && plan.debts.some(isOwed));
      if (counting) takeOff(counting, payment);
    }
    return ending.map((plan) => ({ name: plan.name, amount: endMonth(plan) })).filter(({ amount }) => amount > 0);
  };
}

/** The plan on that day. A payment on the day on which a month of the plan ends counts in that month. */
export function openPlanOf(name: string | null, history: PlanHistory, today: CalendarDate): OpenPlan {
  const { monthlyBudget: budget, strategy } = history.revisions.at(-1)!;
  const { debts, startsOn, months } = standingOn(history, today);
  const endsToday = months > 0 && addMonths(startsOn, months) === today;
  const month = endsToday ? months : months + 1;
  const began = month === 1 ? addDays(startsOn, -1) : addMonths(startsOn, month - 1);
  const before = standingOn(history, began < today ? began : today).debts;
  const paid = history.payments.filter(({ on }) => on > began && on <= today).map(({ amount }) => amount);
  return {
    name,
    budget,
    strategy,
    startsOn,
    month,
    endsOn: addMonths(startsOn, month),
    hasInterest: endsToday,
    debts: debts.map((debt, index) => ({ ...debt, paidInMonth: pence(debt.paid - before[index]!.paid) })),
    paid: sum(paid),
  };
}

function addInterest(plan: OpenPlan): void {
  if (plan.hasInterest) return;
  plan.hasInterest = true;
  for (const debt of plan.debts.filter(isOwed)) {
    const added = monthlyInterest(debt.balance, debt.rate) + (plan.month === 1 ? debt.accrued : 0);
    debt.balance = pence(debt.balance + added);
  }
}

function takeOff(plan: OpenPlan, { providerId, amount }: Paying): void {
  plan.paid = pence(plan.paid + amount);
  let left = amount;
  const named = plan.debts.filter((debt) => debt.providerId === providerId);
  for (const debt of named.sort(strategyOrder(plan.strategy))) {
    const taken = least(left, debt.balance);
    debt.balance = pence(debt.balance - taken);
    debt.paidInMonth = pence(debt.paidInMonth + taken);
    left = pence(left - taken);
  }
}

/** Returns what is paid on the last day. */
function endMonth(plan: OpenPlan): Pence {
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
  plan.month += 1;
  plan.endsOn = addMonths(plan.startsOn, plan.month);
  plan.hasInterest = false;
  return pence(open.reduce((total, { payment }) => total + payment, 0));
}

/** Keeps the order of the plans. */
function plansByPayee(plans: readonly OpenPlan[]): ReadonlyMap<string, readonly OpenPlan[]> {
  const named = plans.flatMap((plan) => {
    const payees = new Set(plan.debts.flatMap(({ providerId }) => providerId ?? []));
    return [...payees].map((providerId) => ({ providerId, plan }));
  });
  const byPayee = Map.groupBy(named, ({ providerId }) => providerId);
  return new Map([...byPayee].map(([providerId, group]) => [providerId, group.map(({ plan }) => plan)]));
}

function isOwed({ balance }: OpenDebt): boolean {
  return balance > 0;
}
