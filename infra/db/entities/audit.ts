import { defineEntity, p } from '@mikro-orm/core';
import { instant, sequence, text } from './columns.ts';

/** Each subject has a hash chain, so tampering can be detected. */
export const AuditEvent = defineEntity({
  name: 'AuditEvent',
  tableName: 'audit_events',
  properties: {
    eventId: text().primary(),
    seq: sequence(),
    subject: text(),
    subjectSeq: p.integer(),
    kind: text(),
    actor: text(),
    data: p.json<Record<string, unknown>>(),
    previousHash: text(),
    hash: text(),
    createdAt: instant(),
  },
  uniques: [{ name: 'audit_events_subject_unique', properties: ['subject', 'subjectSeq'] }],
});

/** The last event of each chain. A chain that ends earlier shows that somebody deleted events. */
export const AuditHead = defineEntity({
  name: 'AuditHead',
  tableName: 'audit_heads',
  properties: { subject: text().primary(), subjectSeq: p.integer(), hash: text() },
});
