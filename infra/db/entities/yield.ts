import { defineEntity, p } from '@mikro-orm/core';
import type { VaultType } from '../../../domain/ledger.ts';
import { calendarDate, instant, pence, sequence, text } from './columns.ts';

/**
 * Interest on a vault, from `fromDate` up to but not including `toDate`.
 * - `balanceDays`: the sum of the daily balances.
 * - `carried` and `remainder`: what rounding left over before and after this posting, in 1/365,000,000 of a penny.
 * - `entriesBefore`: ledger entries with a lower sequence number are already counted.
 * - `entriesSeen`: ledger entries with a lower sequence number were there when the interest was posted.
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
    entriesSeen: pence(),
    postedAt: instant(),
  },
  uniques: [{ name: 'accruals_to_unique', properties: ['vaultId', 'toDate'] }],
});

/** `fromDate` is by London time. A type's first rate also applies to earlier days. */
export const YieldRate = defineEntity({
  name: 'YieldRate',
  tableName: 'yield_rates',
  properties: {
    vaultType: text().$type<VaultType>().primary(),
    fromDate: calendarDate().primary(),
    annualRate: text(),
  },
});

export const AccrualRunRecord = defineEntity({
  name: 'AccrualRunRecord',
  tableName: 'accrual_runs',
  properties: {
    seq: sequence().primary(),
    asOf: calendarDate(),
    endedAt: instant(),
    failed: p.integer(),
  },
});
