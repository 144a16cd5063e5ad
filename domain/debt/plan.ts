import { addDays, type CalendarDate } from '../dates.ts';
import { DomainError, invalidInput, requireNoFaults, type InputFault } from '../errors.ts';

/** The farthest start of a plan from today, in days. */
const FARTHEST_START = 366;

/** The most changes of a plan, and the most recorded payments: each read goes through all of them. */
export const MOST_REVISIONS = 500;
export const MOST_PAYMENTS = 5_000;

/** @throws DomainError `invalid-request` naming each debt whose name an earlier one has. */
export function requireDifferentNames(debts: readonly { name: string }[]): void {
  requireNoFaults(nameFaults(debts));
}

/** @throws DomainError `invalid-request` as `requireDifferentNames`, and at `/start_date` more than 366 days from today. */
export function requireSoundPlan(
  debts: readonly { name: string }[],
  startDate: CalendarDate,
  today: CalendarDate,
): void {
  const [earliest, latest] = [addDays(today, -FARTHEST_START), addDays(today, FARTHEST_START)];
  const isNear = startDate >= earliest && startDate <= latest;
  const dateFaults = isNear ? [] : [{ pointer: '/start_date', detail: `must be from ${earliest} to ${latest}` }];
  requireNoFaults([...nameFaults(debts), ...dateFaults]);
}

/** Each debt whose name an earlier one has. A name that is not text equals no other. */
export function nameFaults(debts: readonly { name?: unknown }[]): InputFault[] {
  const names = debts.map(({ name }) => name);
  return names.flatMap((name, index) => {
    const first = names.indexOf(name);
    return first === index || typeof name !== 'string'
      ? []
      : [{ pointer: `/debts/${index}/name`, detail: `must be different from the name of /debts/${first}` }];
  });
}

/** @throws DomainError `invalid-request` at `/paid_on` if it is before the plan began or after today. */
export function requirePaidOn(paidOn: CalendarDate, startDate: CalendarDate, today: CalendarDate): void {
  if (paidOn >= startDate && paidOn <= today) return;
  const when =
    startDate > today
      ? `on or after ${startDate}, when the plan begins, and not after today`
      : `from ${startDate} to ${today}`;
  throw invalidInput('/paid_on', `must be ${when}`);
}

/** @throws DomainError `debt-plan-full` with `limit` if the count exceeds it. */
export function requireRoom(count: number, limit: number): void {
  if (count < limit) return;
  throw new DomainError(
    'debt-plan-full',
    `A plan can have at most ${limit} changes or recorded payments of this kind. Make a new plan with the current balances.`,
    {
      limit,
    },
  );
}

/** The refusal to record a payment that was made through this service, because it already counts. */
export function alreadyCounted(paymentId: string): DomainError {
  return new DomainError(
    'already-counted',
    'A payment of this amount to the provider of the debt completed within three days of paid_on and is already counted. ' +
      'Send separate: true if you mean another payment.',
    { payment_id: paymentId },
  );
}
