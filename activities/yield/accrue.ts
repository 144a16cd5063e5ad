import { daysBetween, londonDateOf, type CalendarDate } from '../../domain/dates.ts';
import { DomainError } from '../../domain/errors.ts';
import { planAccruals, remainderText, requireAsOf } from '../../domain/yield.ts';
import * as statements from '../../infra/db/statements/yield.ts';
import type { AccrualRow } from '../../infra/db/statements/yield.ts';
import { openVaultOf, postAccruals, type YieldServices } from './post.ts';
import { readRates } from './rates.ts';

export interface AccrueRequest {
  vault_id: string;
  /** The first day that is not to earn; today when left out. */
  as_of?: CalendarDate;
}

/** An accrual as callers see it: amounts in pence, `remainder` a decimal string of pence. */
export interface AccrualView {
  accrual_id: string;
  vault_id: string;
  from: CalendarDate;
  to: CalendarDate;
  days: number;
  annual_rate: string;
  accrued: number;
  remainder: string;
  balance_after: number;
  posted_at: string;
}

/**
 * Posts what a vault has earned since its last accrual, for the days up to but not including `as_of`. Where these days are
 * accrued already, gives the accrual that has the last of them. @returns whether it was posted now.
 * @throws DomainError `not-found`, `invalid-request`, `balance-limit`.
 */
export async function accrueYield(
  services: YieldServices,
  request: AccrueRequest,
): Promise<{ posted: boolean; accrual: AccrualView }> {
  const { db, clock } = services;
  await requireVault(services, request.vault_id);
  const at = await clock.now();
  const today = londonDateOf(at);
  const to = request.as_of ?? today;
  return db.transaction(async () => {
    const row = await db.one(statements.openInterest, [[request.vault_id], null]);
    requireAsOf(to, today, row.made_on);
    if (row.accrued_to !== null && to <= row.accrued_to) {
      return { posted: false, accrual: accrualView(await db.one(statements.accrualUpTo, [request.vault_id, to])) };
    }
    const vault = openVaultOf(row);
    const rates = (await readRates(services))[row.vault_type];
    const accruals = planAccruals(vault, { to, rates, monthly: false });
    const posted = await postAccruals(services, at, [{ vault, accruals }]);
    return { posted: true, accrual: accrualView(posted.at(-1)!) };
  });
}

/** @throws DomainError `not-found` where there is no such vault. */
export async function requireVault({ db }: Pick<YieldServices, 'db'>, vaultId: string): Promise<void> {
  if (await db.maybe(statements.ownerOfVault, [vaultId])) return;
  throw new DomainError('not-found', 'There is no vault with this id.');
}

/** What callers see of an accrual. */
export function accrualView(row: Omit<AccrualRow, 'seq'>): AccrualView {
  return {
    accrual_id: row.accrual_id,
    vault_id: row.vault_id,
    from: row.from_date,
    to: row.to_date,
    days: daysBetween(row.from_date, row.to_date),
    annual_rate: row.annual_rate,
    accrued: row.accrued,
    remainder: remainderText(row.remainder),
    balance_after: row.balance_after,
    posted_at: row.posted_at,
  };
}
