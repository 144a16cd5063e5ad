import { sql, type RawBuilder } from 'kysely';
import { listsOf } from '../lists.ts';
import { batchQuery } from '../query.ts';

/** An audit event. `data` is JSON text. If `at` is null, the database sets the time. */
export interface AuditLine {
  event_id: string;
  subject: string;
  kind: string;
  actor: string;
  data: string;
  at: Date | null;
}

/** The columns of an event and their PostgreSQL types, without the subject. */
export const EVENT_TYPES = {
  event_id: 'text',
  kind: 'text',
  actor: 'text',
  data: 'text',
  at: 'timestamptz',
} as const;

/**
 * Returns a SQL expression that appends audit events. The query must select the expression, or nothing is appended. A
 * trigger adds the hash and the position in the subject's chain.
 */
export function appended(events: readonly AuditLine[]): RawBuilder<number> {
  const { event_id, ...types } = EVENT_TYPES;
  return sql`audit_append(${listsOf(events, { event_id, subject: 'text', ...types })})`;
}

/** Appends audit events from a relation that has the columns listed below, ordered by subject. */
export function appendedFrom(relation: RawBuilder<unknown>): RawBuilder<unknown> {
  const lists = ['event_id', 'vault_ref', 'kind', 'actor', 'data', 'at'].map(
    (column) => sql`array_agg(${sql.ref(column)} order by vault_ref, place)`,
  );
  return sql`select audit_append(${sql.join(lists)}) as events from ${relation}`;
}

/** Appends audit events, in order within each subject. */
export const insertEvents = batchQuery(
  'audit.insertEvents',
  (events: readonly AuditLine[]) => sql`select ${appended(events)}`,
);
