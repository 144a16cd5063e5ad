import { sql, type RawBuilder } from 'kysely';
import { listsOf } from '../lists.ts';
import { batchQuery } from '../query.ts';

/** `data` is JSON text. If `at` is null, the database sets the time. */
export interface AuditLine {
  event_id: string;
  subject: string;
  kind: string;
  actor: string;
  data: string;
  at: Date | null;
}

export const EVENT_TYPES = {
  event_id: 'text',
  kind: 'text',
  actor: 'text',
  data: 'text',
  at: 'timestamptz',
} as const;

/** The query must select this expression, or nothing is appended. */
export function appended(events: readonly AuditLine[]): RawBuilder<number> {
  const { event_id, ...types } = EVENT_TYPES;
  return sql`audit_append(${listsOf(events, { event_id, subject: 'text', ...types })})`;
}

export function appendedFrom(relation: RawBuilder<unknown>): RawBuilder<unknown> {
  const lists = ['event_id', 'vault_ref', 'kind', 'actor', 'data', 'at'].map(
    (column) => sql`array_agg(${sql.ref(column)} order by vault_ref, place)`,
  );
  return sql`select audit_append(${sql.join(lists)}) as events from ${relation}`;
}

export const insertEvents = batchQuery(
  'audit.insertEvents',
  (events: readonly AuditLine[]) => sql`select ${appended(events)}`,
);
