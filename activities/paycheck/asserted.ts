import type { Principal } from '../../domain/auth.ts';
import { londonDateOf, type CalendarDate } from '../../domain/dates.ts';
import { pence } from '../../domain/money.ts';
import { incomeLimitsOf, requireWithinIncomeLimits } from '../../domain/paycheck/evidence.ts';
import * as statements from '../../infra/db/statements/paycheck.ts';
import type { Services } from '../../infra/services.ts';

interface Revision {
  principal: Principal;
  ownerId: string;
  payDate: CalendarDate;
  difference: number;
  at: Date;
}

/** Lock the owner first. Concurrent assertions of one key wait for each other, and so stay within the limits. */
export async function countAsserted({ db }: Pick<Services, 'db'>, revision: Revision): Promise<void> {
  const { principal, ownerId, payDate, difference, at } = revision;
  const limits = incomeLimitsOf(principal);
  if (limits === null || principal.kind !== 'api_key' || difference === 0) return;
  const month = `${londonDateOf(at).slice(0, 7)}-01`;
  const assertion = { lineage: principal.lineage, month, owner_id: ownerId };
  const before = await db.one(statements.openAssertedIncome(assertion));
  const asserted = { owner: pence(before.owner), month: pence(before.month) };
  const own = difference < 0 ? (await db.one(statements.assertedInPaycheck(assertion, payDate))).amount : 0;
  const after = requireWithinIncomeLimits(asserted, Math.max(difference, 0 - Math.max(0, own)), limits);
  await db.run(statements.setAssertedIncome(assertion, after.owner, after.month));
}
