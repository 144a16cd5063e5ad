import { addDays, startOfLondonDay, type CalendarDate } from '../domain/dates.ts';
import { auditEvents, queueDepths, type AuditEventRow, type QueueRow } from '../infra/db/statements/admin.ts';
import type { Services } from '../infra/services.ts';
import { pagesOf, type Page } from './page.ts';

/** Which events are wanted; `from` and `to` are London days, both included. */
export interface AuditFilter {
  subject?: string;
  kind?: string;
  actor?: string;
  from?: CalendarDate;
  to?: CalendarDate;
  limit: number;
  cursor?: string;
}

export type AuditEventView = Omit<AuditEventRow, 'seq'>;

const PARTS = ['database', 'temporal', 'bank', 'key-service'] as const;
type Part = (typeof PARTS)[number];

export interface Health {
  status: 'ok' | 'degraded';
  parts: { name: Part; status: 'up' | 'down'; ms: number }[];
  queues: QueueRow;
}

const PATIENCE_MS = 2_000;

/** What operators ask the service. */
export const adminActivities = (services: Services) => ({
  listAuditEvents: (filter: AuditFilter) => listAuditEvents(services, filter),
  readHealth: () => readHealth(services),
});

async function listAuditEvents(services: Services, filter: AuditFilter): Promise<Page<AuditEventView>> {
  const { db } = services;
  const { subject, kind, actor, from, to, limit, cursor } = filter;
  const pages = pagesOf(services, { operation: 'listAuditEvents', filter: { subject, kind, actor, from, to } });
  const since = from ? startOfLondonDay(from) : '-infinity';
  const before = to ? startOfLondonDay(addDays(to, 1)) : 'infinity';
  const range = [pages.after(cursor), limit + 1, since, before];
  const find = () => {
    if (subject !== undefined) return db.many(auditEvents.bySubject, [...range, subject, kind ?? null, actor ?? null]);
    if (actor !== undefined) return db.many(auditEvents.byActor, [...range, actor, kind ?? null]);
    if (kind !== undefined) return db.many(auditEvents.byKind, [...range, kind]);
    return db.many(auditEvents.all, range);
  };
  return pages.page(await find(), limit, ({ seq: _seq, ...event }) => event);
}

/** Asks every part at once; a part that does not answer in two seconds is down. */
async function readHealth(services: Services): Promise<Health> {
  const ask: Readonly<Record<Part, () => Promise<unknown>>> = {
    database: () => services.db.one(queueDepths),
    temporal: () => services.temporal.check(),
    bank: () => services.bank.check(),
    'key-service': () => services.keys.check(),
  };
  const [queues, ...parts] = await Promise.all([
    services.db.one(queueDepths),
    ...PARTS.map(async (name) => ({ name, ...(await judged(ask[name])) })),
  ]);
  return { status: parts.every(({ status }) => status === 'up') ? 'ok' : 'degraded', parts, queues };
}

async function judged(ask: () => Promise<unknown>): Promise<{ status: 'up' | 'down'; ms: number }> {
  const startedAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<'down'>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, 'down');
  });
  const answer = ask().then(
    () => 'up' as const,
    () => 'down' as const,
  );
  const status = await Promise.race([answer, tooLong]);
  clearTimeout(timer);
  return { status, ms: Math.round(performance.now() - startedAt) };
}
