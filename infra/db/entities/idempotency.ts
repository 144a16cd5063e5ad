import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, text } from './columns.ts';

export const IdempotencyRecord = defineEntity({
  name: 'IdempotencyRecord',
  tableName: 'idempotency_records',
  properties: {
    caller: text().primary(),
    operation: text().primary(),
    key: text().primary(),
    fingerprint: text(),
    status: p.integer(),
    headers: p.json<Record<string, string>>(),
    body: text().nullable(),
    finished: p.boolean().default(true),
    createdAt: createdAt().index('idempotency_records_created'),
  },
});
