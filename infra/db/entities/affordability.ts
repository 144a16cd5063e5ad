import { defineEntity, p } from '@mikro-orm/core';
import { instant, pence, sequence, text } from './columns.ts';

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
