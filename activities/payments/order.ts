import { londonDateOf, type CalendarDate } from '../../domain/dates.ts';
import { pence } from '../../domain/money.ts';
import { estimatedCompletion, msUntilDue, requireAvailable } from '../../domain/payments.ts';
import type { LockedOwner } from '../../infra/db/locked-owner.ts';
import type { AllocationRow } from '../../infra/db/queries/ledger.ts';
import type { OrderedBy } from '../../infra/db/queries/payment-changes.ts';
import type { PaymentRow } from '../../infra/db/queries/payments.ts';
import type { Services } from '../../infra/services.ts';
import type { Authentic } from '../macs.ts';
import { countPayment, requireMayPay, requireWithinLimits } from './limits.ts';
import { choosePayer, paidWith, type PaidWith } from './payer.ts';
import { insertPayment, type ChangeServices } from './record.ts';

export type OrderServices = ChangeServices & Pick<Services, 'banks' | 'config'> & Authentic;

/** The payee and the caller are known to be allowed. */
interface Order extends Pick<PaymentRow, 'provider_id' | 'category' | 'amount' | 'reference'> {
  allocation: Pick<AllocationRow, 'allocation_id' | 'vault_id' | 'available'>;
  /** Null if the payment is to be sent at once. */
  executeOn: CalendarDate | null;
  dueDate: CalendarDate | null;
  orderedBy: OrderedBy;
  at: Date;
}

/** Takes the money out of its vault. @throws DomainError before anything moves. */
export async function orderPayment(owner: LockedOwner, services: OrderServices, order: Order): Promise<PaymentRow> {
  const { allocation, amount, executeOn, orderedBy, at } = order;
  const payer = await choosePayer(owner, services, order);
  requireAvailable({ available: pence(allocation.available) }, pence(amount));
  await requireWithinLimits(owner, services, amount, at);
  const countsOn = executeOn ?? londonDateOf(at);
  await requireMayPay(owner, services, { payer, wanted: { amount }, countsOn });
  await countPayment(owner, services, orderedBy, countsOn);
  const payment = newPayment(owner, services, order, paidWith(payer, countsOn));
  const detail = payment.status === 'pending' ? `Scheduled for ${executeOn}.` : 'Accepted and on its way to the bank.';
  insertPayment(owner, services, payment, {
    actor: orderedBy.requested_by,
    orderedBy,
    bankId: payer.bankId,
    detail,
    at,
  });
  return payment;
}

function newPayment(
  owner: LockedOwner,
  { newId }: Pick<Services, 'newId'>,
  { allocation, provider_id, category, amount, reference, executeOn, dueDate, at }: Order,
  paidBy: PaidWith,
): PaymentRow {
  const instant = at.toISOString();
  return {
    payment_id: newId('pay'),
    seq: 0,
    owner_id: owner.id,
    allocation_id: allocation.allocation_id,
    vault_id: allocation.vault_id,
    ...{ provider_id, category, amount, currency: 'GBP', reference },
    ...paidBy,
    execute_on: executeOn,
    due_date: dueDate,
    status: msUntilDue(executeOn, at) > 0 ? 'pending' : 'processing',
    bank_status: null,
    attempt: 1,
    failure: null,
    attention: false,
    initiated_at: instant,
    estimated_completion: estimatedCompletion(executeOn, at).toISOString(),
    updated_at: instant,
    version: 1,
    doubted_by: null,
  };
}
