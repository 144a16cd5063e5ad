import { addDays, addMonths, wholeMonths, type CalendarDate, type Period } from '../dates.ts';
import { DomainError } from '../errors.ts';

/**
 * The month of a consent in which a day is. Months begin on the day of the month on which the consent began, or on the last day of
 * a shorter month. Source: UK Open Banking 4.0, `PeriodAlignment` `Consent`.
 */
export function consentMonth(startsOn: CalendarDate, day: CalendarDate): Period {
  const months = wholeMonths(startsOn, day);
  return { from: addMonths(startsOn, months), to: addDays(addMonths(startsOn, months + 1), -1) };
}

interface Wanted {
  perPayment: number;
  perMonth: number;
  /** What other payments of the month use. */
  used: number;
  amount: number;
}

/** In pence. `limit` is the one that was reached, and `used` what other payments use of it. */
export type BeyondConsent = Readonly<Record<'limit' | 'used' | 'available', number>>;

/** Null if the payment is within the limits of the consent. */
export function beyondConsent({ perPayment, perMonth, used, amount }: Wanted): BeyondConsent | null {
  if (amount > perPayment) return { limit: perPayment, used: 0, available: perPayment };
  const available = Math.max(0, perMonth - used);
  return amount > available ? { limit: perMonth, used, available } : null;
}

export function requireWithinConsent(wanted: Wanted): void {
  const beyond = beyondConsent(wanted);
  if (beyond === null) return;
  throw new DomainError(
    'exceeds-consent-limit',
    `The person allowed ${beyond.limit} pence at the bank, of which ${beyond.available} pence are left. Pay less, or make another connection with higher limits.`,
    beyond,
  );
}
