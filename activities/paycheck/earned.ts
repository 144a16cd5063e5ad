import type { CalendarDate } from '../../domain/dates.ts';
import { pence } from '../../domain/money.ts';
import { hasUnposted } from '../../domain/yield.ts';
import { firstCalculatedOn } from '../../infra/db/statements/paycheck.ts';
import { standingsOfOwner } from '../../infra/db/statements/yield.ts';
import type { Services } from '../../infra/services.ts';
import { openVaultOf } from '../yield/post.ts';
import { earningTypes, readRates } from '../yield/rates.ts';

/** Whether money that came since the first calculation has earned interest that is not posted yet. */
export async function hasUnpostedInterest(
  services: Pick<Services, 'db' | 'config'>,
  { ownerId, payDate, today }: { ownerId: string; payDate: CalendarDate; today: CalendarDate },
): Promise<boolean> {
  const { db } = services;
  const since = (await db.one(firstCalculatedOn(ownerId, payDate))).day;
  if (since >= today) return false;
  const rates = await readRates(services);
  const vaults = await db.many(standingsOfOwner(ownerId, earningTypes(rates)));
  return vaults.some((row) => {
    const vault = { ...openVaultOf(row), lastAccrued: pence(row.last_accrued) };
    return hasUnposted(vault, { since, to: today, rates: rates[row.vault_type] });
  });
}
