import type { BankPayment, BankStatus } from '../../domain/bank/payments.ts';
import { effectOf, failureOf, isBlocked, isSettled, type BankNews, type PaymentStatus } from '../../domain/payments.ts';
import { changeSubmission } from '../../infra/db/queries/payment-changes.ts';
import type { LockedPayment, PaymentRow } from '../../infra/db/queries/payments.ts';
import type { Services } from '../../infra/services.ts';
import { openContradictions, staysMarked } from './attention.ts';
import { changePayment, lockPayment, markPayment, type AttemptRef, type ChangeServices } from './record.ts';

/** Returns the payment's status afterwards. */
export async function recordNews(
  services: Services,
  { payment_id, attempt }: AttemptRef,
  news: BankPayment,
): Promise<PaymentStatus> {
  const { db, clock } = services;
  return db.transaction(async (tx) => {
    const at = await clock.now(tx);
    const opened = await lockPayment(tx, payment_id, at, attempt);
    const { steps, blocked, contradiction } = effectOf(
      newsFor({ attempt, current_attempt: opened.attempt, payment_status: opened.status }, news),
    );
    const { bankPaymentId } = news;
    // After a restore, only the bank's word that it paid ends the doubt: a rejected attempt might have been retried since.
    const staysInDoubt = opened.doubted_by !== null && !steps.includes('completed');
    if (opened.submission !== 'accepted' && (steps.length === 0 || staysInDoubt)) {
      const accepted = { submission: 'accepted', bank_payment_id: bankPaymentId } as const;
      await opened.owner.run(changeSubmission({ payment: opened, attempt, ...accepted }));
    }
    if (staysInDoubt) return opened.status;
    let payment = opened;
    const attention = steps.length > 0 && (await staysMarked(opened));
    for (const to of steps) {
      const change = {
        ...stepOf(to, news, at),
        submission: 'accepted',
        bankPaymentId,
        attention,
        endsDoubt: true,
      } as const;
      payment = await changePayment(payment, services, change);
    }
    if (contradiction) await reportContradiction(payment, services, attempt, news, at);
    else if (blocked) await recordBlock(payment, services, { before: opened, bankStatus: news.status, at });
    else if (steps.length === 0 && attempt === opened.attempt && showsProgress(payment, news)) {
      await markPayment(payment, services, { attention: payment.attention, bankStatus: news.status, at });
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
  payment: LockedPayment,
  services: ChangeServices,
  { before, bankStatus, at }: { before: PaymentRow; bankStatus: BankStatus; at: Date },
): Promise<void> {
  if (before.attention && before.bank_status === bankStatus) return;
  const marked = { attention: true, bankStatus, at };
  if (isBlocked(before.bank_status)) return markPayment(payment, services, marked);
  const data = { attempt: payment.attempt, bank_status: bankStatus };
  return markPayment(payment, services, {
    ...marked,
    detail:
      'The bank has blocked the payment. The money stays in flight until the bank reports the outcome or an operator decides.',
    audit: { kind: 'payment.attention', actor: 'bank', data },
    notify: true,
  });
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
export function addsNothing(known: Known, news: BankPayment): boolean {
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
  payment: LockedPayment,
  services: ChangeServices & Pick<Services, 'log'>,
  attempt: number,
  news: BankPayment,
  at: Date,
): Promise<void> {
  services.log.error(
    { payment_id: payment.payment_id, attempt, bank_status: news.status },
    'the record of the bank contradicts our record of a payment',
  );
  if (payment.attention && (await openContradictions(payment)).includes(attempt)) return;
  const staysAsItIs = isSettled(payment.status) || payment.attempt !== attempt || isBlocked(payment.bank_status);
  const data = { attempt, status: payment.status, bank_status: news.status };
  await markPayment(payment, services, {
    attention: true,
    bankStatus: staysAsItIs ? payment.bank_status : 'UNKNOWN',
    at,
    audit: { kind: 'payment.contradiction', actor: 'bank', data },
    contradicted: attempt,
  });
}
