import type { Principal } from '../../domain/auth.ts';
import { londonDateOf } from '../../domain/dates.ts';
import { requireRoomForPlan, requireStartDate } from '../../domain/debt/plan.ts';
import { DEFAULT_STRATEGY } from '../../domain/debt/simulation.ts';
import { pence } from '../../domain/money.ts';
import * as statements from '../../infra/db/statements/debt.ts';
import type { PlanRow, RevisionRow } from '../../infra/db/statements/debt.ts';
import { lockOwner } from '../../infra/db/statements/ledger.ts';
import type { Services } from '../../infra/services.ts';
import type { LongJson } from '../../infra/threads/long-json.ts';
import { requireProvider } from '../payments/providers.ts';
import { bindOwner, type NewOwner } from '../reach.ts';
import type { DebtPlan, DebtPlanRequest } from '../../openapi/types.ts';
import { auditPlan, simulateRevision } from './revise.ts';
import { termsOf } from './rows.ts';

/** Amounts are in pence, rates in basis points. */
export interface NewPlan extends DebtPlanRequest {
  principal: Principal;
  user_id: string;
  newOwner?: NewOwner | undefined;
}

export interface PreparedPlan {
  plan: Omit<PlanRow, 'seq'>;
  row: RevisionRow;
  json: LongJson<DebtPlan>;
  now: Date;
}

/** Do not call inside a transaction, because a long simulation waits for a thread. */
export async function prepareDebtPlan(services: Services, request: NewPlan): Promise<PreparedPlan> {
  const { newId, clock } = services;
  const now = await clock.now();
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
  services: Services,
  request: NewPlan,
  prepared = prepareDebtPlan(services, request),
) {
  const { db } = services;
  const { plan, row, json, now } = await prepared;
  await db.transaction(async () => {
    await db.run(lockOwner(request.user_id, now));
    await bindOwner(services, request.newOwner);
    requireRoomForPlan((await db.one(statements.countPlans(request.user_id))).plans);
    await requireProviders(services, request);
    await db.run(statements.insertPlan(plan));
    await db.run(statements.insertRevision(row));
    await auditPlan(services, 'debt.plan-created', request.principal, row, now);
  });
  return { plan_id: plan.plan_id, json };
}

async function requireProviders({ db }: Services, { debts, principal, user_id }: NewPlan): Promise<void> {
  const wanted = [...new Set(debts.flatMap(({ provider_id }) => provider_id ?? []))];
  if (wanted.length === 0) return;
  const found = new Map((await db.many(statements.providersByIds(wanted))).map((row) => [row.provider_id, row]));
  for (const providerId of wanted) requireProvider(found.get(providerId), { principal, ownerId: user_id });
}
