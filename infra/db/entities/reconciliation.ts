import { defineEntity } from '@mikro-orm/core';
import type { Problem, StoredStatus } from '../../../domain/reconciliation/statuses.ts';
import { instant, sequence, text } from './columns.ts';

/** Whether a payment was found again in the account that paid it. */
export const Reconciliation = defineEntity({
  name: 'Reconciliation',
  tableName: 'reconciliations',
  properties: {
    paymentId: text().primary(),
    ownerId: text(),
    numberHash: text(),
    status: text().$type<StoredStatus>(),
    transactionId: text().nullable().unique('reconciliations_transaction_unique'),
    matchedAt: instant().nullable(),
    returnedBy: text().nullable().unique('reconciliations_returned_by_unique'),
    problem: text().$type<Problem>().nullable(),
    checkedAt: instant(),
  },
  indexes: [{ name: 'reconciliations_owner', properties: ['ownerId'] }],
});

export const ReconciliationRun = defineEntity({
  name: 'ReconciliationRun',
  tableName: 'reconciliation_runs',
  properties: { seq: sequence().primary(), endedAt: instant() },
});
