import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { Duration } from '@temporalio/common';
import type { RetentionActivities } from '../../activities/retention.ts';
import type { ReconciledPage } from '../../activities/reconciliation/run.ts';
import type { RewrappedPage, VaultKeyActivities } from '../../activities/vault-keys.ts';
import { PURGE, RECONCILIATION, VERIFICATION } from '../../infra/temporal/schedules.ts';
import { ATTENTION } from '../../workflows/attributes.ts';
import { MASTER_KEY_ROTATION } from '../../workflows/ids.ts';
import type { RotationProgress, RotationResult } from '../../workflows/vault-keys.ts';
import { recordHistories } from '../helpers/replay.ts';
import { withTimeSkipping } from '../helpers/time-skipping.ts';

const SETTLED_MS = 7_000;

let env: TestWorkflowEnvironment;
let workflowBundle: { code: string };
let runs = 0;
const { record, replay } = recordHistories();

withTimeSkipping((parts) => {
  ({ env, workflowBundle } = parts);
});

type Arguments<Name extends keyof VaultKeyActivities> = Parameters<VaultKeyActivities[Name]>[0];
type Handle = Awaited<ReturnType<typeof env.client.workflow.start>>;

const page = (rewrapped: number, more: Partial<RewrappedPage> = {}): RewrappedPage => ({
  found: rewrapped,
  rewrapped,
  unreadable: 0,
  next: null,
  ...more,
});
const next = (id: string) => ({ next: { version: 3, id } });

/** @returns the workflow's result, or `{ error }` */
async function run<Result>(
  workflow: string,
  options: { workflowId: string; workflowExecutionTimeout?: Duration },
  activities: object,
  meanwhile: (handle: Handle) => Promise<void> = async () => {},
): Promise<Result> {
  const taskQueue = `upkeep-${(runs += 1)}`;
  const worker = await Worker.create({ connection: env.nativeConnection, taskQueue, workflowBundle, activities });
  return worker.runUntil(async () => {
    const workflowId = `${options.workflowId}-${runs}`;
    const handle = await env.client.workflow.start(workflow, { ...options, workflowId, taskQueue, args: [] });
    await meanwhile(handle);
    const result = (await handle.result().catch((error: unknown) => ({ error }))) as Result;
    await record(handle);
    return result;
  });
}

function play(parts: Partial<VaultKeyActivities> = {}) {
  const pages: Arguments<'rewrapPage'>[] = [];
  const made: Arguments<'makeMasterKey'>[] = [];
  const activities: VaultKeyActivities = {
    readMasterKey: async () => ({ version: 3 }),
    makeMasterKey: async ({ from_version }) => ({ version: from_version + 1, settled_ms: SETTLED_MS }),
    countUnderOlderKeys: async () => [
      { table: 'vault_records', records: 1_100 },
      { table: 'sealed_secrets', records: 1 },
    ],
    rewrapPage: async () => page(0),
    ...parts,
  };
  const noted = {
    ...activities,
    makeMasterKey: (args: Arguments<'makeMasterKey'>) => (made.push(args), activities.makeMasterKey(args)),
    rewrapPage: (args: Arguments<'rewrapPage'>) => (pages.push(args), activities.rewrapPage(args)),
  };
  const rotation = { workflowId: MASTER_KEY_ROTATION };
  return {
    pages,
    made,
    rotate: (meanwhile?: (handle: Handle) => Promise<void>) =>
      run<RotationResult>('rotateMasterKey', rotation, noted, meanwhile),
  };
}

describe('a rotation of the master key', () => {
  test('everything is rewrapped, table by table and page by page, until a scan finds nothing more', async () => {
    const answers = [
      page(500, next('b')),
      page(500, next('c')),
      page(100),
      page(1),
      page(2),
      page(0),
      page(0),
      page(0),
    ];
    const { rotate, pages } = play({ rewrapPage: async () => answers.shift()! });
    const began = await env.currentTimeMs();
    const result = await rotate();
    expect(result).toEqual({ from_version: 3, to_version: 4, rewrapped: 1_103, unreadable: 0 });
    const [vault, secrets] = ['vault_records 4 ', 'sealed_secrets 4 '];
    expect(pages.map(({ table, version, after }) => `${table} ${version} ${after?.id ?? ''}`)).toEqual([
      vault,
      `${vault}b`,
      `${vault}c`,
      secrets,
      vault,
      secrets,
      vault,
      secrets,
    ]);
    expect(answers).toEqual([]);
    expect((await env.currentTimeMs()) - began).toBeGreaterThanOrEqual(3 * SETTLED_MS);
  });

  test('nothing is rewrapped before every process can know the new version', async () => {
    let [madeAt, wrappedAt] = [0, 0];
    const { rotate } = play({
      async makeMasterKey() {
        madeAt = await env.currentTimeMs();
        return { version: 4, settled_ms: 60_000 };
      },
      async rewrapPage() {
        wrappedAt ||= await env.currentTimeMs();
        return page(0);
      },
    });
    await rotate();
    expect(wrappedAt - madeAt).toBeGreaterThanOrEqual(60_000);
  });

  test('a failed try is retried for the same version, so that no second version is made', async () => {
    let current = 3;
    let failures = 0;
    const { rotate, made } = play({
      readMasterKey: async () => ({ version: current }),
      makeMasterKey: async ({ from_version }) => {
        if (current === from_version) current += 1;
        if ((failures += 1) < 3) throw new Error('cut off after the version was made');
        return { version: current, settled_ms: SETTLED_MS };
      },
    });
    const result = await rotate();
    expect(made).toEqual([{ from_version: 3 }, { from_version: 3 }, { from_version: 3 }]);
    expect(result).toMatchObject({ from_version: 3, to_version: 4 });
  });

  test.each([
    [
      'records that do not decrypt do not prevent the end, and are counted once',
      [page(9, { unreadable: 2 }), page(1), page(0, { unreadable: 2 }), page(0)],
      { rewrapped: 10, unreadable: 2 },
    ],
    [
      'records that changed meanwhile are scanned again',
      [page(0, { found: 1 }), page(0), page(1), page(0), page(0), page(0)],
      { rewrapped: 1, unreadable: 0 },
    ],
  ])('%s', async (_name, answers, counted) => {
    const { rotate } = play({ rewrapPage: async () => answers.shift()! });
    expect(await rotate()).toEqual({ from_version: 3, to_version: 4, ...counted });
    expect(answers).toEqual([]);
  });

  test('the progress can be queried', async () => {
    const [reached, answer] = [Promise.withResolvers<undefined>(), Promise.withResolvers<RewrappedPage>()];
    let calls = 0;
    const { rotate } = play({
      makeMasterKey: async () => ({ version: 4, settled_ms: 50 }),
      rewrapPage: async () => {
        if ((calls += 1) !== 3) return calls < 3 ? page(500, next(`p${calls}`)) : page(0);
        reached.resolve(undefined);
        return answer.promise;
      },
    });
    await rotate(async (handle) => {
      await reached.promise;
      const progress: RotationProgress = { from_version: 3, to_version: 4, rewrapped: 1_000, of: 1_101 };
      expect(await handle.query('rotationProgress')).toEqual(progress);
      answer.resolve(page(100));
    });
  });

  test('a long rotation continues in another run', async () => {
    let calls = 0;
    const { rotate, pages } = play({
      rewrapPage: async () => ((calls += 1) <= 1_001 ? page(500, next(`p${calls}`)) : page(0)),
    });
    const result = await rotate();
    expect(result).toEqual({ from_version: 3, to_version: 4, rewrapped: 500_500, unreadable: 0 });
    expect(pages.slice(999, 1_002).map(({ after }) => after?.id)).toEqual(['p999', 'p1000', 'p1001']);
  });
});

