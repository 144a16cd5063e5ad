import { defineEntity, p } from '@mikro-orm/core';
import { instant, text } from './columns.ts';

/** How far the sandbox's business time is ahead of real time. The table has one row, and its value only grows. */
export const BusinessClock = defineEntity({
  name: 'BusinessClock',
  tableName: 'business_clock',
  properties: { clockId: text().primary(), offsetMs: p.bigint('number').default(0) },
});

/**
 * The environment that the database is for: sandbox or production. The table has one row, which only the schema's owner
 * writes.
 */
export const Deployment = defineEntity({
  name: 'Deployment',
  tableName: 'deployment',
  properties: {
    deploymentId: text().primary(),
    environment: text().$type<'sandbox' | 'production'>(),
    madeAt: instant(),
    rolesSeparatedAt: instant().nullable(),
    /** The id of the stack that created the database, if `npm start` did. */
    stackId: text().nullable(),
  },
});
