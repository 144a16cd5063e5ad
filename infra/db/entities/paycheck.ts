import { defineEntity, p } from '@mikro-orm/core';
import type { IncomeEvidence } from '../../../domain/paycheck/evidence.ts';
import { calendarDate, createdAt, instant, pence, sequence, text } from './columns.ts';

/** A user, or an id chosen by an API client. Locking the row serialises the owner's movements of money. */
export const Owner = defineEntity({
  name: 'Owner',
  tableName: 'owners',
  properties: { ownerId: text().primary(), bufferRate: text().nullable(), createdAt: createdAt() },
});

export interface ObligationJson {
  type: string;
  category: string;
  amount: number;
  vault_id: string;
  allocation_id: string;
}

/** `number` tells the paychecks of one day apart: each further wage of a day is its own. */
export const Calculation = defineEntity({
  name: 'Calculation',
  tableName: 'calculations',
  properties: {
    calculationId: text().primary(),
    seq: sequence(),
    ownerId: text(),
    payDate: calendarDate(),
    number: p.integer().default(1),
    revision: p.integer(),
    grossIncome: pence(),
    lockedForBills: pence(),
    lockedBuffer: pence(),
    safeToSpend: pence(),
    bufferRate: text(),
    obligations: p.json<ObligationJson[]>(),
    payslipDocId: text().nullable(),
    wageId: text().nullable(),
    incomeEvidence: text().$type<IncomeEvidence>().default('stated'),
    calculatedBy: text().nullable(),
    calculatedAt: instant(),
    mac: text().nullable(),
    macVersion: p.integer().nullable(),
  },
  uniques: [{ name: 'calculations_revision_unique', properties: ['ownerId', 'payDate', 'number', 'revision'] }],
  indexes: [{ name: 'calculations_owner', properties: ['ownerId', 'seq'] }],
});

/** The row with an empty owner id holds the total of all owners. */
export const AssertedIncome = defineEntity({
  name: 'AssertedIncome',
  tableName: 'asserted_income',
  properties: {
    lineage: text().primary(),
    month: calendarDate().primary(),
    ownerId: text().primary(),
    amount: pence(),
  },
});
