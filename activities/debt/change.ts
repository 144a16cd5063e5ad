import type { Principal } from '../../domain/auth.ts';
import { londonDateOf } from '../../domain/dates.ts';
import { MOST_REVISIONS, requireDifferentNames, requireRoom } from '../../domain/debt/plan.ts';
import { revisedPlan, type PlanChange } from '../../domain/debt/revision.ts';
import { DomainError } from '../../domain/errors.ts';
import { pence } from '../../domain/money.ts';
import * as statements from '../../infra/db/statements/debt.ts';
import type { PlanRow } from '../../infra/db/statements/debt.ts';
import type { Services } from '../../infra/services.ts';
import type { DebtPlanChange } from '../../openapi/types.ts';
import { historyOf } from './history.ts';
import { auditPlan, simulateRevision } from './revise.ts';
import { requirePlan, statusOf, type PlanRef } from './rows.ts';

export interface PlanChangeRequest extends PlanRef, DebtPlanChange {
  principal: Principal;
  /** The allowed current revisions (`If-Match`). If undefined, any revision will do. */
  revisions?: readonly number[] | undefined;
}

export async function changeDebtPlan(services: Services, request: PlanChangeRequest) {
  const { db } = services;
  const now = await services.clock.now();
  if (request.debts) requireDifferentNames(request.debts);
  return db.transaction(async () => {
    const locked = requirePlan(await db.maybe(statements.lockPlan(request.plan_id)));
    requireRevision(locked, request.revisions);
    requireRoom(locked.revision, MOST_REVISIONS, 'revisions');
    const { history, revisions } = await historyOf(services, locked);
    const revision = revisedPlan(history, changeOf(request), { today: londonDateOf(now), at: now.toISOString() });
    const plan: PlanRow = { ...locked, revision: locked.revision + 1, status: statusOf(revision) };
    const name = request.name ?? revisions.at(-1)!.name;
    const { row, json } = await simulateRevision(services, plan, name, revision);
    await db.run(statements.insertRevision(row));
    await db.run(statements.updatePlan(plan.plan_id, { revision: plan.revision, status: plan.status }));
    await auditPlan(services, 'debt.plan-updated', request.principal, row, now);
    return { revision: plan.revision, json };
  });
}

function changeOf({ strategy, monthly_budget, debts }: PlanChangeRequest): PlanChange {
  return {
    ...(strategy !== undefined && { strategy }),
    ...(monthly_budget !== undefined && { monthlyBudget: pence(monthly_budget) }),
    ...(debts !== undefined && {
      debts: debts.map(({ name, balance, rate, minimum }) => ({
        name,
        ...(balance !== undefined && { balance: pence(balance) }),
        ...(rate !== undefined && { rate }),
        ...(minimum !== undefined && { minimum: pence(minimum) }),
      })),
    }),
  };
}

function requireRevision({ revision }: PlanRow, allowed: readonly number[] | undefined): void {
  if (allowed === undefined || allowed.includes(revision)) return;
  throw new DomainError('precondition-failed', `The plan is now at revision ${revision}. Get the plan again.`, {
    revision,
  });
}
