import { sql } from 'kysely';
import { json } from '../lists.ts';
import type { OutboxKind } from '../../../domain/frozen-strings.ts';
import { query } from '../query.ts';
import { tables, type Row } from '../tables.ts';

export type OutboxRow = Omit<Row<'outbox_messages'>, 'available_at' | 'created_at'>;

export const insertMessage = query('outbox.insert', (kind: OutboxKind, workflow_id: string, payload: object) =>
  tables.insertInto('outbox_messages').values({
    kind,
    workflow_id,
    payload: sql`${json(payload)}`,
    available_at: sql`now()`,
    created_at: sql`now()`,
  }),
);

/** Claims messages that have been due for at least `dueForS` seconds. A claim lapses after `holdS` seconds. */
export const claimMessages = query(
  'outbox.claim',
  ({ most, holdS, dueForS }: { most: number; holdS: number; dueForS: number }) => sql<OutboxRow>`
    update outbox_messages set attempts = attempts + 1, available_at = now() + make_interval(secs => ${holdS})
     where message_id in (
       select message_id from outbox_messages
        where available_at <= (now() - make_interval(secs => ${dueForS}))::timestamptz(3)
        order by message_id limit ${most} for update skip locked)
    returning message_id, kind, workflow_id, payload, attempts`,
);

export const deleteMessages = query('outbox.delete', (ids: readonly number[]) =>
  tables.deleteFrom('outbox_messages').where('message_id', '=', sql<number>`any(${ids}::bigint[])`),
);

export const postponeMessages = query('outbox.postpone', (ids: readonly number[], seconds: number) =>
  tables
    .updateTable('outbox_messages')
    .set({ available_at: sql`now() + make_interval(secs => ${seconds})` })
    .where('message_id', '=', sql<number>`any(${ids}::bigint[])`),
);

/** For payments whose connection has ended: they fail now, and not on their day. */
export const insertDueOf = query(
  'outbox.insertDueOf',
  (connectionId: string) => sql`
    insert into outbox_messages (kind, workflow_id, payload, available_at, created_at)
    select 'payment.due', payment_id, jsonb_build_object('payment_id', payment_id, 'attempt', attempt), now(), now()
      from payments where connection_id = ${connectionId} and status = 'pending'
     order by seq`,
);

/**
 * For payments that a move of the clock made due. The move's message exists from the commit on, and payments stored
 * later already use the new time. The delay of a second lets the sandbox bank learn its new time first, so that it books on the right day.
 */
export const insertDue = query(
  'outbox.insertDue',
  (from: string, to: string) => sql`
    insert into outbox_messages (kind, workflow_id, payload, available_at, created_at)
    select 'payment.due', payment_id, jsonb_build_object('payment_id', payment_id, 'attempt', attempt), now() + interval '1 second', now()
      from payments where status = 'pending' and execute_on > ${from}::date and execute_on <= ${to}::date
     order by execute_on, seq`,
);
