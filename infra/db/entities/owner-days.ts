import { defineEntity, p } from '@mikro-orm/core';
import { calendarDate, text } from './columns.ts';

export const OwnerDay = defineEntity({
  name: 'OwnerDay',
  tableName: 'owner_days',
  properties: {
    ownerId: text().primary(),
    day: calendarDate(),
    revisions: p.integer().default(0),
    payees: p.integer().default(0),
    payeeReads: p.integer().default(0),
    checks: p.integer().default(0),
    credentials: p.integer().default(0),
  },
});
