import type { Principal } from '../../domain/auth.ts';
import { londonDateOf, type CalendarDate } from '../../domain/dates.ts';
import { pence } from '../../domain/money.ts';
import { incomeLimitsOf, requireWithinIncomeLimits } from '../../domain/paycheck/evidence.ts';
import { hasUnposted } from '../../domain/yield.ts';
import type { LockedOwner } from '../../infra/db/locked-owner.ts';
import * as queries from '../../infra/db/queries/paycheck.ts';
import { standingsOfOwner } from '../../infra/db/queries/yield.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { standingOf } from '../yield/post.ts';
import { earningTypes, readRates } from '../yield/rates.ts';

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
  const before = await tx.one(queries.openAssertedIncome(assertion));
  const asserted = { owner: pence(before.owner), month: pence(before.month) };
  const own = difference < 0 ? (await tx.one(queries.assertedInPaycheck(assertion, payDate))).amount : 0;
  const after = requireWithinIncomeLimits(asserted, Math.max(difference, 0 - Math.max(0, own)), limits);
  await tx.run(queries.setAssertedIncome(assertion, after.owner, after.month));
}

/** Whether money that came since the first calculation has earned interest that is not posted yet. */
export async function hasUnpostedInterest(
  tx: Tx,
  services: Pick<Services, 'config'>,
  { ownerId, payDate, today }: { ownerId: string; payDate: CalendarDate; today: CalendarDate },
): Promise<boolean> {
  const since = (await tx.one(queries.firstCalculatedOn(ownerId, payDate))).day;
  if (since >= today) return false;
  const rates = await readRates(tx, services);
  const vaults = await tx.many(standingsOfOwner(ownerId, earningTypes(rates)));
  return vaults.some((row) => {
    const vault = { ...standingOf(row), lastAccrued: pence(row.last_accrued) };
    return hasUnposted(vault, { since, to: today, rates: rates[row.vault_type] });
  });
}
