import { defineEntity, p } from '@mikro-orm/core';
import { instant, text } from './columns.ts';

/** How far business time is ahead of real time in a sandbox: one row, whose value only grows. */
export const BusinessClock = defineEntity({
  name: 'BusinessClock',
  tableName: 'business_clock',
  properties: { clockId: text().primary(), offsetMs: p.bigint('number').default(0) },
});

/**
 * The purpose of the database, and since when the service has its own role: one row, which only the schema's owner
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
    /** The stack of `npm start` that made it. */
    stackId: text().nullable(),
  },
});
