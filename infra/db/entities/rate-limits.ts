import { defineEntity, p } from '@mikro-orm/core';

/** The library rate-limiter-flexible determines the columns. The key contains a keyed hash. */
export const RateLimit = defineEntity({
  name: 'RateLimit',
  tableName: 'rate_limits',
  properties: {
    key: p.string().length(255).primary(),
    points: p.integer(),
    expire: p.bigint('number').nullable().index('rate_limits_expire'),
  },
});
