import type { PaymentFailure } from '../../domain/payments.ts';
import type { LockedPayment } from '../../infra/db/queries/payments.ts';
import { changePayment, markPayment, type ChangeServices, type PaymentChange } from './record.ts';

type By = Pick<PaymentChange, 'actor' | 'at' | 'notify'>;

export function onItsWay(payment: LockedPayment, services: ChangeServices, by: By): Promise<LockedPayment> {
  return changePayment(payment, services, { to: 'processing', detail: 'On its way to the bank.', ...by });
}

/** Fails a payment that the bank does not have, and returns its money to its allocation. */
export async function failUnsent(
  payment: LockedPayment,
  services: ChangeServices,
  { failure, actor, at, notify }: By & { failure: PaymentFailure },
): Promise<void> {
  const leaving = payment.status === 'pending' ? await onItsWay(payment, services, { actor, at }) : payment;
  const detail = `Not sent to the bank: ${failure.code}.`;
  const change = { detail, actor, at, failure, bankStatus: null, notify, unsent: true };
  await changePayment(leaving, services, { to: 'failed', ...change });
}

/** Something other than the service says that the bank does not have the payment. An operator asks the bank. */
export async function doubtUnsent(payment: LockedPayment, services: ChangeServices, { actor, at }: By): Promise<void> {
  if (payment.attention && payment.bank_status === 'UNKNOWN') return;
  const sent = payment.status === 'pending' ? await onItsWay(payment, services, { actor, at }) : payment;
  const audit = { kind: 'payment.attention', actor, data: {} } as const;
  const detail = 'The service cannot tell whether the bank has the payment. An operator asks the bank.';
  await markPayment(sent, services, { attention: true, bankStatus: 'UNKNOWN', at, detail, audit });
}
