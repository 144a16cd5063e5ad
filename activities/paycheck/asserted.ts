import type { Principal } from '../../domain/auth.ts';
import { londonDateOf, type CalendarDate } from '../../domain/dates.ts';
import { pence } from '../../domain/money.ts';
import { incomeLimitsOf, requireWithinIncomeLimits } from '../../domain/paycheck/evidence.ts';
import type { LockedOwner } from '../../infra/db/locked-owner.ts';
import * as statements from '../../infra/db/queries/paycheck.ts';

interface Revision {
  principal: Principal;
  payDate: CalendarDate;
  difference: number;
  at: Date;
}

/** Concurrent assertions of one key wait for each other, and so stay within the limits. */
export async function countAsserted({ id: ownerId, tx }: LockedOwner, revision: Revision): Promise<void> {
  const { principal, payDate, difference, at } = revision;
  const limits = incomeLimitsOf(principal);
  if (limits === null || principal.kind !== 'api_key' || difference === 0) return;
  const month = `${londonDateOf(at).slice(0, 7)}-01`;
  const assertion = { lineage: principal.lineage, month, owner_id: ownerId };
  const before = await tx.one(statements.openAssertedIncome(assertion));
  const asserted = { owner: pence(before.owner), month: pence(before.month) };
  const own = difference < 0 ? (await tx.one(statements.assertedInPaycheck(assertion, payDate))).amount : 0;
  const after = requireWithinIncomeLimits(asserted, Math.max(difference, 0 - Math.max(0, own)), limits);
  await tx.run(statements.setAssertedIncome(assertion, after.owner, after.month));
}
