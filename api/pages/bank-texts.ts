import type { FailureKind } from '../../activities/bank/finish.ts';
import type { DomainError, InputFault } from '../../domain/errors.ts';
import { MAX_AMOUNT, inPounds } from '../../domain/money.ts';
import type { LimitFaults, LimitTexts } from './bank.ts';

/** What a person reads. The audit log has the exact reason. */
export const WHY_FAILED: Readonly<Record<Exclude<FailureKind, 'used'>, string>> = {
  'too-late': 'It took too long. You have 15 minutes at your bank, and one minute to come back.',
  elsewhere: 'This was not started in this browser, or not by the person who is signed in here.',
  'bank-away': 'Your bank cannot be reached at the moment. Try again in a few minutes.',
  'not-confirmed': 'Your bank did not confirm what was asked of it.',
  'no-account-in-common':
    'You chose none of the accounts that this connection reads, so nothing has changed. To add other accounts, make another connection.',
  over: 'The connection ended while you were at your bank.',
};

const LABELS: Readonly<Record<keyof LimitTexts, string>> = {
  per_payment: 'The limit of one payment',
  per_month: 'The limit of one month',
  valid_until: 'The last day',
};

/** The faults of `invalid-request` as a sentence for each field. */
export function limitFaultsIn({ extra }: DomainError): LimitFaults {
  const faults = Array.isArray(extra.errors) ? (extra.errors as readonly InputFault[]) : [];
  const sentences = faults.map(({ pointer, detail }) => {
    const name = pointer.slice(1) as keyof LimitTexts;
    return [name, `${LABELS[name]} ${plain(detail)}.`] as const;
  });
  return Object.fromEntries(sentences);
}

function plain(detail: string): string {
  return detail
    .replace(/a whole number of pence from 1 to \d+/, `from £0.01 to ${inPounds(MAX_AMOUNT)}`)
    .replace('per_month', 'the limit of one month');
}
