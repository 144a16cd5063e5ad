import type { Principal } from '../../domain/auth.ts';
import { londonDateOf, type CalendarDate } from '../../domain/dates.ts';
import { pence } from '../../domain/money.ts';
import { incomeLimitsOf, requireWithinIncomeLimits } from '../../domain/paycheck/evidence.ts';
import { earnsBetween, hasUnposted } from '../../domain/yield.ts';
import type { LockedOwner } from '../../infra/db/locked-owner.ts';
import * as queries from '../../infra/db/queries/paycheck.ts';
import { connectedOn, standingsOfOwner } from '../../infra/db/queries/yield.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import { standingOf } from '../yield/post.ts';
import { earningTypes, ratesOfVault, readRates } from '../yield/rates.ts';

interface Revision {
  principal: Principal | null;
  number: number;
  payDate: CalendarDate;
  difference: number;
  at: Date;
}

/** Concurrent assertions of one key wait for each other, and so stay within the limits. */
export async function countAsserted({ id: ownerId, tx }: LockedOwner, revision: Revision): Promise<void> {
  const { principal, number, payDate, difference, at } = revision;
  const limits = incomeLimitsOf(principal);
  if (limits === null || principal?.kind !== 'api_key' || difference === 0) return;
  const month = `${londonDateOf(at).slice(0, 7)}-01`;
  const assertion = { lineage: principal.lineage, month, owner_id: ownerId };
  const before = await tx.one(queries.openAssertedIncome(assertion));
  const asserted = { owner: pence(before.owner), month: pence(before.month) };
  const paycheck = { owner_id: ownerId, pay_date: payDate, number };
  const own = difference < 0 ? (await tx.one(queries.assertedInPaycheck(assertion, paycheck))).amount : 0;
  const after = requireWithinIncomeLimits(asserted, Math.max(difference, 0 - Math.max(0, own)), limits);
  await tx.run(queries.setAssertedIncome(assertion, after.owner, after.month));
}

/**
 * Whether the paycheck's own allocations, or other money that came since its first calculation, have earned interest
 * that is not posted yet. Own allocations count even if older money left the vault on the same day.
 */
export async function hasUnpostedInterest(
  tx: Tx,
  paycheck: queries.PaycheckKey,
  today: CalendarDate,
): Promise<boolean> {
  const since = (await tx.one(queries.firstCalculatedOn(paycheck))).day;
  if (since >= today) return false;
  const rates = await readRates(tx);
  const types = earningTypes(rates);
  const { connected_on } = await tx.one(connectedOn(paycheck.owner_id));
  const own = await tx.many(queries.allocationDays(paycheck, types));
  const hasEarned = own.some(({ vault_type, from_day, to_day }) =>
    earnsBetween(ratesOfVault(rates, { vault_type, connected_on }), { from: from_day, to: to_day ?? today }),
  );
  if (hasEarned) return true;
  const vaults = await tx.many(standingsOfOwner(paycheck.owner_id, types));
  return vaults.some((row) => {
    const vault = { ...standingOf(row), interest: pence(row.interest) };
    return hasUnposted(vault, { since, to: today, rates: ratesOfVault(rates, row) });
  });
}
