import { isProblem, NoAnswerError, WaitedTooLongError, type ProblemCode } from '../../../client/src/index.ts';
import { leftOutOf, pounds } from './words.ts';

/* What a person reads after an error: what is wrong, and what to do. */

type Sentence = string | ((figures: Readonly<Record<string, unknown>>) => string);

const RELOAD = 'This has changed in the meantime. Load the page again, then try once more.';
const SIGN_IN = 'Your sign-in has ended. Sign in again.';

export const SENTENCES: Partial<Record<ProblemCode, Sentence>> = {
  'obligations-exceed-income': ({ shortfall }) =>
    `Your bills come to ${pounds(Number(shortfall))} more than your wage. Lower a bill, or enter a higher wage.`,
  'paycheck-already-committed': 'You have already used some of this wage. Enter at least what you have used.',
  'paycheck-already-accrued': 'This wage has earned interest, so it cannot become smaller. Enter a larger wage.',
  'paycheck-asserted': 'Your employer entered this wage. Ask your employer to correct it.',
  'insufficient-allocation': 'The vault no longer has enough for this bill. See “What happened”: you may have paid it.',
  'exceeds-payment-limit': ({ available }) =>
    available === undefined
      ? 'You have made too many payments today. Wait until tomorrow, or ask the operator for a higher limit.'
      : `You can pay ${pounds(Number(available))} at most now. Wait until tomorrow, or ask the operator for a higher limit.`,
  'income-not-evidenced': 'Your employer must confirm your wage first. Ask your employer to send it to the service.',
  'unknown-provider': 'This payee is no longer there. Choose another payee.',
  'payee-in-use': 'A payment to this payee is on its way. Wait until it ends, then try again.',
  'label-taken': 'Another vault has this name. Choose a different name.',
  'vault-not-empty': 'This vault is still in use. Pay its bills first, and wait until the payments end.',
  'unknown-allocation': RELOAD,
  'unknown-entry': RELOAD,
  'precondition-failed': RELOAD,
  'not-found': RELOAD,
  'payment-not-failed': 'This payment is on its way or already paid. You do not need to do anything.',
  'payment-not-retryable': 'Another try will not help. Choose another payee for this bill.',
  'payment-attempts-exhausted': 'This payment has failed ten times. Pay the bill again, as a new payment.',
  'budget-below-minimums': ({ required }) =>
    `You must pay at least the minimum of ${pounds(Number(required))} a month. Enter a higher monthly payment.`,
  'debt-never-repaid': 'With this payment the debt would never end. Enter a higher monthly payment.',
  'empty-file': 'This file is empty. Choose another file.',
  'file-too-large': 'This file is too large. Choose a file of at most 5 MB.',
  'unsupported-document-type': 'The service reads PDF, JPEG and PNG files. Choose a file of one of these kinds.',
  'too-many-documents': 'You have sent as many files as you can today. Try again tomorrow.',
  'no-payment-history': ({ payments_left_out = 0 }) =>
    `No bill counts yet. Pay a bill of £1 or more, wait until it is paid, then try again. ${leftOutOf(Number(payments_left_out))}`.trim(),
  'insufficient-scope': 'You have not allowed this page to do this. Sign out, sign in again, and allow it.',
  'email-not-verified': 'Confirm your email address first. Follow the link in the email from the service.',
  'unknown-bank': 'This bank cannot be connected. Choose another bank.',
  'bank-cannot-read': 'This bank does not show accounts. Choose another bank.',
  'bank-cannot-pay': 'Nothing can be paid from this bank. Choose another bank.',
  'payee-not-payable': 'This payee cannot be paid from this bank. Choose another payee or bank.',
  'bank-consent-ended': 'Your bank does not let the service pay this payee any more. Connect again under “Your bank”.',
  'bank-not-connected': 'No bank of yours is connected for this. Connect it under “Your bank”.',
  'exceeds-consent-limit': ({ available }) =>
    `Your limits at the bank leave ${pounds(Number(available))} for this payment. Connect again under “Your bank” with higher limits, or wait until next month.`,
  'not-a-credit': 'Only money that came in can be a wage. Choose another transaction.',
  'credit-from-own-account': 'This money came from an account of your own, so it is no wage.',
  'wage-below-paycheck': 'You entered a higher wage for this day. Confirm this one on the page of the service first.',
  'wage-not-confirmed': 'This is not confirmed as a wage. Say that it is your wage first.',
  'wage-already-calculated': 'This wage is split already. You do not need to do anything.',
  'wage-reversed': 'This money went back to its payer, so it is no wage.',
  'unknown-wage': RELOAD,
  'unknown-transaction': RELOAD,
  'own-sign-in-required': 'Only you can do this, on the page of the service. Sign in there.',
  'bank-read-limit': 'Your bank was read as often as it allows for now. Try again in some hours.',
  'bank-reconfirmation-needed': 'The 90 days for which you allowed this are over. Allow it again.',
  'rate-limited': 'That was a lot in a short time. Wait a minute, then try again.',
  'dependency-unavailable': 'A part of the service is not available now. Nothing is lost. Try again in a minute.',
  'invalid-token': SIGN_IN,
  'invalid-refresh-token': SIGN_IN,
};

/** What the page calls each field of a request. */
const FIELDS: Readonly<Record<string, string>> = {
  ...{ gross_pay: 'The wage', name: 'The name', sort_code: 'The sort code', account_number: 'The account number' },
  ...{ amount: 'The amount', balance: 'What you owe', rate: 'The interest', minimum: 'The minimum' },
  ...{
    label: 'The name',
    type: 'What it is for',
    pay_amount: 'What to pay',
    monthly_budget: 'What you pay',
    file: 'The file',
  },
};

/** An error whose message is written for people. */
export class ForPeople extends Error {}

export const isSignedOut = (error: unknown): boolean => isProblem(error) && error.status === 401;

export function sentenceOf(error: unknown): string {
  if (error instanceof ForPeople) return error.message;
  if (error instanceof NoAnswerError) return 'The service does not answer. Check your connection, then try again.';
  if (error instanceof WaitedTooLongError) return 'This takes longer than usual. Look again in a few minutes.';
  const sorry = 'Something went wrong, and it is not your fault. Try again in a minute.';
  if (!isProblem(error)) return sorry;
  const known = SENTENCES[error.code as ProblemCode];
  if (known !== undefined) return typeof known === 'string' ? known : known(error.problem);
  const faults = error.errors.flatMap(({ pointer, detail }) => {
    const field = pointer.split('/').findLast((part) => FIELDS[part] !== undefined);
    return field === undefined ? [] : [`${FIELDS[field]!} ${detail}.`];
  });
  if (faults.length > 0) return `${faults.join(' ')} Correct it, then try again.`;
  return `${sorry} If it goes wrong again, tell the operator this code: ${error.requestId ?? error.code}.`;
}
