import { isDeepStrictEqual } from 'node:util';
import type { Principal } from '../../domain/auth.ts';
import { londonDateOf } from '../../domain/dates.ts';
import { MOST_REVISIONS, requireBelow } from '../../domain/debt/plan.ts';
import { revisedPlan, type PlanChange } from '../../domain/debt/revision.ts';
import type { Revision } from '../../domain/debt/standing.ts';
import { DomainError } from '../../domain/errors.ts';
import { pence } from '../../domain/money.ts';
import type { Queries } from '../../infra/db/connection.ts';
import type { Query } from '../../infra/db/query.ts';
import * as queries from '../../infra/db/queries/debt.ts';
import type { PlanRow, RevisionRow } from '../../infra/db/queries/debt.ts';
import type { Services } from '../../infra/services.ts';
import { createKeyedQueue } from '../../infra/threads/keyed-queue.ts';
import type { DebtPlanChange } from '../../openapi/types.ts';
import { countStored } from '../day-limits.ts';
import { historyOf } from './history.ts';
import { auditPlan, simulateRevision } from './revise.ts';
import { requireNotClosed, requirePlan, statusOf, type PlanRef } from './rows.ts';

export interface PlanChangeRequest extends PlanRef, DebtPlanChange {
  principal: Principal;
  /** The allowed current revisions (`If-Match`). If undefined, any revision will do. */
  revisions?: readonly number[] | undefined;
}

interface Draft {
  plan: PlanRow;
  name: string | null;
  revision: Revision;
}

/** Other processes, and payments, can change the plan during a simulation. */
const MOST_TRIES = 5;
const MOST_WAITING = 50;
const RETRY_AFTER_S = 2;

/** Without the queue, simultaneous changes of a plan would all be simulated for each change that succeeds. */
const changes = createKeyedQueue({ most: MOST_WAITING, tooMany: tooManyChanges });

type Needs = Pick<Services, 'db' | 'clock' | 'threads' | 'newId' | 'config'>;

export async function changeDebtPlan(services: Needs, request: PlanChangeRequest) {
  return changes.run(request.plan_id, async () => {
    const { db, clock } = services;
    const now = await clock.now(db);
    for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
      const draft = await draftOf(db, queries.planById(request.plan_id), request, now);
      const { row, json } = await simulateRevision(services, draft.plan, draft.name, draft.revision);
      if (await stored(services, { request, draft, row, now })) return { revision: row.revision, json };
    }
    throw tooManyChanges();
  });
}

async function draftOf(db: Queries, query: Query<PlanRow>, request: PlanChangeRequest, now: Date): Promise<Draft> {
  const found = requireNotClosed(requirePlan(await db.maybe(query)));
  requireRevision(found, request.revisions);
  requireBelow(found.revision, MOST_REVISIONS, 'revisions');
  const { history, revisions } = await historyOf(db, found);
  const revision = revisedPlan(history, changeOf(request), { today: londonDateOf(now), at: now.toISOString() });
  const plan: PlanRow = { ...found, revision: found.revision + 1, status: statusOf(revision) };
  return { plan, name: request.name ?? revisions.at(-1)!.name, revision };
}

/** Stores nothing and returns false if the plan or its payments have changed since the draft. */
async function stored(
  services: Needs,
  { request, draft, row, now }: { request: PlanChangeRequest; draft: Draft; row: RevisionRow; now: Date },
): Promise<boolean> {
  return services.db.transaction(async (tx) => {
    const current = await draftOf(tx, queries.lockPlan(request.plan_id), request, now);
    if (!isDeepStrictEqual(current, draft)) return false;
    const { plan_id, owner_id, revision, status } = draft.plan;
    await countStored(tx, services, { by: request.principal, ownerId: owner_id, kind: 'revisions', at: now });
    await tx.run(queries.insertRevision(row));
    await tx.run(queries.updatePlan(plan_id, { revision, status }));
    await auditPlan(tx, services, 'debt.plan-updated', request.principal, row, now);
    return true;
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

function tooManyChanges(): DomainError {
  const detail = `Too many changes of this plan are under way. Try again in ${RETRY_AFTER_S} seconds.`;
  return new DomainError('debt-plan-busy', detail, { retry_after: RETRY_AFTER_S });
}
