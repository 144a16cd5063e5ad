import { longDate, londonDateOf } from '../../domain/dates.ts';
import type { CredentialPdfInput } from './sheet.ts';

const londonTime = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'Europe/London' });

/** The date in London, such as `21 November 2026`. */
export function dayOf(instant: string): string {
  return longDate(londonDateOf(new Date(instant)));
}

/** Formats an instant as `21 November 2026, 10:00 London time (2026-11-21T10:00:00Z)`. */
export function momentOf(instant: string): string {
  const iso = `${new Date(instant).toISOString().slice(0, 19)}Z`;
  return `${dayOf(instant)}, ${londonTime.format(new Date(instant))} London time (${iso})`;
}

/** Formats `0.9583` as `95.83%`. */
export function percentOf(ratio: string): string {
  return `${(Number(ratio) * 100).toFixed(2)}%`;
}

export function countOf(count: number): string {
  return count.toLocaleString('en-GB');
}

/** Formats `council_tax` and `housing` as `Council tax and housing`. */
export function categoriesOf(categories: readonly string[]): string {
  const names = categories.map((category) => category.toLowerCase().replaceAll('_', ' '));
  const listed = new Intl.ListFormat('en-GB').format(names);
  return listed.charAt(0).toUpperCase() + listed.slice(1);
}

export function meaningOf(input: CredentialPdfInput): { says: string[]; saysNot: string } {
  const { total_payments, missed_payments } = input;
  const onTime = total_payments - missed_payments;
  const payments = total_payments === 1 ? '1 payment' : `${countOf(total_payments)} payments`;
  return {
    says: [
      `${countOf(onTime)} of ${payments} in the period ${onTime === 1 ? 'was' : 'were'} completed by the due date that the ` +
        'payer gave or, without a due date, by the day after it was made.',
      BILLS_SCORED,
      leftOutOf(input),
    ],
    saysNot:
      'It is not a credit score, not a decision about lending or letting, and not a promise. It covers only payments ' +
      'through this service in the categories below, and shows no income, savings or debts.',
  };
}

const BILLS_SCORED =
  'A bill is £1 or more to one account in a month. Most points are for bills paid on time, and recent bills count most.';

function leftOutOf({ payments_left_out }: CredentialPdfInput): string {
  const others = payments_left_out === 1 ? '1 other payment is' : `${countOf(payments_left_out)} other payments are`;
  const vouched = 'The operator or an application vouches for all payees.';
  return payments_left_out === 0 ? vouched : `${vouched} ${others} left out.`;
}
