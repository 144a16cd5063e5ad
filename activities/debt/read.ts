import { londonDateOf } from '../../domain/dates.ts';
import { standingOn } from '../../domain/debt/standing.ts';
import type { PlanStatus } from '../../infra/db/entities/debt.ts';
import * as statements from '../../infra/db/statements/debt.ts';
import type { PlanRow, RevisionRow } from '../../infra/db/statements/debt.ts';
import type { Services } from '../../infra/services.ts';
import { DEFAULT_LIMIT, pagesOf } from '../page.ts';
import type { DebtPlan } from '../../openapi/types.ts';
import { compareProgress, drawSimulation, writeSimulation } from './calculations.ts';
import { historiesOf, historyOf, type KnownPlan } from './history.ts';
import { requirePlan, revisionOf, statusOf, type PlanRef } from './rows.ts';
import { headOf, summaryOf } from './views.ts';

export async function getDebtPlan(services: Services, request: PlanRef) {
  const { plan, revisions } = await settled(services, await readPlan(services, request));
  const row = revisions.at(-1)!;
  return { revision: row.revision, json: await writePlan(services, plan, row) };
}

/** Reads the plan as it was when it was created. */
export async function readNewPlan(services: Services, { plan_id }: PlanRef) {
  const plan = requirePlan(await services.db.maybe(statements.planById(plan_id)));
  const row = (await services.db.many(statements.revisionsOf([plan_id])))[0]!;
  const status = statusOf(revisionOf(row));
  return { plan_id, json: await writePlan(services, { ...plan, status }, row) };
}

async function writePlan({ threads }: Services, plan: PlanRow, row: RevisionRow) {
  const repayment = revisionOf(row);
  const request = { repayment, startsOn: row.starts_on, head: headOf(plan, row) };
  return (await writeSimulation<DebtPlan>(threads, request)).json;
}

export async function drawDebtPlan(services: Services, { plan_id }: PlanRef): Promise<string> {
  requirePlan(await services.db.maybe(statements.planById(plan_id)));
  const row = (await services.db.many(statements.revisionsOf([plan_id]))).at(-1)!;
  return drawSimulation(services.threads, {
    repayment: revisionOf(row),
    startsOn: row.starts_on,
    title: row.name ?? 'What is still owed, month by month',
  });
}

export async function listDebtPlans(
  services: Services,
  { user_id, limit = DEFAULT_LIMIT, cursor }: { user_id: string; limit?: number; cursor?: string },
) {
  const pages = pagesOf(services, { operation: 'listDebtPlans', filter: { user_id } });
  const rows = await services.db.many(statements.plansOfOwner(user_id, await pages.after(cursor), limit + 1));
  const statuses = new Map<string, PlanStatus>();
  // Only payments through the service change a status without a request to the plan.
  const changing = rows.slice(0, limit).filter(({ debts }) => debts.some(({ provider_id }) => provider_id !== null));
  if (changing.length > 0) {
    const planIds = new Set(changing.map(({ plan_id }) => plan_id));
    for await (const known of historiesOf(services, { ownerId: user_id, planIds, from: changing.at(-1)!.seq })) {
      const { plan } = await settled(services, known);
      statuses.set(plan.plan_id, plan.status);
    }
  }
  return pages.page(rows, limit, (row) => {
    const status = statuses.get(row.plan_id) ?? row.status;
    return summaryOf({ ...row, status, created_at: row.plan_created_at }, row);
  });
}

export async function readDebtProgress(services: Services, request: PlanRef) {
  const asOf = londonDateOf(await services.clock.now());
  const { plan, history, revisions } = await settled(services, await readPlan(services, request));
  const progress = await compareProgress(services.threads, { history, asOf });
  return {
    revision: revisions.at(-1)!.revision,
    progress: {
      plan_id: plan.plan_id,
      strategy: history.revisions.at(-1)!.strategy,
      ...progress,
    },
  };
}

async function readPlan(services: Services, { plan_id }: PlanRef): Promise<KnownPlan> {
  const plan = requirePlan(await services.db.maybe(statements.planById(plan_id)));
  return historyOf(services, plan);
}

/** Updates the plan's status from its payments so far. */
async function settled(services: Services, known: KnownPlan): Promise<KnownPlan> {
  const { db } = services;
  const today = londonDateOf(await services.clock.now());
  if (statusOf(standingOn(known.history, today)) === known.plan.status) return known;
  return db.transaction(async () => {
    const locked = requirePlan(await db.maybe(statements.lockPlan(known.plan.plan_id)));
    const current = await historyOf(services, locked);
    const status = statusOf(standingOn(current.history, today));
    await db.run(statements.updatePlan(locked.plan_id, { revision: locked.revision, status }));
    return { ...current, plan: { ...locked, status } };
  });
}
