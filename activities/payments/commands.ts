import { callerOf, type Principal } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import { failureOf, requireResolvable, scheduleOf } from '../../domain/payments.ts';
import { requireNoDoubt } from '../../domain/restore/doubt.ts';
import { lockMaybe } from '../../infra/db/locked-owner.ts';
import * as queries from '../../infra/db/queries/payments.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { holdSignIn, requireProvedAddress } from '../auth/proof.ts';
import type { PaymentRequest, Payment } from '../../openapi/types.ts';
import { staysMarked } from './attention.ts';
import { orderPayment, type OrderServices } from './order.ts';
import { requireConfirmed, requirePayee } from './payees.ts';
import { cancelPending } from './pending.ts';
import { paymentView } from './read.ts';
import { changePayment, lockPayment, orderedBy, type ChangeServices } from './record.ts';

type ExecuteRequest = PaymentRequest & { principal: Principal };

type CommandServices = ChangeServices & Pick<Services, 'clock' | 'config'>;
type ExecuteServices = OrderServices & Pick<Services, 'clock'>;

interface PaymentCommand {
  principal: Principal;
  payment_id: string;
}

interface OperatorsCommand {
  payment_id: string;
  reason: string;
  actor: string;
}

type ResolveRequest = OperatorsCommand & { as: 'completed' | 'failed' };

export async function executePayment(tx: Tx, services: ExecuteServices, request: ExecuteRequest): Promise<Payment> {
  if (request.currency !== 'GBP') {
    throw new DomainError('unsupported-currency', 'Payments must be in pounds sterling. Set currency to GBP.', {
      supported: 'GBP',
    });
  }
  const signIn = await holdSignIn(tx, request.principal);
  const at = await services.clock.now(tx);
  const executeOn = scheduleOf(request.execute_on, at);
  const { allocation, category } = await openAllocation(tx, services, request, at);
  const payment = await orderPayment(allocation.owner, services, {
    ...{ allocation, category, executeOn, at },
    ...{ provider_id: request.provider_id, amount: request.amount },
    reference: request.reference?.trim() ?? null,
    dueDate: request.due_date ?? null,
    orderedBy: orderedBy(callerOf(request.principal), signIn),
  });
  return paymentView(payment);
}

export async function cancelPayment(
  tx: Tx,
  services: CommandServices,
  { principal, payment_id }: PaymentCommand,
): Promise<Payment> {
  const detail = 'Cancelled before the bank accepted the payment.';
  const by = { actor: callerOf(principal), detail, at: await services.clock.now(tx) };
  return paymentView(await cancelPending(tx, services, payment_id, by));
}

export async function resolvePayment(
  { db, ...services }: CommandServices & Pick<Services, 'db'>,
  { payment_id, as, reason, actor }: ResolveRequest,
): Promise<Payment> {
  return db.transaction(async (tx) => {
    const at = await services.clock.now(tx);
    const payment = await lockPayment(tx, payment_id, at);
    requireNoDoubt(payment);
    requireResolvable(payment);
    await audit(tx, services, { subject: payment_id, kind: 'payment.resolved', actor, data: { as, reason }, at });
    const changed = await changePayment(payment, services, {
      to: as,
      detail: `Resolved by an operator as ${as}.`,
      actor,
      at,
      attention: await staysMarked(payment),
      failure: as === 'failed' ? failureOf(OPERATORS_FAILURE) : null,
      notify: true,
    });
    return paymentView(changed);
  });
}

const OPERATORS_FAILURE = { code: 'OPERATOR', detail: 'An operator found that the bank did not move the money.' };

async function openAllocation(
  tx: Tx,
  services: Pick<Services, 'config'>,
  { principal, vault_allocation_id: allocation_id, provider_id }: ExecuteRequest,
  at: Date,
) {
  const allocation = await lockMaybe(tx, queries.openAllocation({ allocation_id, at, provider_id }));
  if (!allocation) throw new DomainError('unknown-allocation', 'There is no allocation with this id.');
  await requireProvedAddress(tx, services, allocation.owner_id);
  const { held_by, category, confirm_before_pay } = allocation;
  const found = category === null ? undefined : { held_by, category, confirm_before_pay: confirm_before_pay === true };
  const payee = requirePayee(found, { principal, ownerId: allocation.owner_id });
  requireConfirmed(payee);
  return { allocation, category: payee.category };
}
