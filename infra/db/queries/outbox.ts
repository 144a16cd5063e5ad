import { sql, type RawBuilder } from 'kysely';
import { json } from '../lists.ts';
import type { OutboxKind } from '../../../domain/frozen-strings.ts';
import { query } from '../query.ts';
import { tables, type Row } from '../tables.ts';

export type OutboxRow = Pick<Row<'outbox_messages'>, 'message_id' | 'kind' | 'workflow_id' | 'payload' | 'attempts'>;

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
        where party is null and available_at <= (now() - make_interval(secs => ${dueForS}))::timestamptz(3)
        order by message_id limit ${most} for update skip locked)
    returning message_id, kind, workflow_id, payload, attempts`,
);

interface Turns {
  most: number;
  /** A turn that no relay has delivered ends after this time, and begins again. */
  holdS: number;
  /** A turn without a result ends after this time. */
  turnS: number;
  /** Does nothing while another relay began a turn within this time. */
  dueForS: number;
  perOwner: number;
  /** How many may have begun within this time that no worker has begun to send. */
  window: number;
  windowS: number;
}

export const takeTurns = query(
  'outbox.takeTurns',
  ({ most, holdS, turnS, dueForS, perOwner, window, windowS }: Turns) => sql<OutboxRow>`
    select message_id, kind, workflow_id, payload, attempts
      from outbox_take_turns(${most}, ${holdS}, ${turnS}, ${dueForS}, ${perOwner}, ${window},
        ${windowS})`,
);

export const turnsWait = query(
  'outbox.turnsWait',
  () => sql<{ wait: boolean }>`
    select exists (select from outbox_messages where party is not null and begun_at is null and available_at <= now()) as wait`,
);

/** Their turns go on until their payments have a result. */
export const markDelivered = query(
  'outbox.delivered',
  (ids: readonly number[]) => sql`
    update outbox_messages set delivered = true where message_id = any(${ids}::bigint[])`,
);

/** A scheduled payment asks for its turn on its day. Does nothing if a message of the payment waits or is under way. */
export const insertTurn = query(
  'outbox.insertTurn',
  ({ payment_id, attempt, payload }: { payment_id: string; attempt: number; payload: object }) => sql`
    insert into outbox_messages (kind, workflow_id, payload, available_at, created_at, party, owner_id)
    select 'payment.turn', p.payment_id, ${json(payload)}, now(), now(), ${partyOf(sql`a.requested_by`, sql`p.owner_id`)}, p.owner_id
      from payments p join payment_attempts a using (payment_id, attempt)
     where p.payment_id = ${payment_id} and p.attempt = ${attempt} and p.status = 'pending' and a.sends = 0
       and not exists (select from outbox_messages m
                        where m.workflow_id = p.payment_id and m.party is not null and m.kind = 'payment.turn')`,
);

/** The start of a payment's workflow takes turns. */
export const insertStart = query(
  'outbox.insertStart',
  ({ payment_id, attempt, payload }: { payment_id: string; attempt: number; payload: object }) => sql`
    insert into outbox_messages (kind, workflow_id, payload, available_at, created_at, party, owner_id)
    select 'payment.start', a.payment_id, ${json(payload)}, now(), now(), ${partyOf(sql`a.requested_by`, sql`p.owner_id`)}, p.owner_id
      from payments p join payment_attempts a using (payment_id)
     where p.payment_id = ${payment_id} and a.attempt = ${attempt}`,
);

/** The application of the key that ordered, or the owner. As a hash, so that who comes new has no certain place in the order. */
export const partyOf = (requestedBy: RawBuilder<unknown>, owner: RawBuilder<unknown>) => sql<string>`
  md5(coalesce((select k.app_id from api_keys k where k.lineage = ${requestedBy} limit 1), ${owner}))`;

export const deleteMessages = query('outbox.delete', (ids: readonly number[]) =>
  tables.deleteFrom('outbox_messages').where('message_id', '=', sql<number>`any(${ids}::bigint[])`),
);

export const postponeMessages = query('outbox.postpone', (ids: readonly number[], seconds: number) =>
  tables
    .updateTable('outbox_messages')
    .set({ available_at: sql`now() + make_interval(secs => ${seconds})`, begun_at: null })
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
