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
const opened: AccrualRun = {
  as_of: '2026-12-01',
  started_at: '2026-12-01T02:00:00.000Z',
  vault_types: ['SAVINGS'],
  vaults: 1_500,
};
const pennies = (vaults: number, more: Partial<AccrualPageResult> = {}): AccrualPageResult => ({
  vaults,
  accruals: vaults,
  accrued_pence: vaults,
  failures: [],
  ...more,
});

/** Vaults are numbered from 1 and read in pages of 500. */
function play(vaults: Partial<Record<string, number>>, parts: Partial<AccrualRunActivities> = {}) {
  const taskQueue = `batch-${(runs += 1)}`;
  const pages: AccrualPage[] = [];
  let [now, most] = [0, 0];
  const activities: AccrualRunActivities = {
    openAccrualRun: async () => ({ ...opened, vault_types: Object.keys(vaults) as AccrualRun['vault_types'] }),
    planAccrualPages: async ({ vault_type, after, pages: wanted }) => {
      const ends = [];
      const last = vaults[vault_type]!;
      for (let end = after; end < last && ends.length < wanted;) ends.push((end = Math.min(end + 500, last)));
      return { ends };
    },
    accruePage: async ({ after, upto }) => pennies(upto - after),
    closeAccrualRun: async () => {},
    ...parts,
  };
  const noted: AccrualRunActivities = {
    ...activities,
    async accruePage(page) {
      pages.push(page);
      most = Math.max(most, (now += 1));
      return activities.accruePage(page).finally(() => (now -= 1));
    },
  };
  return {
    pages,
    mostAtOnce: () => most,
    async run(meanwhile: (handle: Handle) => Promise<void> = async () => {}) {
      const connection = env.nativeConnection;
      const worker = await Worker.create({ connection, taskQueue, workflowBundle, activities: { ...noted } });
      return worker.runUntil(async () => {
        const workflowId = `${accrualWorkflowId('2026-12-01')}/${runs}`;
        const handle = await env.client.workflow.start('accrueMonthly', {
          workflowId,
          taskQueue,
          args: [{ as_of: null }],
        });
        await meanwhile(handle);
        const result = (await handle.result()) as AccrualResult;
        const { typedSearchAttributes } = await handle.describe();
        await record(handle);
        return { result, attributes: typedSearchAttributes };
      });
    },
  };
}

test('every vault of every type is accrued once, with a few pages at a time', async () => {
  let begun = 0;
  const { promise: fourHaveBegun, resolve: goOn } = Promise.withResolvers<undefined>();
  const slow = async ({ after, upto }: AccrualPage) => {
    if ((begun += 1) === 4) goOn(undefined);
    await fourHaveBegun;
    return pennies(upto - after);
  };
  const { run, pages, mostAtOnce } = play({ SAVINGS: 10_700, FIXED: 499 }, { accruePage: slow });
  const { result, attributes } = await run();
  expect(result).toEqual({
    as_of: '2026-12-01',
    vaults: 11_199,
    accruals: 11_199,
    accrued_pence: 11_199,
    failed: 0,
    failures: [],
  });
  const order = ({ vault_type, after }: AccrualPage) => `${vault_type} ${String(after).padStart(6, '0')}`;
  const sorted = pages.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
  expect(sorted.map(({ vault_type, after, upto }) => [vault_type, after, upto])).toEqual([
    ['FIXED', 0, 499],
    ...Array.from({ length: 22 }, (_, page) => ['SAVINGS', page * 500, Math.min(page * 500 + 500, 10_700)]),
  ]);
  expect(new Set(pages.map(({ as_of, started_at }) => `${as_of} ${started_at}`)).size).toBe(1);
  expect(mostAtOnce()).toBe(4);
  expect([attributes.get(STATUS), attributes.get(ATTENTION)]).toEqual(['completed', false]);
});

test('an interrupted page is retried, and counts once', async () => {
  let tries = 0;
  const { run } = play(
    { SAVINGS: 1_500 },
    {
      accruePage: async ({ after, upto }) => {
        if (after === 500 && (tries += 1) < 4) throw new Error('the database went away');
        return pennies(upto - after);
      },
    },
  );
  const { result } = await run();
  expect(tries).toBe(4);
  expect(result).toMatchObject({ vaults: 1_500, accrued_pence: 1_500 });
});

test('failed vaults stop nothing, are reported at the end, and are flagged for an operator', async () => {
  const failures = Array.from({ length: 80 }, (_, index) => ({ vault_id: `vlt_${index}`, code: 'balance-limit' }));
  const { run } = play(
    { SAVINGS: 1_500 },
    { accruePage: async ({ after }) => pennies(500, { accruals: 420, failures: after < 1_000 ? failures : [] }) },
  );
  const { result, attributes } = await run();
  expect(result).toMatchObject({ vaults: 1_500, accruals: 1_260, failed: 160 });
  expect(result.failures).toHaveLength(100);
  expect([attributes.get(STATUS), attributes.get(ATTENTION)]).toEqual(['completed', true]);
});

test('without vaults the run ends at once', async () => {
  for (const vaults of [{}, { SAVINGS: 0 }]) {
    const { run, pages } = play(vaults);
    expect((await run()).result).toMatchObject({ vaults: 0, accruals: 0, accrued_pence: 0 });
    expect(pages).toEqual([]);
  }
});

test('the progress can be queried, and is shown', async () => {
  let reached: () => void = () => undefined;
  let goOn: () => void = () => undefined;
  const last = new Promise<void>((resolve) => (reached = resolve));
  const { run } = play(
    { SAVINGS: 1_500 },
    {
      accruePage: async ({ after, upto }) => {
        if (after === 1_000) {
          reached();
          await new Promise<void>((resolve) => (goOn = resolve));
        }
        return pennies(upto - after);
      },
    },
  );
  await run(async (handle) => {
    await last;
    let progress: { vaults: number } | null = null;
    while (progress?.vaults !== 1_000) progress = await handle.query('accrualProgress');
    expect(progress).toMatchObject({ as_of: '2026-12-01', vaults: 1_000, accrued_pence: 1_000, of: 1_500 });
    const shown = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    expect(shown.currentDetails).toMatch(
      /^1000 of 1500 vaults, 0 failed, at \d{4}-.*Z\. Interest for the days before 2026-12-01: 1000 pence/,
    );
    goOn();
  });
});

test('a long run continues in another run', async () => {
  const { run, pages } = play({ SAVINGS: 500 * 401 });
  const { result } = await run();
  expect(result).toMatchObject({ vaults: 200_500, accrued_pence: 200_500 });
  expect(new Set(pages.map(({ after }) => after)).size).toBe(401);
});

test('an invalid day ends the run with the refusal’s code', async () => {
  const refusal = ApplicationFailure.nonRetryable('must not be after today', 'invalid-request');
  const { run } = play({}, { openAccrualRun: () => Promise.reject(refusal) });
  const failed = await run().catch((error: unknown) => error as WorkflowFailedError);
  expect(failed).toMatchObject({ cause: { cause: { type: 'invalid-request' } } });
});

test('the result of a run is recorded once, at its end', async () => {
  const ends: object[] = [];
  const { run, pages } = play(
    { SAVINGS: 700 },
    {
      closeAccrualRun: async (end) => {
        ends.push({ ...end, pagesBefore: pages.length });
      },
    },
  );
  await run();
  expect(ends).toEqual([{ as_of: '2026-12-01', vaults: 700, accruals: 700, failed: 0, pagesBefore: 2 }]);
});

test('every history of these tests replays', async () => {
  expect(await replay({ workflowBundle })).toBeGreaterThanOrEqual(8);
});
