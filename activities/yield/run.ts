import { requireInstant, requireOneOf, requireWhole } from '../../domain/arguments.ts';
import { londonDateOf, monthStartOf, type CalendarDate } from '../../domain/dates.ts';
import { invalidInput } from '../../domain/errors.ts';
import { VAULT_TYPES, type VaultType } from '../../domain/ledger.ts';
import { earningPeriods, requireAsOf } from '../../domain/yield.ts';
import { AccrualRunRecord } from '../../infra/db/entities/yield.ts';
import * as queries from '../../infra/db/queries/yield.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { enqueue } from '../outbox.ts';
import { accrueEach, addUp, type Accrued } from './batch.ts';
import type { YieldServices } from './post.ts';
import { earningTypes, readRates } from './rates.ts';

export type { AccrualFailure } from './batch.ts';

export type AccrualRun = Awaited<ReturnType<AccrualRunActivities['openAccrualRun']>>;

/** The vaults of one type whose numbers are above `after` and at most `upto`. */
export interface AccrualPage {
  as_of: CalendarDate;
  started_at: string;
  vault_type: VaultType;
  after: number;
  upto: number;
}

export type AccrualPageResult = Awaited<ReturnType<AccrualRunActivities['accruePage']>>;

const PAGE = 500;
const MOST_PAGES = 100;
/** Vaults created while pages are planned can make a page larger than `PAGE`. */
const MOST_ON_PAGE = 2 * PAGE;
/** The owners of these vaults cannot move money until the transaction ends. */
const TOGETHER = 100;
/** The longest waits for one locked owner, and for all locked owners of a page together. */
const WAIT_MS = 10_000;
const WAIT_IN_ALL_MS = 60_000;
const WAIT_LEAST_MS = 50;

/**
 * Accrues the days before `as_of`, by default the first of the current month. Joins a run already in progress for that
 * day.
 */
export async function requestAccrualRun(
  tx: Tx,
  services: Pick<Services, 'clock' | 'outbox'>,
  request: { as_of?: CalendarDate } = {},
): Promise<{ as_of: CalendarDate }> {
  const as_of = request.as_of ?? monthStartOf(londonDateOf(await services.clock.now(tx)));
  await enqueue(tx, services, 'yield.start', as_of, { as_of });
  return { as_of };
}

/** Each activity can run again after a crash. */
export const accrualRunActivities = (
  services: YieldServices & Pick<Services, 'metrics'>,
  { waitMs = WAIT_MS } = {},
) => ({
  /** The run accrues interest for the days before `as_of`. `vaults` is the number of vaults when the run began. */
  async openAccrualRun({ as_of }: { as_of: CalendarDate | null }) {
    const now = await services.clock.now(services.db);
    const today = londonDateOf(now);
    const to = as_of ?? monthStartOf(today);
    requireAsOf(to, today, to);
    const vault_types = earningTypes(await readRates(services.db));
    const { vaults } = await services.db.one(queries.countVaults(vault_types));
    services.metrics.yieldRunVaults.set(vaults);
    return { as_of: to, started_at: now.toISOString(), vault_types, vaults };
  },

  /** Returns the last vault number on each page, and no numbers if no vault is left. */
  async planAccrualPages(next: { vault_type: VaultType; after: number; pages: number }): Promise<{ ends: number[] }> {
    const { type, after } = positionOf(next);
    const pages = requireWhole('/pages', next.pages, { least: 1, most: MOST_PAGES });
    const ends = await services.db.many(queries.pageEnds({ type, after, pages, size: PAGE }));
    return { ends: ends.map(({ seq }) => seq) };
  },

  /**
   * Records how many vaults still lack interest for the days before `as_of`, whatever the caller knows of a run. A run
   * that is reported twice gets a second record.
   */
  async closeAccrualRun({ as_of: asOf }: { as_of: CalendarDate }): Promise<void> {
    requireAsOf(asOf, londonDateOf(await services.clock.now(services.db)), asOf);
    const failed = await leftBy(services, asOf);
    await services.db.entities().insert(AccrualRunRecord, { asOf, endedAt: new Date().toISOString(), failed });
  },

  /** The result includes what earlier attempts at the page have posted since the run began. */
  async accruePage(page: AccrualPage) {
    const found = await vaultsOn(services, page);
    const startedAt = requireInstant('/started_at', page.started_at);
    const waitUntil = performance.now() + WAIT_IN_ALL_MS;
    // Whole milliseconds, because the database accepts no fractions.
    const patienceMs = () => Math.max(WAIT_LEAST_MS, Math.min(waitMs, Math.floor(waitUntil - performance.now())));
    const run = { to: page.as_of, patienceMs };
    const results: Accrued[] = [];
    for (let start = 0; start < found.length; start += TOGETHER) {
      const ids = found.slice(start, start + TOGETHER).map(({ vault_id }) => vault_id);
      results.push(await accrueEach(services, ids, run));
    }
    const { accruals, pence, failures, already } = addUp(results);
    const earlier = await postedBefore(services, already, startedAt);
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

function positionOf({ vault_type, after }: Pick<AccrualPage, 'vault_type' | 'after'>) {
  return {
    type: requireOneOf('/vault_type', vault_type, VAULT_TYPES),
    after: requireWhole('/after', after, { least: 0, most: Number.MAX_SAFE_INTEGER }),
  };
}

/** Validates the page, because the workflow's input is not trusted. */
async function vaultsOn({ db, clock }: YieldServices, page: AccrualPage): Promise<{ vault_id: string }[]> {
  requireAsOf(page.as_of, londonDateOf(await clock.now(db)), page.as_of);
  const { type, after } = positionOf(page);
  const upto = requireWhole('/upto', page.upto, { least: after, most: Number.MAX_SAFE_INTEGER });
  const found = await db.many(queries.vaultsOfPage({ type, after, upto, most: MOST_ON_PAGE + 1 }));
  if (found.length > MOST_ON_PAGE) throw invalidInput('/upto', `a page can have at most ${MOST_ON_PAGE} vaults`);
  return found;
}

/** The number of vaults whose interest for days before `asOf` is still missing. */
async function leftBy(services: YieldServices, asOf: CalendarDate): Promise<number> {
  const rates = await readRates(services.db);
  let left = 0;
  for (const type of VAULT_TYPES) {
    const periods = earningPeriods(rates[type], asOf);
    if (periods.length === 0) continue;
    left += (await services.db.one(queries.unaccrued(type, periods))).vaults;
  }
  return left;
}

export type AccrualRunActivities = ReturnType<typeof accrualRunActivities>;

async function postedBefore({ db }: YieldServices, ids: readonly string[], since: Date) {
  return ids.length === 0 ? { accruals: 0, accrued: 0 } : db.one(queries.postedSince(ids, since));
}
