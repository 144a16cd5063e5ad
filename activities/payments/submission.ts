import { HOUR_MS } from '../../domain/dates.ts';
import type { BankPayment, PayeeAccount, SubmitOutcome } from '../../domain/bank/payments.ts';
import { pence } from '../../domain/money.ts';
import { OTHER_ACCOUNT } from '../../domain/payment-failures.ts';
import { isSettled, type PaymentStatus } from '../../domain/payments.ts';
import { meaningOf, type ConsentNow, type Meaning, type NotTaken } from '../../domain/sending.ts';
import { BankError } from '../../infra/bank/interface.ts';
import type { Services } from '../../infra/services.ts';
import { isGenuine } from '../macs.ts';
import { ACTOR, type ClaimToSubmit } from './claim.ts';
import { bankOf, consentOf, type PayingConsent } from './consent.ts';
import { recordNews } from './news.ts';
import { PAYEE_MACS } from './payee-macs.ts';
import { payeeAccount } from './payees.ts';
import { changePayment, lockPayment, markPayment } from './record.ts';

/**
 * How a submission ended.
 * - `settled`: nothing is left to do; `status` is the outcome.
 * - `accepted`: the bank has the payment; its settlement signals the workflow.
 * - `unavailable`: the bank does not have the payment; try again.
 * - `unknown`: the bank may have the payment; ask again.
 * - `expired`: asking again is no longer safe; an operator decides.
 */
export interface SubmissionResult {
  outcome: 'settled' | 'accepted' | 'unavailable' | 'unknown' | 'expired';
  status: PaymentStatus;
  /** How long the bank wants to hear nothing of the payment. At most an hour. */
  wait_ms?: number;
}

type Accepted = Extract<SubmitOutcome, { kind: 'accepted' }>;

export async function submit(services: Services, claim: ClaimToSubmit): Promise<SubmissionResult> {
  const { payment, bankId } = claim;
  const consent = await consentOf(services, { ...payment, bank_id: bankId });
  const outcome = await send(services, claim, consent);
  if (outcome.kind !== 'accepted') return notTaken(services, claim, { outcome, consent });
  const status = await recordNews(services, payment, await newsOf(services, claim, outcome));
  return { outcome: isSettled(status) ? 'settled' : 'accepted', status };
}

async function send(
  services: Services,
  { payment, bankId, payee: paid }: ClaimToSubmit,
  { access, agreed }: PayingConsent,
): Promise<NotTaken | Accepted> {
  if (access === null) return { kind: 'no-consent', detail: 'the consent has ended' };
  if (!(await isGenuine(services, PAYEE_MACS, paid))) return { kind: 'payee-changed' };
  const payee = await payeeAccount(services, paid);
  if (agreed !== null && !isSameAccount(payee, agreed.payee)) return { kind: 'payee-changed' };
  // The claim may have opened the first connection to a restored database.
  await services.restoring.requireNone();
  return bankOf(services, bankId).pay(access, {
    paymentId: payment.payment_id,
    attempt: payment.attempt,
    amount: pence(payment.amount),
    currency: 'GBP',
    reference: payment.reference,
    payee,
    agreed,
  });
}

/** A payee can get another name, but not another account. */
function isSameAccount(one: PayeeAccount, other: PayeeAccount): boolean {
  return one.sortCode === other.sortCode && one.accountNumber === other.accountNumber;
}

/**
 * If the attempt might have been sent before, asks the bank, because the bank might have repeated its first response.
 */
async function newsOf(
  services: Services,
  { wasInDoubt, bankId }: ClaimToSubmit,
  accepted: Accepted,
): Promise<BankPayment> {
  if (wasInDoubt) return bankOf(services, bankId).payment(accepted.bankPaymentId);
  return { ...accepted, returned: accepted.returned ?? null };
}

async function notTaken(
  services: Services,
  claim: ClaimToSubmit,
  { outcome, consent }: { outcome: NotTaken; consent: PayingConsent },
): Promise<SubmissionResult> {
  const now = outcome.kind === 'no-consent' ? await consentNow(consent) : 'authorised';
  const meaning = meaningOf(outcome, { consent: now, sends: claim.sends });
  const result = await recordNotTaken(services, claim, meaning);
  if (meaning.kind !== 'again' || meaning.until === null) return result;
  return { ...result, wait_ms: Math.min(HOUR_MS, Math.max(0, meaning.until.getTime() - Date.now())) };
}

async function consentNow({ isAuthorised }: PayingConsent): Promise<ConsentNow> {
  try {
    return (await isAuthorised()) ? 'authorised' : 'over';
  } catch (error) {
    if (error instanceof BankError) return 'away';
    throw error;
  }
}

/** The response concerns this call. If the attempt was also sent in another call, money may still have moved. */
async function recordNotTaken(
  services: Services,
  { payment: { payment_id, attempt }, wasInDoubt, sends }: ClaimToSubmit,
  meaning: Meaning,
): Promise<SubmissionResult> {
  const { db, clock } = services;
  return db.transaction(async (tx): Promise<SubmissionResult> => {
    const at = await clock.now(tx);
    const payment = await lockPayment(tx, payment_id, at);
    if (payment.attempt !== attempt || isSettled(payment.status)) return { outcome: 'settled', status: payment.status };
    if (payment.submission === 'accepted') return { outcome: 'accepted', status: payment.status };
    const onlyCall = !wasInDoubt && payment.sends === sends;
    if (meaning.kind === 'failed' && (onlyCall || meaning.always)) {
      const { failure } = meaning;
      const what = failure === OTHER_ACCOUNT ? 'Not sent to the bank' : 'The bank rejected the payment';
      const detail = `${what}: ${failure.code}.`;
      await changePayment(payment, services, { to: 'failed', detail, actor: ACTOR, at, failure, bankStatus: null });
      return { outcome: 'settled', status: 'failed' };
    }
    if (meaning.kind === 'again' && onlyCall) {
      const detail = 'The bank has not accepted the payment yet. The service will try again.';
      const change = { detail, actor: ACTOR, at, bankStatus: null, submission: 'none' } as const;
      await changePayment(payment, services, { to: 'pending', ...change });
      return { outcome: 'unavailable', status: 'pending' };
    }
    if (payment.bank_status !== 'UNKNOWN') {
      const detail =
        'The payment was sent, but the bank gave no clear response. The service is asking the bank for the outcome.';
      await markPayment(payment, services, { attention: payment.attention, bankStatus: 'UNKNOWN', at, detail });
    }
    return { outcome: 'unknown', status: 'processing' };
  });
}
