import { sql, type RawBuilder } from 'kysely';
import { listsOf } from '../lists.ts';
import { batchQuery } from '../query.ts';
import { moved, type Moved } from './ledger.ts';

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

/** Calls the function that appends. A statement must select it, so use `recording` or `insertEvents`. */
function appended(events: readonly AuditLine[]): RawBuilder<number> {
  const { event_id, ...types } = EVENT_TYPES;
  return sql`audit_append(${listsOf(events, { event_id, subject: 'text', ...types })})`;
}

interface Recording {
  /** Parts that change rows, by the name under which `result` reads what they return. */
  changes: Readonly<Record<string, RawBuilder<unknown>>>;
  movement: Moved | null;
  audit: AuditLine | null;
  result: RawBuilder<unknown>;
}

/** One statement for a change, the movement of its money and its audit event, so that none can be left out. */
export function recording<Row>({ changes, movement, audit, result }: Recording): RawBuilder<Row> {
  const parts = Object.entries(changes).map(([name, part]) => sql`${sql.ref(name)} as (${part})`);
  // PostgreSQL runs a part that only selects if the statement reads the part.
  const posted = sql`posted as (select ${movement === null ? sql`null` : moved([movement])} as balances)`;
  const noted = sql`noted as (select ${audit === null ? sql`null` : appended([audit])} as events)`;
  return sql`with ${sql.join([...parts, posted, noted])} select ${result}, balances, events from posted, noted`;
}

export function appendedFrom(relation: RawBuilder<unknown>): RawBuilder<unknown> {
  const lists = ['event_id', 'vault_ref', 'kind', 'actor', 'data', 'at'].map(
    (column) => sql`array_agg(${sql.ref(column)} order by vault_ref, ordinal)`,
  );
  return sql`select audit_append(${sql.join(lists)}) as events from ${relation}`;
}

export const insertEvents = batchQuery(
  'audit.insertEvents',
  (events: readonly AuditLine[]) => sql`select ${appended(events)}`,
);
