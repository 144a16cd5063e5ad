import { londonDateOf } from '../../domain/dates.ts';
import { pence } from '../../domain/money.ts';
import { rateMillionths, requireOver, type Accrual, type Standing } from '../../domain/yield.ts';
import { runForAll, type Locked, type LockedOwner } from '../../infra/db/locked-owner.ts';
import * as queries from '../../infra/db/queries/yield.ts';
import type { AccrualRow, StandingRow } from '../../infra/db/queries/yield.ts';
import type { Services } from '../../infra/services.ts';

type StandingVault = Standing & { vaultId: string };
type OpenVault = StandingVault & { owner: LockedOwner };

export type YieldServices = Pick<Services, 'config' | 'db' | 'clock' | 'keys' | 'newId' | 'log'>;

export function openVaultOf(row: Locked<StandingRow>): OpenVault {
  return { ...standingOf(row), owner: row.owner };
}

export function standingOf(row: StandingRow): StandingVault {
  return {
    vaultId: row.vault_id,
    from: row.accrued_to ?? row.made_on,
    carried: row.carried,
    balance: pence(row.balance),
    earned: pence(row.earned),
    changes: row.changes.map(([day, amount, firstSeq]) => ({ day, amount: pence(amount), firstSeq })),
    nextSeq: row.next_seq,
  };
}

/** @returns the stored accruals, in the given order. */
export async function postAccruals(
  { newId }: Pick<Services, 'newId'>,
  at: Date,
  planned: readonly { vault: OpenVault; accruals: readonly Accrual[] }[],
): Promise<Omit<AccrualRow, 'seq'>[]> {
  const today = londonDateOf(at);
  for (const { accruals } of planned) requireOver(accruals, today);
  const rows = planned.flatMap(({ vault, accruals }) => accruals.map((accrual) => rowOf({ newId }, vault, accrual)));
  const [first, ...others] = planned.map(({ vault }) => vault.owner);
  if (rows.length > 0) {
    const numbered = rows.map((row, ordinal) => ({ ordinal, ...row }));
    await runForAll([first!, ...others], queries.postInterest(at, numbered));
  }
  const posted_at = at.toISOString();
  return rows.map((row) => ({ ...row, posted_at }));
}

/** Interest below a penny moves no money, so the row has no ids for a movement. */
function rowOf({ newId }: Pick<Services, 'newId'>, { owner, vaultId }: OpenVault, accrual: Accrual) {
  const moves = accrual.accrued > 0;
  return {
    accrual_id: newId('accr'),
    ...(moves && {
      transfer_id: newId('mov'),
      entry_out: newId('ent'),
      entry_in: newId('ent'),
      allocation_id: newId('alloc'),
    }),
    owner_id: owner.id,
    vault_id: vaultId,
    from_date: accrual.from,
    to_date: accrual.to,
    annual_rate: accrual.annualRate,
    rate_millionths: rateMillionths(accrual.annualRate),
    balance_days: accrual.balanceDays.toString(),
    carried: accrual.carried,
    accrued: accrual.accrued as number,
    remainder: accrual.remainder,
    balance_after: accrual.balanceAfter as number,
    entries_before: accrual.entriesBefore,
  };
}
