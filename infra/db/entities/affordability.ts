import { defineEntity, p } from '@mikro-orm/core';
import { instant, pence, sequence, text } from './columns.ts';

/** A simulated purchase and its result, as answered; never updated, never deleted. */
export const AffordabilityCheck = defineEntity({
  name: 'AffordabilityCheck',
  tableName: 'affordability_checks',
  properties: {
    checkId: text().primary(),
    seq: sequence(),
    ownerId: text(),
    proposedAmount: pence(),
    frequency: text(),
    category: text().nullable(),
    result: p.json<Record<string, unknown>>(),
    calculatedAt: instant(),
  },
  indexes: [{ name: 'affordability_checks_owner', properties: ['ownerId', 'seq'] }],
});
