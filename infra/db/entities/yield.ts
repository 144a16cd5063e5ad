import { defineEntity, p } from '@mikro-orm/core';
import type { VaultType } from '../../../domain/ledger.ts';
import { calendarDate, instant, pence, sequence, text } from './columns.ts';

/**
 * Interest of a vault for the days from `fromDate` up to but not including `toDate`; never updated, never deleted. The
 * fields `carried` and `remainder` are in units of 1/365,000,000 of a penny. The sum of each day's balance is
 * `balanceDays`. Ledger entries of the vault below `entriesBefore` are counted.
 */
export const AccrualRecord = defineEntity({
  name: 'AccrualRecord',
  tableName: 'accruals',
  properties: {
    accrualId: text().primary(),
    seq: sequence(),
    ownerId: text(),
    vaultId: text(),
    fromDate: calendarDate(),
    toDate: calendarDate(),
    annualRate: text(),
    rateMillionths: p.integer(),
    balanceDays: p.decimal('string').precision(38).scale(0),
    carried: p.integer(),
    accrued: pence(),
    remainder: p.integer(),
    balanceAfter: pence(),
    entriesBefore: pence(),
    postedAt: instant(),
  },
  uniques: [{ name: 'accruals_to_unique', properties: ['vaultId', 'toDate'] }],
});

/** A vault type's yearly rate from a London day on; the first rate of a type also applies to all earlier days. */
export const YieldRate = defineEntity({
  name: 'YieldRate',
  tableName: 'yield_rates',
  properties: {
    vaultType: text().$type<VaultType>().primary(),
    fromDate: calendarDate().primary(),
    annualRate: text(),
  },
});

/** How a run of interest over all vaults ended. */
export const AccrualRunRecord = defineEntity({
  name: 'AccrualRunRecord',
  tableName: 'accrual_runs',
  properties: {
    seq: sequence().primary(),
    asOf: calendarDate(),
    endedAt: instant(),
    vaults: p.integer(),
    accruals: p.integer(),
    failed: p.integer(),
  },
});
