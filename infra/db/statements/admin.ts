import { query, type Query } from '../sql.ts';

export interface AuditEventRow {
  seq: number;
  event_id: string;
  subject: string;
  subject_seq: number;
  kind: string;
  actor: string;
  data: Record<string, unknown>;
  created_at: string;
  previous_hash: string;
  hash: string;
}

const EVENTS = `select seq, event_id, subject, subject_seq, kind, actor, data, created_at, previous_hash, hash
                  from audit_events where seq < $1 and created_at >= $3 and created_at < $4`;
const NEWEST_FIRST = 'order by seq desc limit $2';

/**
 * Events below a seq, at most so many, of an instant and before another. One statement for each way to look, so that each
 * goes by an index of its own: by subject ($5) and kind ($6), by actor ($5) and kind ($6), by kind ($5), or all.
 */
export const auditEvents: Readonly<Record<'bySubject' | 'byActor' | 'byKind' | 'all', Query<AuditEventRow>>> = {
  bySubject: query(
    'admin.auditBySubject',
    `${EVENTS} and subject = $5 and ($6::text is null or kind = $6) and ($7::text is null or actor = $7) ${NEWEST_FIRST}`,
  ),
  byActor: query('admin.auditByActor', `${EVENTS} and actor = $5 and ($6::text is null or kind = $6) ${NEWEST_FIRST}`),
  byKind: query('admin.auditByKind', `${EVENTS} and kind = $5 ${NEWEST_FIRST}`),
  all: query('admin.auditAll', `${EVENTS} ${NEWEST_FIRST}`),
};

export interface QueueRow {
  outbox: number;
  outbox_oldest_s: number;
  mail: number;
  payments_open: number;
  payments_for_operator: number;
}

export const queueDepths = query<QueueRow>(
  'admin.queueDepths',
  `select (select count(*) from outbox_messages) as outbox,
          coalesce((select floor(extract(epoch from now() - min(created_at)))::bigint from outbox_messages), 0)
            as outbox_oldest_s,
          (select count(*) from mail_messages) as mail,
          (select count(*) from payments where status in ('processing', 'pending')) as payments_open,
          (select count(*) from payments where status in ('processing', 'pending') and attention) as payments_for_operator`,
);
