import type { Principal } from '../../domain/auth.ts';
import { londonDateOf } from '../../domain/dates.ts';
import { pence } from '../../domain/money.ts';
import { incomeLimitsOf, requireWithinIncomeLimits } from '../../domain/paycheck/evidence.ts';
import * as statements from '../../infra/db/statements/paycheck.ts';
import type { Services } from '../../infra/services.ts';

/** Lock the owner first. Concurrent assertions of one key wait for each other, and so stay within the limits. */
export async function countAsserted(
  { db }: Pick<Services, 'db'>,
  { principal, ownerId, difference, at }: { principal: Principal; ownerId: string; difference: number; at: Date },
): Promise<void> {
  const limits = incomeLimitsOf(principal);
  if (limits === null || principal.kind !== 'api_key' || difference === 0) return;
  const month = `${londonDateOf(at).slice(0, 7)}-01`;
  const assertion = { lineage: principal.lineage, month, owner_id: ownerId };
  const before = await db.one(statements.openAssertedIncome(assertion));
  const asserted = { owner: pence(before.owner), month: pence(before.month) };
  const after = requireWithinIncomeLimits(asserted, difference, limits);
  await db.run(statements.setAssertedIncome(assertion, after.owner, after.month));
}
