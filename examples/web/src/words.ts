/* Amounts, days, scores and reasons as people read them. */

const POUNDS = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'GBP' });
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'Europe/London' });
const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'Europe/London' });

/** An amount in the smallest unit of the currency. */
export const inMoney = (minor: number, currency: string): string =>
  new Intl.NumberFormat('en-GB', { style: 'currency', currency }).format(minor / 100);
export const pounds = (pence: number): string => POUNDS.format(pence / 100);
export const day = (date: string): string => DAY.format(new Date(date));
export const time = (instant: string): string => TIME.format(new Date(instant));
export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** Converts pounds to pence. */
export const pence = (form: FormData, name: string): number => Math.round(Number(form.get(name)) * 100);

interface Reliability {
  reliability_score: number;
  total_payments: number;
  missed_payments: number;
  months_covered: number;
}

/** The lowest score for each verdict. Six months with every bill on time make 850. */
const VERDICTS = [
  [850, 'Very reliable'],
  [600, 'Reliable'],
  [350, 'On the way'],
] as const;

export function verdictOf({ reliability_score, missed_payments }: Reliability): string {
  const verdict = VERDICTS.find(([lowest]) => reliability_score >= lowest)?.[1];
  return verdict ?? (missed_payments === 0 ? 'A good start' : 'Not there yet');
}

/** What a score means, and how to raise it. */
export function meaningOf({ total_payments, missed_payments, months_covered }: Reliability): string {
  if (missed_payments > 0) {
    const late = `${missed_payments} of ${counted(total_payments, 'payment')} came late or not at all.`;
    return `${late} Pay each bill on time from now on: recent bills count most.`;
  }
  const soFar = `You paid every bill on time, in ${counted(months_covered, 'month')}.`;
  if (months_covered >= 12) return `${soFar} Nobody can do better.`;
  return `${soFar} Each further month like this raises the score. Twelve such months make 1,000.`;
}

/** Payments to payees for whom nobody vouches. */
export function leftOutOf(count: number): string {
  if (count === 0) return '';
  return `${counted(count, 'payment')} did not count, because nobody has confirmed the payee. The operator can confirm it.`;
}

/** Why a bill was left out. Later versions of the service might add reasons. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'not-covered': 'The wage was too small for it, so nothing was set aside.',
  'vault-short': 'Not enough is set aside for it yet. The next wage tries again.',
  'bank-not-connected': 'No bank of yours is connected for this. Connect it under “Your bank”.',
  'exceeds-consent-limit':
    'It is more than you allow at your bank. Connect again under “Your bank” with higher limits.',
  'exceeds-payment-limit': 'It is more than the service may pay for you now. Pay it tomorrow.',
  'email-not-verified': 'Confirm your email address first. Follow the link in the email from the service.',
  'authority-ended': 'The program that set this may no longer pay for you. Drop it, and add it again.',
  'starts-next-month': 'This payee was paid this month already. It is paid again from next month on.',
  'unknown-provider': 'The payee is no longer there. Drop it, and add it with another payee.',
  'income-not-evidenced': 'Your employer must confirm your wage first.',
};
