import type { BankPayment, BankStatus } from '../../domain/bank.ts';
import { effectOf, failureOf, isBlocked, isSettled, type BankNews, type PaymentStatus } from '../../domain/payments.ts';
import * as statements from '../../infra/db/statements/payments.ts';
import type { PaymentRow } from '../../infra/db/statements/payments.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { openContradictions, staysMarked } from './attention.ts';
import { changePayment, lockWithOwner, setAside, tellWorkflow, type AttemptRef } from './record.ts';

/** Returns the payment's status afterwards. */
export async function recordNews(
  services: Services,
  { payment_id, attempt }: AttemptRef,
  news: BankPayment,
): Promise<PaymentStatus> {
  const { db, clock } = services;
  return db.transaction(async () => {
    const at = await clock.now();
    const opened = await lockWithOwner(services, payment_id, at, attempt);
    const { steps, blocked, contradiction } = effectOf(
      newsFor({ attempt, current_attempt: opened.attempt, payment_status: opened.status }, news),
    );
    const accepted = { submission: 'accepted', bankPaymentId: news.bankPaymentId } as const;
    if (opened.submission !== 'accepted' && steps.length === 0) {
      await db.run(statements.changeSubmission({ payment_id, attempt }, accepted.submission, accepted.bankPaymentId));
    }
    let payment: PaymentRow = opened;
    const attention = steps.length > 0 && (await staysMarked(services, opened));
    for (const to of steps) {
      payment = await changePayment(services, payment, { ...stepOf(to, news, at), ...accepted, attention });
    }
    if (contradiction) await reportContradiction(services, payment, attempt, news, at);
    else if (blocked) await recordBlock(services, { before: opened, payment }, news.status, at);
    else if (steps.length === 0 && attempt === opened.attempt && showsProgress(payment, news)) {
      await setAside(services, payment, { attention: payment.attention, bankStatus: news.status, at });
    }
    return payment.status;
  });
}

/** Once the bank has blocked a payment, no interim status may hide the block. */
function showsProgress({ status, bank_status }: PaymentRow, news: BankPayment): boolean {
  return !isSettled(status) && bank_status !== news.status && !isBlocked(bank_status);
}

/** The money stays in flight until the bank reports a final status or an operator decides. */
async function recordBlock(
  services: Services,
  { before, payment }: { before: PaymentRow; payment: PaymentRow },
  bankStatus: BankStatus,
  at: Date,
): Promise<void> {
  const { payment_id, status, attempt } = payment;
  if (before.attention && before.bank_status === bankStatus) return;
  await setAside(services, payment, { attention: true, bankStatus, at });
  if (isBlocked(before.bank_status)) return;
  const detail =
    'The bank has blocked the payment. The money stays in flight until the bank reports the outcome or an operator decides.';
  await services.db.run(statements.insertEvent({ payment_id, status, attempt, detail, created_at: at.toISOString() }));
  const data = { attempt, bank_status: bankStatus };
  await audit(services, { subject: payment_id, kind: 'payment.attention', actor: 'bank', data, at });
  await tellWorkflow(services, payment);
  if (!before.attention) services.db.afterCommit(() => services.metrics.payments.inc({ event: 'attention' }));
}

interface Known {
  attempt: number;
  current_attempt: number;
  payment_status: PaymentStatus;
}

function newsFor({ attempt, current_attempt, payment_status }: Known, news: BankPayment): BankNews {
  return {
    current: payment_status,
    isCurrentAttempt: current_attempt === attempt,
    bankStatus: news.status,
    reasonCode: news.reason?.code ?? null,
    returned: news.returned !== null,
  };
}

/** Whether the bank's status neither changes the payment's status nor contradicts our record. */
export function tellsNothing(known: Known, news: BankPayment): boolean {
  const { steps, contradiction } = effectOf(newsFor(known, news));
  return steps.length === 0 && !contradiction;
}

function stepOf(to: PaymentStatus, news: BankPayment, at: Date) {
  const base = { to, actor: 'bank', at, bankStatus: news.status };
  if (to === 'completed') return { ...base, detail: 'The bank settled the payment.' };
  if (to === 'returned') {
    const reason = news.returned?.reason ?? news.reason;
    return { ...base, detail: `The bank returned the money: ${reason?.code ?? 'no reason given'}.` };
  }
  if (to === 'failed') {
    const failure = failureOf(news.reason);
    return { ...base, detail: `The bank rejected the payment: ${failure.code}.`, failure };
  }
  return { ...base, detail: 'The bank has received the payment.' };
}

/** Contrary to our record, the bank reports that money moved or may have moved. */
async function reportContradiction(
  services: Services,
  payment: PaymentRow,
  attempt: number,
  news: BankPayment,
  at: Date,
) {
  services.log.error(
    { payment_id: payment.payment_id, attempt, bank_status: news.status },
    'the record of the bank contradicts our record of a payment',
  );
  if (payment.attention && (await openContradictions(services, payment)).includes(attempt)) return;
  const staysAsItIs = isSettled(payment.status) || payment.attempt !== attempt || isBlocked(payment.bank_status);
  const bankStatus = staysAsItIs ? payment.bank_status : 'UNKNOWN';
  await setAside(services, payment, { attention: true, bankStatus, at });
  const data = { attempt, status: payment.status, bank_status: news.status };
  await audit(services, { subject: payment.payment_id, kind: 'payment.contradiction', actor: 'bank', data, at });
  if (!payment.attention) services.db.afterCommit(() => services.metrics.payments.inc({ event: 'attention' }));
}
