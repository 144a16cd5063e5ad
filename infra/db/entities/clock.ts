import { defineEntity, p } from '@mikro-orm/core';
import { instant, text } from './columns.ts';

/** The table has one row. `offsetMs` is how far the sandbox's business time is ahead of real time. */
export const BusinessClock = defineEntity({
  name: 'BusinessClock',
  tableName: 'business_clock',
  properties: { clockId: text().primary(), offsetMs: p.bigint('number').default(0) },
});

/** The table has one row, which says whether the database is for a sandbox or for production. */
export const Deployment = defineEntity({
  name: 'Deployment',
  tableName: 'deployment',
  properties: {
    deploymentId: text().primary(),
    environment: text().$type<'sandbox' | 'production'>(),
    madeAt: instant(),
    identity: text().defaultRaw('gen_random_uuid()::text'),
    /** The id of the `npm start` stack that uses the database, if there is one. */
    stackId: text().nullable(),
  },
});
