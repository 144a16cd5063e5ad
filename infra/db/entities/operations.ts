import { defineEntity, p } from '@mikro-orm/core';
import type { OutboxKind } from '../../../domain/frozen-strings.ts';
import { createdAt, instant, sequence, text } from './columns.ts';

export type MailKind =
  'password-reset' | 'password-changed' | 'sign-in-linked' | 'email-verification' | 'provider-link';

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

/** A message for Temporal. Stored in the transaction of the change, and deleted once sent. */
export const OutboxMessage = defineEntity({
  name: 'OutboxMessage',
  tableName: 'outbox_messages',
  properties: {
    messageId: sequence().primary(),
    kind: text().$type<OutboxKind>(),
    workflowId: text(),
    payload: p.json<Record<string, unknown>>(),
    attempts: p.integer().default(0),
    availableAt: instant().index('outbox_messages_available'),
    createdAt: createdAt(),
  },
});

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

/** The row contains neither the text of the email nor the recipient's address. */
export const MailMessage = defineEntity({
  name: 'MailMessage',
  tableName: 'mail_messages',
  properties: {
    mailId: sequence().primary(),
    kind: text().$type<MailKind>(),
    userId: text().nullable(),
    data: p.json<Record<string, string>>(),
    attempts: p.integer().default(0),
    availableAt: instant().index('mail_messages_available'),
    createdAt: createdAt(),
  },
});
