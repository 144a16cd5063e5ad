import { defineEntity, p } from '@mikro-orm/core';
import { calendarDate, createdAt, instant, pence, sequence, text } from './columns.ts';

/** The owner of money: a user, or whoever an API key names. Its row is the lock that orders the owner's movements. */
export const Owner = defineEntity({
  name: 'Owner',
  tableName: 'owners',
  properties: { ownerId: text().primary(), bufferRate: text().nullable(), createdAt: createdAt() },
});

/** A paycheck as it was split; a revision is a row of its own. Obligations in the caller's order, each with the allocation it funded. */
export const Calculation = defineEntity({
  name: 'Calculation',
  tableName: 'calculations',
  properties: {
    calculationId: text().primary(),
    seq: sequence(),
    ownerId: text(),
    payDate: calendarDate(),
    revision: p.integer(),
    grossIncome: pence(),
    lockedForBills: pence(),
    lockedBuffer: pence(),
    safeToSpend: pence(),
    bufferRate: text(),
    obligations: p.json(),
    payslipDocId: text().nullable(),
    incomeEvidence: text().default('stated'),
    calculatedBy: text().nullable(),
    calculatedAt: instant(),
  },
  uniques: [{ name: 'calculations_revision_unique', properties: ['ownerId', 'payDate', 'revision'] }],
  indexes: [{ name: 'calculations_owner', properties: ['ownerId', 'seq'] }],
});
