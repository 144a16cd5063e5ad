import { defineEntity, p } from '@mikro-orm/core';
import type { OutboxKind } from '../../../domain/frozen-strings.ts';
import { createdAt, instant, sequence, text } from './columns.ts';

/** A message for Temporal. Stored in the transaction of the change, and deleted once sent. One with a `party` takes turns. */
export const OutboxMessage = defineEntity({
  name: 'OutboxMessage',
  tableName: 'outbox_messages',
  properties: {
    messageId: sequence().primary(),
    kind: text().$type<OutboxKind>(),
    workflowId: text(),
    payload: p.json<Record<string, unknown>>(),
    attempts: p.integer().default(0),
    availableAt: instant(),
    createdAt: createdAt(),
    party: text().nullable(),
    ownerId: text().nullable(),
    begunAt: instant().nullable(),
    delivered: p.boolean().default(false),
  },
});

/** Who last had a turn. */
export const OutboxTurn = defineEntity({
  name: 'OutboxTurn',
  tableName: 'outbox_turns',
  properties: {
    ofParty: text().primary(),
    last: text(),
    newest: p.boolean().default(false),
  },
});
