import { callerOf, type Principal } from '../../domain/auth.ts';
import { lockMaybe } from '../../infra/db/locked-owner.ts';
import * as queries from '../../infra/db/queries/debt.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { requirePlan, type PlanRef } from './rows.ts';

/** The plan counts no payment that completes afterwards. Changes nothing if the plan is closed already. */
export async function closeDebtPlan(
  { db, ...services }: Pick<Services, 'db' | 'clock' | 'newId'>,
  { principal, plan_id }: PlanRef & { principal: Principal },
): Promise<void> {
  await db.transaction(async (tx) => {
    // A payment completes under the same lock, so it completes before the plan is closed, or afterwards.
    requirePlan(await lockMaybe(tx, queries.lockOwnerOfPlan(plan_id)));
    const plan = requirePlan(await tx.maybe(queries.lockPlan(plan_id)));
    if (plan.closed_at !== null) return;
    const at = await services.clock.now(tx);
    await tx.run(queries.closePlan(plan_id, at));
    const data = { revision: plan.revision, status: plan.status };
    await audit(tx, services, { subject: plan_id, kind: 'debt.plan-closed', actor: callerOf(principal), data, at });
  });
}
