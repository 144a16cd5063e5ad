import {
  continueAsNew,
  defineQuery,
  log,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { AccrualFailure, AccrualPageResult, AccrualRun, AccrualRunActivities } from '../activities/yield/run.ts';
import type { CalendarDate } from '../domain/dates.ts';
import { ATTENTION, STATUS } from './attributes.ts';

/** Interest is posted for the days before `as_of`. Null means up to the end of the previous month in business time. */
interface AccrualArgs {
  as_of: CalendarDate | null;
  carried_on?: Progress;
}

/** `failures` names at most 100 vaults. */
export interface AccrualResult {
  as_of: CalendarDate;
  vaults: number;
  accruals: number;
  accrued_pence: number;
  failed: number;
  failures: AccrualFailure[];
}

/** Continue-as-new passes this state to the next run. */
interface Progress extends AccrualResult {
  run: AccrualRun;
  /** `type` is an index of `vault_types`. `after` is the number of the last planned vault. */
  position: { type: number; after: number };
}

/** Null before the run has begun. */
export const accrualProgress = defineQuery<(AccrualResult & { of: number }) | null>('accrualProgress');

const PAGES_AT_ONCE = 4;
const PAGES_PER_PLAN = 20;
const PAGES_PER_RUN = 400;
const FAILURES_REPORTED = 100;

const records = proxyActivities<AccrualRunActivities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

/** A failed vault does not stop the others. The next run posts what is missing, and no interest is posted twice. */
export async function accrueMonthly({ as_of, carried_on }: AccrualArgs): Promise<AccrualResult> {
  let progress = carried_on;
  setHandler(accrualProgress, () => (progress ? { ...resultOf(progress), of: progress.run.vaults } : null));
  progress ??= await begin(as_of);
  for (let pages = 0; ; pages += PAGES_PER_PLAN) {
    if (pages >= PAGES_PER_RUN || workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof accrueMonthly>({ as_of: progress.as_of, carried_on: progress });
    }
    if (!(await accrueSome(progress))) break;
  }
  const { as_of: asOf } = progress;
  await records.closeAccrualRun.executeWithOptions({ summary: 'Store how the run ended' }, [{ as_of: asOf }]);
  return end(progress);
}

async function begin(asOf: CalendarDate | null): Promise<Progress> {
  upsertSearchAttributes([{ key: STATUS, value: 'processing' }]);
  const run = await records.openAccrualRun.executeWithOptions({ summary: 'Count the vaults that earn interest' }, [
    { as_of: asOf },
  ]);
  const nothing = { vaults: 0, accruals: 0, accrued_pence: 0, failed: 0, failures: [] };
  return { run, as_of: run.as_of, ...nothing, position: { type: 0, after: 0 } };
}

/** Returns whether more pages might follow. */
async function accrueSome(progress: Progress): Promise<boolean> {
  const { run, position } = progress;
  const vault_type = run.vault_types[position.type];
  if (vault_type === undefined) return false;
  const { ends } = await records.planAccrualPages({ vault_type, after: position.after, pages: PAGES_PER_PLAN });
  const pages = ends.map((upto, index) => ({ after: ends[index - 1] ?? position.after, upto }));
  const left = pages[Symbol.iterator]();
  const lane = async () => {
    for (const { after, upto } of left) {
      const summary = `${vault_type} vaults, numbers ${after + 1} to ${upto}`;
      const { as_of, started_at } = run;
      const page = { as_of, started_at, vault_type, after, upto };
      count(progress, await records.accruePage.executeWithOptions({ summary }, [page]));
    }
  };
  await Promise.all(Array.from({ length: PAGES_AT_ONCE }, lane));
  if (ends.length === PAGES_PER_PLAN) position.after = ends.at(-1)!;
  else [position.type, position.after] = [position.type + 1, 0];
  return true;
}

function count(progress: Progress, page: AccrualPageResult): void {
  progress.vaults += page.vaults;
  progress.accruals += page.accruals;
  progress.accrued_pence += page.accrued_pence;
  progress.failed += page.failures.length;
  progress.failures.push(...page.failures.slice(0, FAILURES_REPORTED - progress.failures.length));
  const of = Math.max(progress.vaults, progress.run.vaults);
  setCurrentDetails(
    `${progress.vaults} of ${of} vaults, ${progress.failed} failed, at ${new Date().toISOString()}. ` +
      `Interest for the days before ${progress.as_of}: ${progress.accrued_pence} pence in ${progress.accruals} postings.`,
  );
}

function end(progress: Progress): AccrualResult {
  const { as_of, vaults, accruals, accrued_pence, failed } = progress;
  const posted = `Interest for the days before ${as_of}: ${accrued_pence} pence in ${accruals} postings. The run processed ${vaults} vaults.`;
  const again = `\`npm run admin -- accrue\` tries them again, and so does the next run.`;
  setCurrentDetails(
    failed === 0
      ? posted
      : `${posted} **${failed} vaults failed**; the result names up to ${FAILURES_REPORTED} of them. ${again}`,
  );
  upsertSearchAttributes([
    { key: STATUS, value: 'completed' },
    { key: ATTENTION, value: failed > 0 },
  ]);
  if (failed > 0) log.warn('the interest of some vaults could not be posted', { as_of, failed });
  return resultOf(progress);
}

function resultOf({ as_of, vaults, accruals, accrued_pence, failed, failures }: Progress): AccrualResult {
  return { as_of, vaults, accruals, accrued_pence, failed, failures };
}
