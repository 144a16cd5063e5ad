import type { Principal } from '../../domain/auth.ts';
import { londonDateOf } from '../../domain/dates.ts';
import { requireWithinPlanLimit, requireStartDate } from '../../domain/debt/plan.ts';
import { DEFAULT_STRATEGY } from '../../domain/debt/simulation.ts';
import { pence } from '../../domain/money.ts';
import { lockOne } from '../../infra/db/locked-owner.ts';
import * as queries from '../../infra/db/queries/debt.ts';
import type { PlanRow } from '../../infra/db/queries/debt.ts';
import { lockOwner } from '../../infra/db/queries/ledger.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { countStored } from '../day-limits.ts';
import { requirePayee } from '../payments/payees.ts';
import { bindOwner, type NewOwner } from '../reach.ts';
import type { DebtPlanRequest } from '../../openapi/types.ts';
import { auditPlan, simulateRevision } from './revise.ts';
import { termsOf } from './rows.ts';

/** Amounts are in pence, rates in basis points. */
export interface NewPlan extends DebtPlanRequest {
  principal: Principal;
  user_id: string;
  newOwner?: NewOwner | undefined;
}

export type PreparedPlan = Awaited<ReturnType<typeof prepareDebtPlan>>;

/** Happens before the transaction, because a long simulation waits for a thread. */
export async function prepareDebtPlan(
  services: Pick<Services, 'db' | 'clock' | 'threads' | 'newId'>,
  request: NewPlan,
) {
  const { db, newId, clock } = services;
  const now = await clock.now(db);
  const today = londonDateOf(now);
  const startDate = request.start_date ?? today;
  requireStartDate(startDate, today);
  const plan: Omit<PlanRow, 'seq'> = {
    plan_id: newId('plan'),
    owner_id: request.user_id,
    start_date: startDate,
    status: 'active',
    revision: 1,
    created_at: now.toISOString(),
    closed_at: null,
  };
  const revision = {
    strategy: request.strategy ?? DEFAULT_STRATEGY,
    monthlyBudget: pence(request.monthly_budget),
    startsOn: startDate,
    madeOn: today,
    at: plan.created_at,
    debts: request.debts.map((debt) => ({
      ...termsOf(debt),
      accrued: pence(0),
      providerId: debt.provider_id ?? null,
      isGiven: true,
    })),
  };
  return { plan, now, ...(await simulateRevision(services, plan, request.name ?? null, revision)) };
}

export async function createDebtPlan(
  tx: Tx,
  services: Pick<Services, 'newId' | 'config'>,
  request: NewPlan,
  { plan, row, json, now }: PreparedPlan,
) {
  await lockOne(tx, lockOwner(request.user_id, now));
  await bindOwner(tx, request.newOwner);
  requireWithinPlanLimit(await tx.one(queries.countPlans(request.user_id)));
  await requirePayees(tx, request);
  await tx.run(queries.insertPlan(plan));
  await tx.run(queries.insertRevision(row));
  await countStored(tx, services, { by: request.principal, ownerId: request.user_id, kind: 'revisions', at: now });
  await auditPlan(tx, services, 'debt.plan-created', request.principal, row, now);
  return { plan_id: plan.plan_id, json };
}

async function requirePayees(tx: Tx, { debts, principal, user_id }: NewPlan): Promise<void> {
  const wanted = [...new Set(debts.flatMap(({ provider_id }) => provider_id ?? []))];
  if (wanted.length === 0) return;
  const found = new Map((await tx.many(queries.payeesByIds(wanted))).map((row) => [row.provider_id, row]));
  for (const providerId of wanted) requirePayee(found.get(providerId), { principal, ownerId: user_id });
}
