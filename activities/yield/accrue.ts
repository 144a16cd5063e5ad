import { daysBetween, londonDateOf } from '../../domain/dates.ts';
import { DomainError } from '../../domain/errors.ts';
import { balanceLimit, remainderText, requireAsOf } from '../../domain/yield.ts';
import type { Queries } from '../../infra/db/connection.ts';
import { lockMany } from '../../infra/db/locked-owner.ts';
import * as queries from '../../infra/db/queries/yield.ts';
import type { AccrualRow, PostedAccrual } from '../../infra/db/queries/yield.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import type { Accrual, AccrualRequest } from '../../openapi/types.ts';
import { postInterest } from './post.ts';

/** Posts interest for the days before `as_of`, or returns the posted accrual that includes the last of these days. */
export async function accrueYield(
  tx: Tx,
  services: Pick<Services, 'clock'>,
  request: AccrualRequest,
): Promise<{ posted: boolean; accrual: Accrual }> {
  await requireVault(tx, request.vault_id);
  const at = await services.clock.now(tx);
  const today = londonDateOf(at);
  const to = request.as_of ?? today;
  const vault = (await lockMany(tx, queries.openInterest([request.vault_id], null)))[0]!;
  requireAsOf(to, today, vault.made_on);
  if (vault.accrued_to !== null && to <= vault.accrued_to) {
    return { posted: false, accrual: accrualView(await tx.one(queries.accrualUpTo(request.vault_id, to))) };
  }
  const last = (await postInterest([vault], { at, to, monthly: false })).at(-1)!;
  if (last.accrual_id === null) throw balanceLimit();
  return { posted: true, accrual: accrualView({ ...last, posted_at: at.toISOString() }) };
}

export async function requireVault(db: Queries, vaultId: string): Promise<void> {
  if (await db.maybe(queries.ownerOfVault(vaultId))) return;
  throw new DomainError('not-found', 'There is no vault with this id.');
}

export function accrualView(row: PostedAccrual & Pick<AccrualRow, 'posted_at'>): Accrual {
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
