import { standingOn } from '../../domain/debt/standing.ts';
import type { PlanStatus } from '../../infra/db/entities/debt.ts';
import type { Queries } from '../../infra/db/connection.ts';
import * as queries from '../../infra/db/queries/debt.ts';
import type { PlanRow, RevisionRow } from '../../infra/db/queries/debt.ts';
import type { Services } from '../../infra/services.ts';
import { DEFAULT_LIMIT, pagesOf } from '../page.ts';
import type { DebtPlan } from '../../openapi/types.ts';
import { chartTask, compareProgress, writeSimulation } from './calculations.ts';
import { historiesOf, historyOf, type KnownPlan } from './history.ts';
import { headOf, lastDayOf, requirePlan, revisionOf, statusOf, summaryOf, type PlanRef } from './rows.ts';

type Needs = Pick<Services, 'db' | 'clock' | 'threads'>;

export async function getDebtPlan(services: Needs, request: PlanRef) {
  const { plan, revisions } = await settled(services, await readPlan(services.db, request));
  const row = revisions.at(-1)!;
  return { revision: row.revision, json: await writePlan(services, plan, row) };
}

/** Reads the plan as it was when it was created. */
export async function readNewPlan({ db, threads }: Pick<Needs, 'db' | 'threads'>, { plan_id }: PlanRef) {
  const plan = requirePlan(await db.maybe(queries.planById(plan_id)));
  const row = (await db.many(queries.revisionsOf([plan_id])))[0]!;
  const status = statusOf(revisionOf(row));
  return writePlan({ threads }, { ...plan, status, closed_at: null }, row);
}

async function writePlan({ threads }: Pick<Needs, 'threads'>, plan: PlanRow, row: RevisionRow) {
  const repayment = revisionOf(row);
  const request = { repayment, startsOn: row.starts_on, head: headOf(plan, row) };
  return (await writeSimulation<DebtPlan>(threads, request)).json;
}

export async function drawDebtPlan(
  { db, threads }: Pick<Needs, 'db' | 'threads'>,
  { plan_id }: PlanRef,
): Promise<string> {
  requirePlan(await db.maybe(queries.planById(plan_id)));
  const row = (await db.many(queries.revisionsOf([plan_id]))).at(-1)!;
  return threads.run(chartTask, { repayment: revisionOf(row), startsOn: row.starts_on, name: row.name });
}

export async function listDebtPlans(
  services: Pick<Services, 'db' | 'clock' | 'keys'>,
  { user_id, limit = DEFAULT_LIMIT, cursor }: { user_id: string; limit?: number; cursor?: string },
) {
  const pages = pagesOf(services, { operation: 'listDebtPlans', filter: { user_id } });
  const rows = await services.db.many(queries.plansOfOwner(user_id, await pages.after(cursor), limit + 1));
  const statuses = new Map<string, PlanStatus>();
  // Only payments through the service change a status without a request to the plan.
  const changing = rows.slice(0, limit).filter(({ debts }) => debts.some(({ provider_id }) => provider_id !== null));
  if (changing.length > 0) {
    const planIds = new Set(changing.map(({ plan_id }) => plan_id));
    for await (const known of historiesOf(services.db, { ownerId: user_id, planIds, from: changing.at(-1)!.seq })) {
      const { plan } = await settled(services, known);
      statuses.set(plan.plan_id, plan.status);
    }
  }
  return pages.page(rows, limit, (row) => {
    const status = statuses.get(row.plan_id) ?? row.status;
    return summaryOf({ ...row, status, created_at: row.plan_created_at }, row);
  });
}

export async function readDebtProgress(services: Needs, request: PlanRef) {
  const now = await services.clock.now(services.db);
  const { plan, history, revisions } = await settled(services, await readPlan(services.db, request));
  const asOf = lastDayOf(plan, now);
  const progress = await compareProgress(services.threads, { history, asOf });
  return { revision: revisions.at(-1)!.revision, progress: { plan_id: plan.plan_id, ...progress } };
}

async function readPlan(db: Queries, { plan_id }: PlanRef): Promise<KnownPlan> {
  return historyOf(db, requirePlan(await db.maybe(queries.planById(plan_id))));
}

/** Updates the plan's status from its payments so far. */
async function settled({ db, clock }: Pick<Services, 'db' | 'clock'>, known: KnownPlan): Promise<KnownPlan> {
  const today = lastDayOf(known.plan, await clock.now(db));
  if (statusOf(standingOn(known.history, today)) === known.plan.status) return known;
  return db.transaction(async (tx) => {
    const locked = requirePlan(await tx.maybe(queries.lockPlan(known.plan.plan_id)));
    const current = await historyOf(tx, locked);
    const status = statusOf(standingOn(current.history, today));
    await tx.run(queries.updatePlan(locked.plan_id, { revision: locked.revision, status }));
    return { ...current, plan: { ...locked, status } };
  });
}
