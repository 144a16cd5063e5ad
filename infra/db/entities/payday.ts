import { defineEntity, p } from '@mikro-orm/core';
import type { LeftOut } from '../../../domain/payday/bills.ts';
import type { VaultType } from '../../../domain/ledger.ts';
import { calendarDate, createdAt, instant, pence, sequence, text } from './columns.ts';

/** What an owner wants to happen with each wage. */
export const StandingSplit = defineEntity({
  name: 'StandingSplit',
  tableName: 'standing_splits',
  properties: {
    ownerId: text().primary(),
    bufferRate: text().nullable(),
    pausedAt: instant().nullable(),
    version: p.integer(),
    setBy: text(),
    updatedAt: instant(),
  },
});

/** An amount that each wage sets aside, and perhaps the payment of a bill from it. */
export const StandingEntry = defineEntity({
  name: 'StandingEntry',
  tableName: 'standing_entries',
  properties: {
    entryId: text().primary(),
    ownerId: text(),
    position: p.integer(),
    type: text(),
    amount: pence(),
    category: text().$type<VaultType>(),
    providerId: text().nullable(),
    payDay: p.integer().nullable(),
    payAmount: pence().nullable(),
    reference: text().nullable(),
    paysFrom: calendarDate().nullable(),
    setBy: text(),
    clientId: text().nullable(),
    familyId: text().nullable(),
    createdAt: createdAt(),
    updatedAt: instant(),
    droppedAt: instant().nullable(),
  },
});

/** What a wage led to. */
export const Payday = defineEntity({
  name: 'Payday',
  tableName: 'paydays',
  properties: {
    wageId: text().primary(),
    seq: sequence(),
    ownerId: text(),
    calculationId: text().nullable(),
    attention: text().nullable(),
    startedAt: instant(),
    endedAt: instant().nullable(),
  },
  indexes: [{ name: 'paydays_owner', properties: ['ownerId', 'seq'] }],
});

/** What a payday made of an entry: a payment, or the reason why it left the entry out. */
export const PaydayBill = defineEntity({
  name: 'PaydayBill',
  tableName: 'payday_bills',
  properties: {
    wageId: text().primary(),
    entryId: text().primary(),
    ownerId: text(),
    type: text(),
    amount: pence(),
    paymentId: text().nullable().unique('payday_bills_payment_unique'),
    month: calendarDate().nullable(),
    leftOut: text().$type<LeftOut>().nullable(),
    createdAt: createdAt(),
  },
});
