import type { CalendarDate } from '../../domain/dates.ts';
import { pence } from '../../domain/money.ts';
import { hasUnposted } from '../../domain/yield.ts';
import type { Queries } from '../../infra/db/connection.ts';
import { firstCalculatedOn } from '../../infra/db/queries/paycheck.ts';
import { standingsOfOwner } from '../../infra/db/queries/yield.ts';
import type { Services } from '../../infra/services.ts';
import { standingOf } from '../yield/post.ts';
import { earningTypes, readRates } from '../yield/rates.ts';

/** Whether money that came since the first calculation has earned interest that is not posted yet. */
export async function hasUnpostedInterest(
  db: Queries,
  services: Pick<Services, 'config'>,
  { ownerId, payDate, today }: { ownerId: string; payDate: CalendarDate; today: CalendarDate },
): Promise<boolean> {
  const since = (await db.one(firstCalculatedOn(ownerId, payDate))).day;
  if (since >= today) return false;
  const rates = await readRates(db, services);
  const vaults = await db.many(standingsOfOwner(ownerId, earningTypes(rates)));
  return vaults.some((row) => {
    const vault = { ...standingOf(row), lastAccrued: pence(row.last_accrued) };
    return hasUnposted(vault, { since, to: today, rates: rates[row.vault_type] });
  });
}
