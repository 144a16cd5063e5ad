import type { Output } from '../../../client/src/index.ts';
import { h, p } from './page.ts';
import { pounds, time } from './words.ts';

export type Payment = Output<'getPayment'>;

/** What each status is called, and what it means. */
export const STATUS: Readonly<Record<Payment['status'], readonly [name: string, meaning: string]>> = {
  processing: ['On its way', 'The bank has the order.'],
  pending: ['Waiting', 'The bank cannot be reached. The service keeps trying.'],
  completed: ['Paid', 'The bank has paid it.'],
  failed: ['Not paid', 'The money is back in its vault.'],
  cancelled: ['Cancelled', 'The money is back in its vault.'],
  returned: ['Sent back', 'The bank of the payee sent the money back. It is in its vault again.'],
};

/** The service's own reasons. All other reasons come from the bank, in the bank's words. */
const REASONS: Readonly<Record<string, string>> = {
  'income-not-evidenced': 'Your employer has not confirmed enough of your wage.',
  'unknown-provider': 'The payee was removed before the payment left.',
  'owner-of-another-application': 'This page may no longer pay for you.',
  CONSENT: 'Your bank does not let the service pay this payee any more.',
  LIMIT: 'Your bank says that this is more than you allowed.',
  'exceeds-consent-limit': 'This is more than you allowed at your bank in a month.',
  'split-paused': 'You have paused what happens with each wage.',
  OPERATOR: 'The bank did not move the money.',
};

/** Whether the account shows the payment. */
const FOUND: Readonly<Record<string, string>> = {
  matched: ' Your account shows it.',
  missing: ' Your account does not show it.',
};

export const reasonOf = ({ failure }: Payment): string =>
  failure === null ? '' : (REASONS[failure.code] ?? failure.detail);

export const canRetry = ({ status, failure, attention }: Payment): boolean =>
  status === 'failed' && failure?.retryable !== false && !attention;

/** What to do about reasons that only the person's own bank has. */
const AT_OWN_BANK: Readonly<Record<string, string>> = {
  CONSENT: 'Connect again under “Your bank”. Then try again.',
  LIMIT: 'Try again next month. Or connect again under “Your bank”, with higher limits.',
  'exceeds-consent-limit': 'Try again next month. Or connect again under “Your bank”, with higher limits.',
};

/** Returns an empty text if there is nothing to do. */
function adviceOf(payment: Payment): string {
  if (payment.attention)
    return 'The bank is not clear about this payment. Do not pay it again: the operator asks the bank.';
  if (payment.status === 'returned') return 'Ask the payee for the right account. Then pay the bill again.';
  if (payment.status !== 'failed') return '';
  const atBank = AT_OWN_BANK[payment.failure?.code ?? ''];
  if (atBank !== undefined && canRetry(payment)) return atBank;
  return `${canRetry(payment) ? 'Try again, or choose' : 'Another try will not help. Choose'} another payee above.`;
}

export function timeline(payment: Payment, payee: string): Node[] {
  // The bank can report the same status more than once for one attempt.
  const steps = payment.timeline.filter(
    ({ status, attempt }, index, all) => all[index - 1]?.status !== status || all[index - 1]?.attempt !== attempt,
  );
  const rows = steps.map(({ status, at }) => {
    const [name, meaning] = STATUS[status];
    return h('li', { class: status }, h('strong', {}, name), ' ', h('time', { datetime: at }, time(at)), p(meaning));
  });
  const [reason, advice] = [reasonOf(payment), adviceOf(payment)];
  if (reason !== '') rows.at(-1)?.append(p(reason));
  return [
    h('h3', { tabindex: '-1' }, `${pounds(payment.amount)} to ${payee}`),
    ...(payment.connection_id === null
      ? []
      : [p(`From your own bank.${FOUND[payment.reconciliation.status] ?? ''}`, 'why')]),
    h('ol', { class: 'timeline' }, ...rows),
    ...(advice === '' ? [] : [p(advice, 'advice')]),
  ];
}
