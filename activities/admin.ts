import { setTimeout as sleep } from 'node:timers/promises';
import { covers, type Principal } from '../domain/auth.ts';
import { addDays, startOfLondonDay, type CalendarDate } from '../domain/dates.ts';
import { DomainError } from '../domain/errors.ts';
import { auditEvents, queueDepths } from '../infra/db/queries/admin.ts';
import type { Services } from '../infra/services.ts';
import type { AuditEvent, DependencyHealth, Health } from '../openapi/types.ts';
import { DEFAULT_LIMIT, pagesOf, type Page, type QueryOf } from './page.ts';

/** The most events that one call filters by application. */
const LOOKED_THROUGH = 1_000;

const PATIENCE_MS = 2_000;

/** A page can be short and still have a next page, because one call filters at most `LOOKED_THROUGH` events. */
export async function listAuditEvents(
  services: Services,
  filter: QueryOf<'listAuditEvents'> & { principal: Principal },
): Promise<Page<AuditEvent>> {
  const { db } = services;
  const { principal, subject, kind, actor, from, to, limit = DEFAULT_LIMIT, cursor } = filter;
  const seesAll = covers(principal.scopes, 'admin:owners');
  const application = seesAll ? undefined : applicationOf(principal);
  const pages = pagesOf(services, {
    operation: 'listAuditEvents',
    filter: { application, subject, kind, actor, from, to },
  });
  const most = seesAll ? limit + 1 : LOOKED_THROUGH;
  const wanted = { subject, kind, actor, most, ...daysOf({ from, to }), before: await pages.after(cursor) };
  const found = await db.many(auditEvents(wanted, application));
  const shown = await pages.page(
    found.filter(({ visible }) => visible),
    limit,
    ({ seq: _seq, visible: _visible, ...event }) => event,
  );
  const last = found.at(-1);
  const mayHaveMore = shown.next_cursor === null && found.length === most && last !== undefined;
  return mayHaveMore ? { ...shown, next_cursor: await pages.cursorOf(last.seq) } : shown;
}

interface EventsAsked {
  subject?: string | undefined;
  kind?: string | undefined;
  actor?: string | undefined;
  from?: CalendarDate | undefined;
  to?: CalendarDate | undefined;
  limit: number;
}

/** For operators. Newest first, without the hashes. */
export async function listEvents({ db }: Pick<Services, 'db'>, { from, to, limit, ...asked }: EventsAsked) {
  const wanted = { ...asked, ...daysOf({ from, to }), before: Number.MAX_SAFE_INTEGER, most: limit };
  const found = await db.many(auditEvents(wanted, undefined));
  const items = found.map(({ created_at, kind, subject, actor, data, event_id }) => {
    return { created_at, kind, subject, actor, data, event_id };
  });
  return { items };
}

/** London dates, both inclusive. */
function daysOf({ from, to }: Pick<EventsAsked, 'from' | 'to'>) {
  return {
    from: from === undefined ? undefined : startOfLondonDay(from),
    to: to === undefined ? undefined : startOfLondonDay(addDays(to, 1)),
  };
}

/** A person gets the empty id, so a person sees no audit events. */
function applicationOf(principal: Principal): string {
  return principal.kind === 'api_key' ? principal.appId : '';
}

export async function readHealth(services: Services): Promise<Health> {
  const depths = Promise.race([services.db.one(queueDepths()), noAnswer()]);
  const [queues, ...parts] = await Promise.all([
    depths,
    judged('database', () => depths),
    judged('temporal', () => services.temporal.check()),
    judged('bank', () => Promise.all(services.banks.all.map(({ port }) => port.check()))),
    judged('key-service', () => services.keys.check()),
  ]);
  return { status: parts.every(({ status }) => status === 'up') ? 'ok' : 'degraded', parts, queues };
}

/** Rejects like a database that is down. */
async function noAnswer(): Promise<never> {
  await sleep(PATIENCE_MS, undefined, { ref: false });
  throw new DomainError('dependency-unavailable', 'The database does not respond.', { dependency: 'database' });
}

async function judged(name: DependencyHealth['name'], ask: () => Promise<unknown>): Promise<DependencyHealth> {
  const startedAt = performance.now();
  const answer = ask().then(
    () => 'up' as const,
    () => 'down' as const,
  );
  const status = await Promise.race([answer, sleep(PATIENCE_MS, 'down' as const, { ref: false })]);
  return { name, status, ms: Math.round(performance.now() - startedAt) };
}
