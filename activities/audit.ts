import type { Queries } from '../infra/db/connection.ts';
import { insertEvents, type AuditLine } from '../infra/db/queries/audit.ts';
import type { Services } from '../infra/services.ts';
import type { AuditKind } from '../domain/frozen-strings.ts';

/** `subject` is usually an id. Do not put PII into `data`. */
export interface AuditEntry {
  subject: string;
  kind: AuditKind;
  actor: string;
  data: Readonly<Record<string, unknown>>;
  /** The business time of the event. By default, the database sets the real time. */
  at?: Date;
}

type Ids = Pick<Services, 'newId'>;

/** In a transaction, need not be awaited. */
export async function audit(db: Queries, services: Ids, entry: AuditEntry): Promise<void> {
  await db.run(insertEvents(auditLine(services, entry)));
}

/** Appends several events in one statement. Events of one subject keep their order. */
export async function auditAll(db: Queries, services: Ids, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  if (entries.length === 1) return audit(db, services, entries[0]!);
  // Sorted by subject: transactions lock the same subjects in the same order, and so cannot deadlock.
  const sorted = [...entries].sort((a, b) => (a.subject < b.subject ? -1 : a.subject > b.subject ? 1 : 0));
  await db.run(insertEvents.all(sorted.map((entry) => auditLine(services, entry))));
}

export function auditLine({ newId }: Ids, { subject, kind, actor, data, at }: AuditEntry): AuditLine {
  return { event_id: newId('evt'), subject, kind, actor, data: JSON.stringify(data), at: at ?? null };
}