describe('a reconciliation', () => {
  const found = (more: object = {}) => ({
    checked: 3,
    matched: 2,
    missing: 1,
    unexplained_returns: 0,
    failed: 0,
    ...more,
  });
  async function reconcile(pages: (ReconciledPage | Error)[]) {
    const [after, closed]: [string[], number[]] = [[], []];
    const activities = {
      async reconcilePage(asked: { after: string }) {
        after.push(asked.after);
        const answer = pages.shift()!;
        if (answer instanceof Error) throw answer;
        return answer;
      },
      closeReconciliation: async () => closed.push(1),
    };
    const result = await run('reconcile', { workflowId: RECONCILIATION.action.workflowId! }, activities);
    return { result, after, closed: closed.length };
  }

  test('looks for the payments of all owners, page by page, and a page that failed comes again', async () => {
    const done = await reconcile([
      found({ next: 'b' }),
      new Error('cut off'),
      found({ next: null }),
    ] as ReconciledPage[]);
    const sums = { checked: 6, matched: 4, missing: 2, unexplained_returns: 0, failed: 0 };
    expect(done).toEqual({ result: sums, after: ['', 'b', 'b'], closed: 1 });
  });

  test('that left an owner out is not recorded as a success', async () => {
    const done = await reconcile([found({ failed: 1, next: null })] as ReconciledPage[]);
    expect(done).toEqual({ result: found({ failed: 1 }), after: [''], closed: 0 });
  });

  test('of many owners continues in another run', async () => {
    const pages = Array.from({ length: 401 }, (_, n) => found({ next: n < 400 ? `p${n}` : null }));
    expect(await reconcile(pages as ReconciledPage[])).toMatchObject({ result: { checked: 1_203 }, closed: 1 });
  });
});

describe('a purge', () => {
  const purged = async () => ({ purged: 2 });
  const purge = (activities: RetentionActivities) =>
    run(
      'purgeExpired',
      { workflowId: PURGE.action.workflowId!, workflowExecutionTimeout: PURGE.action.workflowExecutionTimeout! },
      activities,
    );

  test('returns how much it deleted; a failed part is retried, and the other part runs once', async () => {
    let [tries, others] = [0, 0];
    const result = await purge({
      async purgeIdempotencyRecords() {
        if ((tries += 1) < 5) throw new Error('the database is away');
        return { purged: 1_001 };
      },
      async purgeExpiredAuth() {
        others += 1;
        return purged();
      },
    });
    expect(result).toEqual({ idempotency_records: 1_001, auth: 2 });
    expect([tries, others]).toEqual([5, 1]);
  });

  test('that never succeeds ends by its timeout, so that the schedule starts another', async () => {
    const purgeIdempotencyRecords = () => Promise.reject(new Error('the table is gone'));
    expect(await purge({ purgeIdempotencyRecords, purgeExpiredAuth: purged })).toHaveProperty('error');
  });
});

test('a check of the database that found something says so to operators, and how to see it', async () => {
  const result = { parts: [{ part: 'audit', checked: 9, ms: 1, found: 2 }], checkpoint: 7 };
  const handles: Handle[] = [];
  const options = { workflowId: VERIFICATION.action.workflowId! };
  const meanwhile = async (handle: Handle) => void handles.push(handle);
  expect(await run('verifyNightly', options, { verifyByNight: async () => result }, meanwhile)).toEqual(result);
  expect((await handles[0]!.describe()).typedSearchAttributes.get(ATTENTION)).toBe(true);
});

test('every history of these tests replays', async () => {
  expect(await replay({ workflowBundle })).toBeGreaterThanOrEqual(10);
});
