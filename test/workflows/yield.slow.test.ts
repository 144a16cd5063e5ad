import type { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { AccrualPage, AccrualPageResult, AccrualRun, AccrualRunActivities } from '../../activities/yield/run.ts';
import { ATTENTION, STATUS } from '../../workflows/attributes.ts';
import { accrualWorkflowId } from '../../workflows/ids.ts';
import type { AccrualResult } from '../../workflows/yield.ts';
import { recordHistories } from '../helpers/replay.ts';
import { withTimeSkipping } from '../helpers/time-skipping.ts';

let env: TestWorkflowEnvironment;
let workflowBundle: { code: string };
let runs = 0;
const { record, replay } = recordHistories();

withTimeSkipping((parts) => {
  ({ env, workflowBundle } = parts);
});

type Handle = Awaited<ReturnType<typeof env.client.workflow.start>>;
const as_of = '2026-12-01';
const opened = { as_of, started_at: '2026-12-01T02:00:00.000Z', vaults: 1_500 };
/** The result of a page whose vaults each earned a penny. */
const pennies = ({ after, upto }: AccrualPage): AccrualPageResult => ({
  ...{ vaults: upto - after, accruals: upto - after, accrued_pence: upto - after, failures: [] },
});

/** Vaults are numbered from 1 and read in pages of 500. */
function play(vaults: Partial<Record<string, number>>, parts: Partial<AccrualRunActivities> = {}) {
  const taskQueue = `batch-${(runs += 1)}`;
  const pages: AccrualPage[] = [];
  let [now, most] = [0, 0];
  const { accruePage = async (page: AccrualPage) => pennies(page), ...others } = parts;
  const activities: AccrualRunActivities = {
    openAccrualRun: async () => ({ ...opened, vault_types: Object.keys(vaults) as AccrualRun['vault_types'] }),
    planAccrualPages: async ({ vault_type, after, pages: wanted }) => {
      const ends = [];
      const last = vaults[vault_type]!;
      for (let end = after; end < last && ends.length < wanted;) ends.push((end = Math.min(end + 500, last)));
      return { ends };
    },
    accruePage: async (page) => {
      pages.push(page);
      most = Math.max(most, (now += 1));
      return accruePage(page).finally(() => (now -= 1));
    },
    closeAccrualRun: async () => {},
    ...others,
  };
  return {
    pages,
    mostAtOnce: () => most,
    async run(meanwhile: (handle: Handle) => Promise<void> = async () => {}) {
      const connection = env.nativeConnection;
      const worker = await Worker.create({ connection, taskQueue, workflowBundle, activities: { ...activities } });
      return worker.runUntil(async () => {
        const workflowId = `${accrualWorkflowId(as_of)}/${runs}`;
        const how = { workflowId, taskQueue, args: [{ as_of: null }] };
        const handle = await env.client.workflow.start('accrueMonthly', how);
        await meanwhile(handle);
        const result = (await handle.result()) as AccrualResult;
        const { typedSearchAttributes } = await handle.describe();
        await record(handle);
        return { result, attributes: [typedSearchAttributes.get(STATUS), typedSearchAttributes.get(ATTENTION)] };
      });
    },
  };
}

test('every vault of every type is accrued once, with a few pages at a time', async () => {
  let begun = 0;
  const { promise: fourHaveBegun, resolve: goOn } = Promise.withResolvers<undefined>();
  const accruePage = async (page: AccrualPage) => {
    if ((begun += 1) === 4) goOn(undefined);
    await fourHaveBegun;
    return pennies(page);
  };
  const { run, pages, mostAtOnce } = play({ SAVINGS: 10_700, FIXED: 499 }, { accruePage });
  const { result, attributes } = await run();
  const sums = { vaults: 11_199, accruals: 11_199, accrued_pence: 11_199 };
  expect(result).toEqual({ as_of, ...sums, failed: 0, failures: [] });
  const order = ({ vault_type, after }: AccrualPage) => `${vault_type} ${String(after).padStart(6, '0')}`;
  const sorted = pages.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
  expect(sorted.map(({ vault_type, after, upto }) => [vault_type, after, upto])).toEqual([
    ['FIXED', 0, 499],
    ...Array.from({ length: 22 }, (_, page) => ['SAVINGS', page * 500, Math.min(page * 500 + 500, 10_700)]),
  ]);
  expect(new Set(pages.map((page) => `${page.as_of} ${page.started_at}`)).size).toBe(1);
  expect([mostAtOnce(), attributes]).toEqual([4, ['completed', false]]);
});

test('an interrupted page is retried, and counts once', async () => {
  let tries = 0;
  const accruePage = async (page: AccrualPage) => {
    if (page.after === 500 && (tries += 1) < 4) throw new Error('the database went away');
    return pennies(page);
  };
  const { result } = await play({ SAVINGS: 1_500 }, { accruePage }).run();
  expect(tries).toBe(4);
  expect(result).toMatchObject({ vaults: 1_500, accrued_pence: 1_500 });
});

test('failed vaults stop nothing, are reported at the end, and are flagged for an operator', async () => {
  const failures = Array.from({ length: 80 }, (_, index) => ({ vault_id: `vlt_${index}`, code: 'balance-limit' }));
  const accruePage = async (page: AccrualPage) => ({
    ...{ ...pennies(page), accruals: 420, failures: page.after < 1_000 ? failures : [] },
  });
  const { result, attributes } = await play({ SAVINGS: 1_500 }, { accruePage }).run();
  expect(result).toMatchObject({ vaults: 1_500, accruals: 1_260, failed: 160 });
  expect(result.failures).toHaveLength(100);
  expect(attributes).toEqual(['completed', true]);
});

test('without vaults the run ends at once', async () => {
  for (const vaults of [{}, { SAVINGS: 0 }]) {
    const { run, pages } = play(vaults);
    expect((await run()).result).toMatchObject({ vaults: 0, accruals: 0, accrued_pence: 0 });
    expect(pages).toEqual([]);
  }
});

test('the progress can be queried, and is shown', async () => {
  const [reached, goOn] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const accruePage = async (page: AccrualPage) => {
    if (page.after === 1_000) {
      reached.resolve(undefined);
      await goOn.promise;
    }
    return pennies(page);
  };
  await play({ SAVINGS: 1_500 }, { accruePage }).run(async (handle) => {
    await reached.promise;
    let progress: { vaults: number } | null = null;
    while (progress?.vaults !== 1_000) progress = await handle.query('accrualProgress');
    expect(progress).toMatchObject({ as_of, vaults: 1_000, accrued_pence: 1_000, of: 1_500 });
    const shown = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    expect(shown.currentDetails).toMatch(
      /^1000 of 1500 vaults, 0 failed, at \d{4}-.*Z\. Interest for the days before 2026-12-01: 1000 pence/,
    );
    goOn.resolve(undefined);
  });
});

test('a long run continues in another run', async () => {
  const { run, pages } = play({ SAVINGS: 500 * 401 });
  expect((await run()).result).toMatchObject({ vaults: 200_500, accrued_pence: 200_500 });
  expect(new Set(pages.map(({ after }) => after)).size).toBe(401);
});

test('an invalid day ends the run with the refusal’s code', async () => {
  const refusal = ApplicationFailure.nonRetryable('must not be after today', 'invalid-request');
  const { run } = play({}, { openAccrualRun: () => Promise.reject(refusal) });
  const failed = await run().catch((error: unknown) => error as WorkflowFailedError);
  expect(failed).toMatchObject({ cause: { cause: { type: 'invalid-request' } } });
});

test('a run is recorded once, at its end', async () => {
  const ends: object[] = [];
  const closeAccrualRun = async (end: object) => void ends.push({ ...end, pagesBefore: pages.length });
  const { run, pages } = play({ SAVINGS: 700 }, { closeAccrualRun });
  await run();
  expect(ends).toEqual([{ as_of, pagesBefore: 2 }]);
});

test('every history of these tests replays', async () => {
  expect(await replay({ workflowBundle })).toBeGreaterThanOrEqual(8);
});
