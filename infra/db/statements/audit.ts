import { sql, type RawBuilder } from 'kysely';
import { listsOf } from '../lists.ts';
import { batchQuery } from '../query.ts';

/** An event of the audit log. `data` is JSON; a null time means the database's own. */
export interface AuditLine {
  event_id: string;
  subject: string;
  kind: string;
  actor: string;
  data: string;
  at: Date | null;
}

/** The columns of an event besides its subject. */
export const EVENT_TYPES = {
  event_id: 'text',
  kind: 'text',
  actor: 'text',
  data: 'text',
  at: 'timestamptz',
} as const;

/**
 * Appends events inside any query. It yields one number, and runs only if the query selects it. The trigger gives each
 * event its place in its subject's chain, and its hash.
 */
export function appended(events: readonly AuditLine[]): RawBuilder<number> {
  const { event_id, ...types } = EVENT_TYPES;
  return sql`audit_append(${listsOf(events, { event_id, subject: 'text', ...types })})`;
}

/** The events of a relation that has columns with these names, in the order of their subjects. */
export function appendedFrom(relation: RawBuilder<unknown>): RawBuilder<unknown> {
  const lists = ['event_id', 'vault_ref', 'kind', 'actor', 'data', 'at'].map(
    (column) => sql`array_agg(${sql.ref(column)} order by vault_ref, place)`,
  );
  return sql`select audit_append(${sql.join(lists)}) as events from ${relation}`;
}

/** Appends events; those of one subject keep their order. */
export const insertEvents = batchQuery(
  'audit.insertEvents',
  (events: readonly AuditLine[]) => sql`select ${appended(events)}`,
);
