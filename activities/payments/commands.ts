import { callerOf, type Principal } from '../../domain/auth.ts';
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
import type { LotRow } from '../../infra/db/statements/ledger.ts';
import * as statements from '../../infra/db/statements/payments.ts';
import type { PaymentRow } from '../../infra/db/statements/payments.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { holdSignIn, requireProvedAddress } from '../auth/proof.ts';
import type { PaymentRequest, Payment } from '../../openapi/types.ts';
import { staysMarked } from './attention.ts';
import { requireEvidence } from './evidence.ts';
import { requireWithinLimits } from './limits.ts';
import { requireProvider } from './providers.ts';
import { cancelPending } from './pending.ts';
import { paymentView } from './read.ts';
import { changePayment, insertPayment, lockWithOwner, tellWorkflow } from './record.ts';
import { retryPayment } from './retry.ts';

type ExecuteRequest = PaymentRequest & { principal: Principal };

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

export const paymentCommands = { executePayment, retryPayment, cancelPayment, resolvePayment };

async function executePayment(services: Services, request: ExecuteRequest): Promise<Payment> {
  if (request.currency !== 'GBP') {
    throw new DomainError('unsupported-currency', 'Payments must be in pounds sterling. Set currency to GBP.', {
      supported: 'GBP',
    });
  }
  return services.db.transaction(async () => {
    const signIn = await holdSignIn(services, request.principal);
    const at = await services.clock.now();
    const executeOn = scheduleOf(request.execute_on, at);
    const { lot, category } = await openLot(services, request, at);
    requireAvailable({ available: pence(lot.available) }, pence(request.amount));
    await requireWithinLimits(services, { owner_id: lot.owner_id, amount: request.amount }, at);
    await requireEvidence(services, { owner_id: lot.owner_id, amount: request.amount });
    const payment = newPayment(services, request, { lot, executeOn, category, at });
    const detail =
      payment.status === 'pending' ? `Scheduled for ${executeOn}.` : 'Accepted and on its way to the bank.';
    await insertPayment(services, payment, { actor: callerOf(request.principal), signIn, detail, at });
    return paymentView(payment);
  });
}

async function cancelPayment(services: Services, { principal, payment_id }: PaymentCommand): Promise<Payment> {
  return services.db.transaction(async () => {
    const detail = 'Cancelled before the bank accepted the payment.';
    const by = { actor: callerOf(principal), detail, at: await services.clock.now() };
    return paymentView(await cancelPending(services, payment_id, by));
  });
}

async function resolvePayment(services: Services, { payment_id, as, reason, actor }: ResolveRequest): Promise<Payment> {
  return services.db.transaction(async () => {
    const at = await services.clock.now();
    const payment = await lockWithOwner(services, payment_id, at);
    requireResolvable(payment);
    await audit(services, { subject: payment_id, kind: 'payment.resolved', actor, data: { as, reason }, at });
    const changed = await changePayment(services, payment, {
      to: as,
      detail: `Resolved by an operator as ${as}.`,
      actor,
      at,
      attention: await staysMarked(services, payment),
      failure: as === 'failed' ? failureOf(OPERATORS_WORD) : null,
    });
    await tellWorkflow(services, changed);
    return paymentView(changed);
  });
}

const OPERATORS_WORD = { code: 'OPERATOR', detail: 'An operator found that the bank did not move the money.' };

/** Locks the owner before reading the allocation. */
async function openLot(services: Services, { principal, vault_allocation_id, provider_id }: ExecuteRequest, at: Date) {
  const lot = await services.db.maybe(statements.openLot(vault_allocation_id, at, provider_id));
  if (!lot) throw new DomainError('unknown-allocation', 'There is no allocation with this id.');
  await requireProvedAddress(services, lot.owner_id);
  const provider = lot.category === null ? undefined : { held_by: lot.held_by, category: lot.category };
  return { lot, category: requireProvider(provider, { principal, ownerId: lot.owner_id }).category };
}

function newPayment(
  { newId }: Services,
  request: ExecuteRequest,
  {
    lot,
    executeOn,
    category,
    at,
  }: { lot: LotRow; executeOn: string | null; category: PaymentRow['category']; at: Date },
): PaymentRow {
  const instant = at.toISOString();
  return {
    payment_id: newId('pay'),
    seq: 0,
    owner_id: lot.owner_id,
    allocation_id: lot.allocation_id,
    vault_id: lot.vault_id,
    provider_id: request.provider_id,
    category,
    amount: request.amount,
    currency: request.currency,
    reference: request.reference?.trim() ?? null,
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
