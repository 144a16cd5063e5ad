import { callerOf, type Principal } from '../../domain/auth.ts';
import { londonDateOf } from '../../domain/dates.ts';
import { DomainError } from '../../domain/errors.ts';
import { pence } from '../../domain/money.ts';
import {
  estimatedCompletion,
  failureOf,
  msUntilDue,
  requireAvailable,
  requireResolvable,
  scheduleOf,
} from '../../domain/payments.ts';
import { lockMaybe } from '../../infra/db/locked-owner.ts';
import type { AllocationRow } from '../../infra/db/queries/ledger.ts';
import * as queries from '../../infra/db/queries/payments.ts';
import type { PaymentRow } from '../../infra/db/queries/payments.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { holdSignIn, requireProvedAddress } from '../auth/proof.ts';
import type { PaymentRequest, Payment } from '../../openapi/types.ts';
import { staysMarked } from './attention.ts';
import { requireMayPay, requireWithinLimits } from './limits.ts';
import { requirePayee } from './payees.ts';
import { choosePayer, paidWith, type PaidWith } from './payer.ts';
import { cancelPending } from './pending.ts';
import { paymentView } from './read.ts';
import { changePayment, insertPayment, lockPayment, orderedBy, type ChangeServices } from './record.ts';

type ExecuteRequest = PaymentRequest & { principal: Principal };

type CommandServices = ChangeServices & Pick<Services, 'clock' | 'config'>;
type ExecuteServices = CommandServices & Pick<Services, 'banks'>;

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
  const { owner } = allocation;
  const payer = await choosePayer(owner, services, request);
  requireAvailable({ available: pence(allocation.available) }, pence(request.amount));
  await requireWithinLimits(owner, services, request.amount, at);
  const countsOn = executeOn ?? londonDateOf(at);
  await requireMayPay(owner, services, { payer, wanted: { amount: request.amount }, countsOn });
  const paidBy = paidWith(payer, countsOn);
  const payment = newPayment(services, request, { allocation, executeOn, category, paidBy, at });
  const detail = payment.status === 'pending' ? `Scheduled for ${executeOn}.` : 'Accepted and on its way to the bank.';
  const actor = callerOf(request.principal);
  const by = { actor, orderedBy: orderedBy(actor, signIn), bankId: payer.bankId, detail, at };
  insertPayment(owner, services, payment, by);
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
  const payee =
    allocation.category === null ? undefined : { held_by: allocation.held_by, category: allocation.category };
  return { allocation, category: requirePayee(payee, { principal, ownerId: allocation.owner_id }).category };
}

function newPayment(
  { newId }: Pick<Services, 'newId'>,
  request: ExecuteRequest,
  {
    allocation,
    executeOn,
    category,
    paidBy,
    at,
  }: Pick<PaymentRow, 'category'> & { allocation: AllocationRow; executeOn: string | null; paidBy: PaidWith; at: Date },
): PaymentRow {
  const instant = at.toISOString();
  return {
    payment_id: newId('pay'),
    seq: 0,
    owner_id: allocation.owner_id,
    allocation_id: allocation.allocation_id,
    vault_id: allocation.vault_id,
    provider_id: request.provider_id,
    category,
    amount: request.amount,
    currency: request.currency,
    reference: request.reference?.trim() ?? null,
    ...paidBy,
    execute_on: executeOn,
    due_date: request.due_date ?? null,
    status: msUntilDue(executeOn, at) > 0 ? 'pending' : 'processing',
    bank_status: null,
    attempt: 1,
    failure: null,
    attention: false,
    initiated_at: instant,
    estimated_completion: estimatedCompletion(executeOn, at).toISOString(),
    updated_at: instant,
    version: 1,
  };
}
