import { defineEntity, p } from '@mikro-orm/core';
import type { AccountKind, RequestedBy } from '../../../domain/bank/reading.ts';
import { calendarDate, createdAt, instant, pence, sequence, text } from './columns.ts';

/** An account at a person's bank. Amounts are signed minor units of `currency`. */
export const BankAccount = defineEntity({
  name: 'BankAccount',
  tableName: 'bank_accounts',
  properties: {
    accountId: text().primary(),
    seq: sequence(),
    ownerId: text(),
    kind: text().$type<AccountKind>(),
    currency: text(),
    detailsSealed: text(),
    keySealed: text(),
    numberHash: text().nullable(),
    listedNumberHash: text().nullable(),
    ibanHash: text().nullable(),
    balance: pence().nullable(),
    available: pence().nullable(),
    creditLine: pence().nullable(),
    asOf: instant().nullable(),
    readThrough: calendarDate().nullable(),
    goneAt: instant().nullable(),
    createdAt: createdAt(),
  },
  indexes: [{ name: 'bank_accounts_owner', properties: ['ownerId', 'seq'] }],
});

/** The bank of the connection knows the account as `ref`. */
export const BankAccountLink = defineEntity({
  name: 'BankAccountLink',
  tableName: 'bank_account_links',
  properties: {
    connectionId: text().primary(),
    accountId: text().primary(),
    ref: text(),
    linkedAt: createdAt(),
    goneAt: instant().nullable(),
  },
});

/** A booked transaction, in signed minor units of the account's currency. */
export const BankTransaction = defineEntity({
  name: 'BankTransaction',
  tableName: 'bank_transactions',
  properties: {
    transactionId: text().primary(),
    seq: sequence(),
    accountId: text(),
    ownerId: text(),
    bankId: text(),
    amount: pence(),
    bookedOn: calendarDate(),
    textsSealed: text(),
    payerHash: text().nullable(),
    counterpartyHash: text().nullable(),
    debtorHash: text().nullable(),
    stableHash: text().nullable(),
    fingerprint: text(),
    ordinal: p.integer(),
    createdAt: createdAt(),
  },
  indexes: [
    { name: 'bank_transactions_owner', properties: ['ownerId', 'bookedOn', 'seq'] },
    { name: 'bank_transactions_account', properties: ['accountId', 'bookedOn', 'seq'] },
  ],
  uniques: [
    { name: 'bank_transactions_once', properties: ['accountId', 'fingerprint', 'ordinal'] },
    { name: 'bank_transactions_stable_unique', properties: ['accountId', 'bankId', 'stableHash'] },
  ],
});

/** A sync that was requested and is not over. */
export const BankSync = defineEntity({
  name: 'BankSync',
  tableName: 'bank_syncs',
  properties: {
    connectionId: text().primary(),
    syncId: text(),
    requestedBy: text().$type<RequestedBy>(),
    presentSealed: text().nullable(),
    requestedAt: instant(),
  },
});

/** One read of one account, which the limits of a day count. */
export const BankRead = defineEntity({
  name: 'BankRead',
  tableName: 'bank_reads',
  properties: {
    syncId: text().primary(),
    accountId: text().primary(),
    ownerId: text(),
    requestedBy: text().$type<RequestedBy>(),
    readAt: instant(),
    outcome: text().$type<'complete' | 'partial'>().nullable(),
    rowsNew: p.integer().default(0),
    rowsRefused: p.integer().default(0),
  },
});
