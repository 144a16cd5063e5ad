import { callerOf, type Principal } from '../../domain/auth.ts';
import { londonDateOf, type CalendarDate } from '../../domain/dates.ts';
import { alreadyCounted, MOST_PAYMENTS, requirePaidOn, requireBelow } from '../../domain/debt/plan.ts';
import { requireDebt } from '../../domain/debt/revision.ts';
import { standingOn, type Revision } from '../../domain/debt/standing.ts';
import { pence } from '../../domain/money.ts';
import { lockMaybe, type LockedOwner } from '../../infra/db/locked-owner.ts';
import * as queries from '../../infra/db/queries/debt.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { historyOf } from './history.ts';
import { requireNotClosed, requirePlan, statusOf, type PlanRef } from './rows.ts';

export interface DebtPaymentRequest extends PlanRef {
  principal: Principal;
  debt: string;
  amount: number;
  paid_on: CalendarDate;
  /** True if the user confirms that this payment differs from a similar one made through this service. */
  separate?: boolean;
}

/** Records a payment that was made outside this service. */
export async function recordDebtPayment(
  tx: Tx,
  services: Pick<Services, 'clock' | 'newId'>,
  request: DebtPaymentRequest,
) {
  const { principal, plan_id, debt, amount, paid_on } = request;
  const now = await services.clock.now(tx);
  const today = londonDateOf(now);
  const { owner } = requirePlan(await lockMaybe(tx, queries.lockOwnerOfPlan(plan_id)));
  const plan = requireNotClosed(requirePlan(await tx.maybe(queries.lockPlan(plan_id))));
  const { history: before } = await historyOf(tx, plan);
  const { debts } = before.revisions[0];
  requireDebt(debts, debt);
  requirePaidOn(paid_on, plan.start_date, today);
  requireBelow(before.payments.filter(({ to }) => 'debt' in to).length, MOST_PAYMENTS, 'recorded payments');
  if (!request.separate) await requireNotCounted(owner, before.revisions[0], request);
  const paymentId = services.newId('dpay');
  const created_at = now.toISOString();
  await tx.run(queries.insertPayment({ payment_id: paymentId, plan_id, debt, amount, paid_on, created_at }));
  const paid = { on: paid_on, at: created_at, amount: pence(amount), to: { debt } };
  const standing = standingOn({ ...before, payments: [...before.payments, paid] }, today);
  const status = statusOf(standing);
  if (status !== plan.status) await tx.run(queries.updatePlan(plan_id, { revision: plan.revision, status }));
  const position = debts.findIndex(({ name }) => name === debt);
  const data = { payment_id: paymentId, debt: position + 1, amount, paid_on, status };
  const subject = { subject: plan_id, kind: 'debt.payment-recorded', actor: callerOf(principal) } as const;
  await audit(tx, services, { ...subject, data, at: now });
  const remaining: number = standing.debts[position]!.balance;
  return { payment_id: paymentId, plan_id, debt, amount, paid_on, remaining, status, created_at };
}

/** Under the owner's lock, no payment of the owner can complete between this check and the insert. */
async function requireNotCounted(
  { tx, id: owner_id }: LockedOwner,
  { debts }: Revision,
  { debt, amount, paid_on }: DebtPaymentRequest,
): Promise<void> {
  const { providerId } = debts.find(({ name }) => name === debt)!;
  if (providerId === null) return;
  const payment = { owner_id, provider_id: providerId, amount, on: paid_on };
  const found = await tx.maybe(queries.completedAround(payment));
  if (found) throw alreadyCounted(found.payment_id);
}
