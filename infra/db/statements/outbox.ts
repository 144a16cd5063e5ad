import { query } from '../sql.ts';
import type { OutboxKind } from '../../../domain/frozen-strings.ts';

export interface OutboxRow {
  message_id: number;
  kind: OutboxKind;
  workflow_id: string;
  payload: Record<string, unknown>;
  attempts: number;
}

export const insertMessage = query(
  'outbox.insert',
  `insert into outbox_messages (kind, workflow_id, payload, available_at, created_at)
   values ($1, $2, $3::jsonb, now(), now())`,
);

/**
 * Takes up to $1 messages that have been due for $3 seconds, by the millisecond, as instants are kept, and holds them for $2 seconds:
 * whoever dies with them leaves them to the next.
 */
export const claimMessages = query<OutboxRow>(
  'outbox.claim',
  `update outbox_messages set attempts = attempts + 1, available_at = now() + make_interval(secs => $2)
    where message_id in (select message_id from outbox_messages where available_at <= (now() - make_interval(secs => $3))::timestamptz(3)
                          order by message_id limit $1 for update skip locked)
   returning message_id, kind, workflow_id, payload, attempts`,
);

export const deleteMessages = query(
  'outbox.delete',
  'delete from outbox_messages where message_id = any($1::bigint[])',
);

/** Puts messages off: ids, seconds from now. */
export const postponeMessages = query(
  'outbox.postpone',
  `update outbox_messages set available_at = now() + make_interval(secs => $2) where message_id = any($1::bigint[])`,
);

/**
 * Tells the workflow of every payment whose day has come by a move of the clock: those that wait for a day after $1 and not
 * after $2. Written after the move is committed, so that no payment slips through: one that is stored later sees the new time.
 */
export const insertDue = query(
  'outbox.insertDue',
  `insert into outbox_messages (kind, workflow_id, payload, available_at, created_at)
   select 'payment.due', payment_id, jsonb_build_object('payment_id', payment_id, 'attempt', attempt), now(), now()
     from payments where status = 'pending' and execute_on > $1::date and execute_on <= $2::date
    order by execute_on, seq`,
);
