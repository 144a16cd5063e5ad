import { query, type TextQuery as Query } from '../sql.ts';

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
const WAYS = {
  bySubject: `${EVENTS} and subject = $5 and ($6::text is null or kind = $6) and ($7::text is null or actor = $7) ${NEWEST_FIRST}`,
  byActor: `${EVENTS} and actor = $5 and ($6::text is null or kind = $6) ${NEWEST_FIRST}`,
  byKind: `${EVENTS} and kind = $5 ${NEWEST_FIRST}`,
  all: `${EVENTS} ${NEWEST_FIRST}`,
};

/** The number of the value that names the application, for each way to look. */
const APPLICATION = { bySubject: '$8', byActor: '$7', byKind: '$6', all: '$5' };

type AuditEvents = Readonly<Record<keyof typeof WAYS, Query<AuditEventRow & { visible: boolean }>>>;

const auditQueries = (name: string, sqlOf: (way: keyof typeof WAYS) => string): AuditEvents => ({
  bySubject: query(`admin.${name}BySubject`, sqlOf('bySubject')),
  byActor: query(`admin.${name}ByActor`, sqlOf('byActor')),
  byKind: query(`admin.${name}ByKind`, sqlOf('byKind')),
  all: query(`admin.${name}All`, sqlOf('all')),
});

/** Events for a caller who may see all of them. */
export const auditEvents = auditQueries('audit', (way) => `select *, true as visible from (${WAYS[way]}) found`);

/** The same for an application, the last value: `visible` where the subject is the application's or one of its keys acted. */
export const auditEventsOfApplication = auditQueries(
  'auditOfApplication',
  (way) => `select *, kind not like 'clock.%' and (
              actor in (select lineage from api_keys where app_id = ${APPLICATION[way]})
              or coalesce(audit_subject_application(subject) = ${APPLICATION[way]}, false)) as visible
              from (${WAYS[way]}) found order by seq desc`,
);

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
