import { defineEntity, p } from '@mikro-orm/core';
import { text } from './columns.ts';

/** How far business time is ahead of real time, in a sandbox: one row, which only ever grows. */
export const BusinessClock = defineEntity({
  name: 'BusinessClock',
  tableName: 'business_clock',
  properties: { clockId: text().primary(), offsetMs: p.bigint('number').default(0) },
});
