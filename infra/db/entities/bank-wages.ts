import { defineEntity, p } from '@mikro-orm/core';
import type { WageMatch, WageStatus } from '../../../domain/bank/wages.ts';
import { calendarDate, createdAt, instant, pence, sequence, text } from './columns.ts';

/** The number of an account that is, or was, the person's own, as a keyed hash. */
export const OwnAccountNumber = defineEntity({
  name: 'OwnAccountNumber',
  tableName: 'own_account_numbers',
  properties: { ownerId: text().primary(), numberHash: text().primary() },
});

/** A credit in which a wage was recognised. `ownSignIn`: the person said so while signed in here. */
export const BankWage = defineEntity({
  name: 'BankWage',
  tableName: 'bank_wages',
  properties: {
    wageId: text().primary(),
    seq: sequence(),
    ownerId: text(),
    accountId: text(),
    transactionId: text().unique('bank_wages_transaction_unique'),
    amount: pence(),
    receivedOn: calendarDate(),
    payerHash: text().nullable(),
    counterpartyHash: text().nullable(),
    payerSealed: text().nullable(),
    matchedBy: text().$type<WageMatch>(),
    status: text().$type<WageStatus>(),
    ownSignIn: p.boolean().default(false),
    calculationId: text().nullable(),
    confirmedAt: instant().nullable(),
    createdAt: createdAt(),
  },
  indexes: [{ name: 'bank_wages_owner', properties: ['ownerId', 'receivedOn', 'seq'] }],
});

/** A payer whose credits are wages, because the person said so. */
export const BankPayer = defineEntity({
  name: 'BankPayer',
  tableName: 'bank_payers',
  properties: {
    ownerId: text().primary(),
    payerHash: text().primary(),
    nameSealed: text().nullable(),
    namedOn: calendarDate(),
    namedAt: instant(),
  },
});
