import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { RewrappedPage, VaultKeyActivities } from '../../activities/vault-keys.ts';
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

function play(parts: Partial<VaultKeyActivities> = {}) {
  const taskQueue = `upkeep-${(runs += 1)}`;
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
  return {
    pages,
    made,
    async run(meanwhile: (handle: Handle) => Promise<void> = async () => {}) {
      const connection = env.nativeConnection;
      const worker = await Worker.create({ connection, taskQueue, workflowBundle, activities: noted });
      return worker.runUntil(async () => {
        const handle = await env.client.workflow.start('rotateMasterKey', {
          workflowId: `${MASTER_KEY_ROTATION}/${runs}`,
          taskQueue,
          args: [],
        });
        await meanwhile(handle);
        const result = (await handle.result()) as RotationResult;
        await record(handle);
        return { result };
      });
    },
  };
}

test('everything is rewrapped, table by table and page by page, until a scan finds nothing more', async () => {
  const answers = [page(500, next('b')), page(500, next('c')), page(100), page(1), page(2), page(0), page(0), page(0)];
  const { run, pages } = play({ rewrapPage: async () => answers.shift()! });
  const began = await env.currentTimeMs();
  const { result } = await run();
  expect(result).toEqual({ from_version: 3, to_version: 4, rewrapped: 1_103, unreadable: 0 });
  expect(pages.map(({ table, version, after }) => [table, version, after?.id ?? null])).toEqual([
    ['vault_records', 4, null],
    ['vault_records', 4, 'b'],
    ['vault_records', 4, 'c'],
    ['sealed_secrets', 4, null],
    ['vault_records', 4, null],
    ['sealed_secrets', 4, null],
    ['vault_records', 4, null],
    ['sealed_secrets', 4, null],
  ]);
  expect(answers).toEqual([]);
  expect((await env.currentTimeMs()) - began).toBeGreaterThanOrEqual(3 * SETTLED_MS);
});

test('nothing is rewrapped before every process can know the new version', async () => {
  let madeAt = 0;
  let wrappedAt = 0;
  const { run } = play({
    makeMasterKey: async () => {
      madeAt = await env.currentTimeMs();
      return { version: 4, settled_ms: 60_000 };
    },
    rewrapPage: async () => {
      wrappedAt ||= await env.currentTimeMs();
      return page(0);
    },
  });
  await run();
  expect(wrappedAt - madeAt).toBeGreaterThanOrEqual(60_000);
});

test('a failed try is retried for the same version, so that no second version is made', async () => {
  let current = 3;
  let failures = 0;
  const { run, made } = play({
    readMasterKey: async () => ({ version: current }),
    makeMasterKey: async ({ from_version }) => {
      if (current === from_version) current += 1;
      if ((failures += 1) < 3) throw new Error('cut off after the version was made');
      return { version: current, settled_ms: SETTLED_MS };
    },
  });
  const { result } = await run();
  expect(made).toEqual([{ from_version: 3 }, { from_version: 3 }, { from_version: 3 }]);
  expect(result).toMatchObject({ from_version: 3, to_version: 4 });
});

test('records that do not decrypt do not prevent the end, and are counted once', async () => {
  const answers = [page(9, { unreadable: 2 }), page(1), page(0, { unreadable: 2 }), page(0)];
  const { run } = play({ rewrapPage: async () => answers.shift()! });
  const { result } = await run();
  expect(result).toEqual({ from_version: 3, to_version: 4, rewrapped: 10, unreadable: 2 });
});

test('records that changed meanwhile are scanned again', async () => {
  const answers = [page(0, { found: 1 }), page(0), page(1), page(0), page(0), page(0)];
  const { run } = play({ rewrapPage: async () => answers.shift()! });
  const { result } = await run();
  expect(result.rewrapped).toBe(1);
  expect(answers).toEqual([]);
});

test('the progress can be queried', async () => {
  let goOn: (answer: RewrappedPage) => void = () => undefined;
  let reached: () => void = () => undefined;
  const third = new Promise<void>((resolve) => (reached = resolve));
  let calls = 0;
  const { run } = play({
    makeMasterKey: async () => ({ version: 4, settled_ms: 50 }),
    rewrapPage: async () => {
      if ((calls += 1) !== 3) return calls < 3 ? page(500, next(`p${calls}`)) : page(0);
      reached();
      return new Promise((resolve) => (goOn = resolve));
    },
  });
  await run(async (handle) => {
    await third;
    const progress: RotationProgress = { from_version: 3, to_version: 4, rewrapped: 1_000, of: 1_101 };
    expect(await handle.query('rotationProgress')).toEqual(progress);
    goOn(page(100));
  });
});

test('a long rotation continues in another run', async () => {
  let calls = 0;
  const { run, pages } = play({
    rewrapPage: async () => ((calls += 1) <= 1_001 ? page(500, next(`p${calls}`)) : page(0)),
  });
  const { result } = await run();
  expect(result).toEqual({ from_version: 3, to_version: 4, rewrapped: 500_500, unreadable: 0 });
  expect(pages.slice(999, 1_002).map(({ after }) => after?.id)).toEqual(['p999', 'p1000', 'p1001']);
});

test('every history of these tests replays', async () => {
  expect(await replay({ workflowBundle })).toBeGreaterThanOrEqual(7);
});
