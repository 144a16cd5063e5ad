import { addDays, type CalendarDate } from '../dates.ts';
import { DomainError, invalidInput, type InputFault } from '../errors.ts';

const FARTHEST_START = 366;

/** Reading a plan processes all its revisions and payments, so their numbers are limited. */
export const MOST_REVISIONS = 500;
export const MOST_PAYMENTS = 5_000;

/** Whether a payment counts in a plan depends on all newer plans of the owner, and on closed ones too. */
export const MOST_PLANS = 200;
export const MOST_PLANS_EVER = 1_000;

export function requireWithinPlanLimit({ open, ever }: { open: number; ever: number }): void {
  requireRoom(open, MOST_PLANS, 'debt plans that are not closed. Close a plan, or change an existing plan.');
  requireRoom(ever, MOST_PLANS_EVER, 'debt plans, of which closed ones count too. Change an existing plan instead.');
}

function requireRoom(plans: number, limit: number, what: string): void {
  if (plans < limit) return;
  throw new DomainError('too-many-debt-plans', `An owner can have at most ${limit} ${what}`, { limit });
}

export function requireStartDate(startDate: CalendarDate, today: CalendarDate): void {
  const [earliest, latest] = [addDays(today, -FARTHEST_START), addDays(today, FARTHEST_START)];
  if (startDate >= earliest && startDate <= latest) return;
  throw invalidInput('/start_date', `must be from ${earliest} to ${latest}`);
}

/** Ignores names that are not text. */
export function nameFaults(debts: readonly { name?: unknown }[]): InputFault[] {
  const names = debts.map(({ name }) => name);
  return names.flatMap((name, index) => {
    const first = names.indexOf(name);
    return first === index || typeof name !== 'string'
      ? []
      : [{ pointer: `/debts/${index}/name`, detail: `must be different from the name of /debts/${first}` }];
  });
}

export function requirePaidOn(paidOn: CalendarDate, startDate: CalendarDate, today: CalendarDate): void {
  if (paidOn >= startDate && paidOn <= today) return;
  const when =
    startDate > today
      ? `on or after ${startDate}, when the plan begins, and not after today`
      : `from ${startDate} to ${today}`;
  throw invalidInput('/paid_on', `must be ${when}`);
}

export function requireBelow(count: number, limit: number, what: 'revisions' | 'recorded payments'): void {
  if (count < limit) return;
  throw new DomainError(
    'debt-plan-full',
    `A plan can have at most ${limit} ${what}. Make a new plan with the current balances.`,
    { limit },
  );
}

export function alreadyCounted(paymentId: string): DomainError {
  return new DomainError(
    'already-counted',
    'A payment of the same amount to the same provider completed within three days of paid_on. The plan might already count that payment. ' +
      'If you mean a different payment, send separate: true.',
    { payment_id: paymentId },
  );
}
