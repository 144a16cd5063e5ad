import { sql } from 'kysely';
import { query } from '../query.ts';
import { columnsOf, tables } from '../tables.ts';

/** `from` is inclusive. `to` and `before` are exclusive. */
interface EventsWanted {
  subject?: string | undefined;
  kind?: string | undefined;
  actor?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  before: number;
  most: number;
}

/** Omits unset filters, so that PostgreSQL can use the best index. */
const events = ({ subject, kind, actor, from, to, before, most }: EventsWanted) =>
  tables
    .selectFrom('audit_events')
    .select(columnsOf('audit_events'))
    .where('seq', '<', before)
    .$if(from !== undefined, (found) => found.where('created_at', '>=', from!.toISOString()))
    .$if(to !== undefined, (found) => found.where('created_at', '<', to!.toISOString()))
    .$if(subject !== undefined, (found) => found.where('subject', '=', subject!))
    .$if(kind !== undefined, (found) => found.where('kind', '=', kind!))
    .$if(actor !== undefined, (found) => found.where('actor', '=', actor!))
    .orderBy('seq', 'desc')
    .limit(most);

const visibleTo = (wanted: EventsWanted, application: string) =>
  tables
    .selectFrom(events(wanted).as('found'))
    .selectAll()
    .select(
      sql<boolean>`kind not like 'clock.%' and (
        actor in (select lineage from api_keys where app_id = ${application})
        or coalesce(audit_subject_application(subject) = ${application}, false))`.as('visible'),
    )
    .orderBy('seq', 'desc');

/**
 * Without `application`, all events are visible. Otherwise `visible` means that the subject or the acting key belongs
 * to the application, and that the event is not about the clock.
 */
export const auditEvents = query('admin.auditEvents', (wanted: EventsWanted, application: string | undefined) =>
  application === undefined ? events(wanted).select(sql<boolean>`true`.as('visible')) : visibleTo(wanted, application),
);

export const queueDepths = query(
  'admin.queueDepths',
  () => sql<{
    outbox: number;
    outbox_oldest_s: number;
    mail: number;
    payments_open: number;
    payments_for_operator: number;
  }>`
    select (select count(*) from outbox_messages where begun_at is null) as outbox,
           coalesce((select floor(extract(epoch from now() - min(created_at)))::bigint from outbox_messages where begun_at is null), 0)
             as outbox_oldest_s,
           (select count(*) from mail_messages) as mail,
           (select count(*) from payments where status in ('processing', 'pending')) as payments_open,
           (select count(*) from payments where attention) as payments_for_operator`,
);
