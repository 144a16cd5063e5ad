import { addDays, addMonths, wholeMonths, type CalendarDate } from '../dates.ts';
import { monthlyInterest, payMonth, strategyOrder } from '../debt/simulation.ts';
import { owed, standingOn, type PlanHistory, type StandingDebt } from '../debt/standing.ts';
import { least, pence, sum, type Pence } from '../money.ts';

export interface Plan {
  name: string | null;
  history: PlanHistory;
}

/** A payment to a payee, which might be one of a plan. */
export interface Paying {
  providerId: string;
  amount: Pence;
}

interface OpenDebt extends StandingDebt {
  /** Paid towards the debt in this month of the plan. */
  paidInMonth: Pence;
}

/** A plan as it will be. */
interface Forecast extends Pick<Plan, 'name'> {
  budget: Pence;
  strategy: Parameters<typeof strategyOrder>[0];
  startsOn: CalendarDate;
  /** How many months have their interest. */
  months: number;
  debts: OpenDebt[];
  /** Paid in this month of the plan. */
  paid: Pence;
}

/** What debt plans ask of the coming days. Call its functions with days in order, from today on. */
export function forecastDebts(plans: readonly Plan[], today: CalendarDate) {
  const forecasts = plans.map((plan) => forecastOf(plan, today));
  return {
    begin(day: CalendarDate): void {
      for (const forecast of forecasts) addInterest(forecast, day);
    },
    pay(day: CalendarDate, paying: Paying): void {
      // Of the plans that name a payee, the newest one that is not repaid counts the payment.
      const counting = forecasts.find(
        ({ startsOn, debts }) => startsOn <= day && names(debts, paying) && owed({ debts }) > 0,
      );
      if (counting) takeOff(counting, paying);
    },
    /** What is left to pay of the budget of each plan whose month ends on that day. */
    due: (day: CalendarDate): { name: string | null; amount: Pence }[] =>
      forecasts
        .filter(({ startsOn, months }) => months > 0 && addMonths(startsOn, months) === day)
        .map((forecast) => ({ name: forecast.name, amount: payRest(forecast) }))
        .filter(({ amount }) => amount > 0),
  };
}

/** A payment on the day on which a month of the plan ends counts in that month. */
function forecastOf({ name, history }: Plan, today: CalendarDate): Forecast {
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

function addInterest(forecast: Forecast, day: CalendarDate): void {
  const months = wholeMonths(forecast.startsOn, day);
  if (months <= forecast.months) return;
  forecast.months = months;
  for (const debt of forecast.debts.filter(({ balance }) => balance > 0)) {
    const added = monthlyInterest(debt.balance, debt.rate) + (months === 1 ? debt.accrued : 0);
    debt.balance = pence(debt.balance + added);
  }
}

function takeOff(forecast: Forecast, { providerId, amount }: Paying): void {
  forecast.paid = pence(forecast.paid + amount);
  let left = amount;
  for (const debt of forecast.debts.toSorted(strategyOrder(forecast.strategy))) {
    if (debt.providerId !== providerId) continue;
    const taken = least(left, debt.balance);
    debt.balance = pence(debt.balance - taken);
    debt.paidInMonth = pence(debt.paidInMonth + taken);
    left = pence(left - taken);
  }
}

/** Ends the month of the plan. Returns what is paid on its last day. */
function payRest(forecast: Forecast): Pence {
  const open = forecast.debts
    .filter(({ balance }) => balance > 0)
    .map((debt) => ({ ...debt, minimum: pence(Math.max(0, debt.minimum - debt.paidInMonth)), payment: 0 }))
    .sort(strategyOrder(forecast.strategy));
  payMonth(open, pence(Math.max(0, forecast.budget - forecast.paid)));
  const balances = new Map(open.map(({ position, balance }) => [position, balance]));
  for (const debt of forecast.debts) {
    debt.balance = balances.get(debt.position) ?? debt.balance;
    debt.paidInMonth = pence(0);
  }
  forecast.paid = pence(0);
  return pence(open.reduce((total, { payment }) => total + payment, 0));
}

function names(debts: readonly OpenDebt[], { providerId }: Paying): boolean {
  return debts.some((debt) => debt.providerId === providerId);
}
