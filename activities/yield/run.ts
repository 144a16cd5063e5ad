import { londonDateOf, monthStartOf, type CalendarDate } from '../../domain/dates.ts';
import type { VaultType } from '../../domain/ledger.ts';
import { requireAsOf } from '../../domain/yield.ts';
import * as outbox from '../../infra/db/statements/outbox.ts';
import * as statements from '../../infra/db/statements/yield.ts';
import type { Services } from '../../infra/services.ts';
import { accrueEach, addUp, type Accrued, type AccrualFailure } from './batch.ts';
import type { YieldServices } from './post.ts';
import { earningTypes, readRates } from './rates.ts';

export type { AccrualFailure } from './batch.ts';

/** A run over all vaults that earn. */
export interface AccrualRun {
  /** The first day that is not to earn. */
  as_of: CalendarDate;
  started_at: string;
  vault_types: VaultType[];
  /** How many vaults there were when it began. */
  vaults: number;
}

/** The vaults of one type whose number in the database is above `after`, up to `upto`. */
export interface AccrualPage {
  as_of: CalendarDate;
  started_at: string;
  vault_type: VaultType;
  after: number;
  upto: number;
}

/** What became of a page since the run began, however often the page was tried. */
export interface AccrualPageResult {
  vaults: number;
  accruals: number;
  accrued_pence: number;
  failures: AccrualFailure[];
}

const PAGE = 500;
/** Vaults in one transaction: their owners cannot move money until it is over. */
const TOGETHER = 100;
/** How long a run waits for an owner whose money somebody else is moving, and for all such owners of a page together. */
const WAIT_MS = 10_000;
const WAIT_IN_ALL_MS = 60_000;
const WAIT_LEAST_MS = 50;

/**
 * Has a worker accrue all vaults up to a day, the first of the month in business time if none is said. A run for that day that is
 * under way is joined. Inside a transaction it is asked for when that is committed.
 */
export async function requestAccrualRun(
  { db, clock, outbox: bell }: Pick<Services, 'db' | 'clock' | 'outbox'>,
  request: { as_of?: CalendarDate } = {},
): Promise<{ as_of: CalendarDate }> {
  const as_of = request.as_of ?? monthStartOf(londonDateOf(await clock.now()));
  await db.run(outbox.insertMessage, ['yield.start', as_of, JSON.stringify({ as_of })]);
  db.afterCommit(() => bell.ring());
  return { as_of };
}

/** What the workflow of a run does, step by step; each may run again after a crash. */
export const accrualRunActivities = (
  services: YieldServices & Pick<Services, 'metrics'>,
  { waitMs = WAIT_MS } = {},
) => ({
  /**
   * What is to be done up to a day, the first of this month in business time if none is said.
   * @throws DomainError `invalid-request` for a day in the future.
   */
  async openAccrualRun({ as_of }: { as_of: CalendarDate | null }): Promise<AccrualRun> {
    const now = await services.clock.now();
    const today = londonDateOf(now);
    const to = as_of ?? monthStartOf(today);
    requireAsOf(to, today, to);
    const vault_types = earningTypes(await readRates(services));
    const { vaults } = await services.db.one(statements.countVaults, [vault_types]);
    services.metrics.yieldRunVaults.set(vaults);
    return { as_of: to, started_at: now.toISOString(), vault_types, vaults };
  },

  /** Where the next pages of 500 vaults end, at most so many pages. None where there is no vault left. */
  async planAccrualPages(next: { vault_type: VaultType; after: number; pages: number }): Promise<{ ends: number[] }> {
    const ends = await services.db.many(statements.pageEnds, [next.vault_type, next.after, next.pages * PAGE, PAGE]);
    return { ends: ends.map(({ seq }) => seq) };
  },

  /** Puts on record how a run ended; a run that is told of twice stands there twice, and the last one counts. */
  async closeAccrualRun(run: { as_of: CalendarDate; vaults: number; accruals: number; failed: number }): Promise<void> {
    await services.db.run(statements.insertRun, [run.as_of, run.vaults, run.accruals, run.failed]);
  },

  /**
   * Accrues the vaults of a page, month by month where months were missed.
   * @throws DomainError `invalid-request` for a day in the future, whoever asks.
   */
  async accruePage(page: AccrualPage): Promise<AccrualPageResult> {
    requireAsOf(page.as_of, londonDateOf(await services.clock.now()), page.as_of);
    const found = await services.db.many(statements.vaultsOfPage, [page.vault_type, page.after, page.upto]);
    const waitUntil = performance.now() + WAIT_IN_ALL_MS;
    // In whole milliseconds, as the database takes them.
    const patienceMs = () => Math.max(WAIT_LEAST_MS, Math.min(waitMs, Math.floor(waitUntil - performance.now())));
    const run = { to: page.as_of, rates: await readRates(services), patienceMs };
    const results: Accrued[] = [];
    for (let start = 0; start < found.length; start += TOGETHER) {
      const ids = found.slice(start, start + TOGETHER).map(({ vault_id }) => vault_id);
      results.push(await accrueEach(services, ids, run));
    }
    const { accruals, pence, failures, already } = addUp(results);
    const earlier = await postedBefore(services, already, page.started_at);
    services.metrics.yieldVaults.inc({ outcome: 'done' }, found.length - failures.length);
    services.metrics.yieldVaults.inc({ outcome: 'failed' }, failures.length);
    return {
      vaults: found.length,
      accruals: accruals + earlier.accruals,
      accrued_pence: pence + earlier.accrued,
      failures,
    };
  },
});

export type AccrualRunActivities = ReturnType<typeof accrualRunActivities>;

/** What this run had posted when a page was begun that is tried again. */
async function postedBefore({ db }: YieldServices, ids: readonly string[], since: string) {
  return ids.length === 0 ? { accruals: 0, accrued: 0 } : db.one(statements.postedSince, [ids, since]);
}
