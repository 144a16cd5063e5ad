import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { Step } from '../../activities/bank/reading.ts';
import type { SyncEnd } from '../../activities/bank/sync.ts';
import { BankError } from '../../infra/bank/interface.ts';
import { bankLookJob, bankSyncJob, signalOrStart, startWorkflow } from '../../infra/temporal/start.ts';
import { recordHistories } from '../helpers/replay.ts';
import { withTimeSkipping } from '../helpers/time-skipping.ts';

let env: TestWorkflowEnvironment;
let workflowBundle: { code: string };
withTimeSkipping((parts) => ({ env, workflowBundle } = parts));
const { record, replay } = recordHistories();

const DONE: Step = { kind: 'done' };
const NOT_FINAL: Step = { kind: 'not-final' };
const UNTIL = '2026-11-30T00:00:00.000Z';
const wait = (ms: number): Step => ({ kind: 'wait', ms, until: UNTIL });
const away = () => new BankError('away', 'No answer.');
const HOUR_MS = 3_600_000;
let runs = 0;

interface Played {
  /** What the bank says to each call. The last repeats. */
  list?: (Step | Error)[];
  /** By account. */
  reads?: Record<string, (Step | Error)[]>;
  /** How many syncs are requested one after another. */
  syncs?: number;
}

async function sync({ list = [DONE], reads = { A: [DONE], B: [DONE] }, syncs = 1 }: Played) {
  const connection_id = `conn_${(runs += 1)}`;
  const calls: string[] = [];
  const ends: Pick<SyncEnd, 'reasons' | 'wait_until'>[] = [];
  const next = (name: string, answers: (Step | Error)[]) => {
    calls.push(name);
    const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  let left = syncs;
  const activities = {
    openSync: () => Promise.resolve(left > 0 ? { sync_id: `sync_${left}`, lists: left === syncs } : null),
    listAccounts: () => next('list', list),
    accountsToRead: () => Promise.resolve(Object.keys(reads)),
    readAccount: ({ account_id }: { account_id: string }) => next(account_id, reads[account_id]!),
    finishSync: ({ reasons, wait_until }: SyncEnd) => {
      ends.push({ reasons, wait_until });
      left -= 1;
      return Promise.resolve();
    },
  };
  const job = { ...bankSyncJob({ connection_id, owner_id: 'usr_1' }), taskQueue: connection_id };
  const { nativeConnection: connection, client } = env;
  const worker = await Worker.create({ connection, taskQueue: connection_id, workflowBundle, activities });
  const began = await env.currentTimeMs();
  await worker.runUntil(async () => {
    await signalOrStart(client, job, 'syncRequested');
    const handle = client.workflow.getHandle(job.workflowId);
    await handle.result();
    await record(handle);
  });
  return { calls: calls.join(' '), ends, tookMs: (await env.currentTimeMs()) - began };
}

const ended = (reasons: string[] = [], wait_until: string | null = null) => [{ reasons, wait_until }];

test.each<[string, Played, string, ReturnType<typeof ended>, number]>([
  ['lists, reads each account, and ends', {}, 'list A B', ended(), 0],
  [
    'waits as long as the bank wants, and asks again',
    { reads: { A: [wait(60_000), DONE] } },
    'list A A',
    ended(),
    60_000,
  ],
  [
    'waits for no more than an hour in all',
    { reads: { A: [wait(0.6 * HOUR_MS)], B: [DONE] } },
    'list A A',
    ended(['bank-wait'], UNTIL),
    0.6 * HOUR_MS,
  ],
  ['leaves a longer wait to the next sync', { list: [wait(2 * HOUR_MS)] }, 'list', ended(['bank-wait'], UNTIL), 0],
  [
    'asks five times more for what is not final',
    { reads: { A: [NOT_FINAL], B: [DONE] } },
    'list A A A A A A B',
    ended(['not-final']),
    300_000,
  ],
  [
    'reads the other accounts if the bank refuses one',
    { reads: { A: [{ kind: 'failed', reason: 'account-error' }], B: [DONE] } },
    'list A B',
    ended(['account-error']),
    0,
  ],
  [
    'reads the other accounts if the bank is away for one',
    { reads: { A: [away()], B: [DONE] } },
    'list A A A A A B',
    ended(['bank-away']),
    0,
  ],
  [
    'calls no bank again that takes no token',
    { reads: { A: [{ kind: 'stopped', reason: 'reauthorisation-needed' }], B: [DONE] } },
    'list A',
    ended(['reauthorisation-needed']),
    0,
  ],
  [
    'reads no account under a list that failed',
    { list: [away()] },
    'list list list list list',
    ended(['bank-away']),
    0,
  ],
  ['goes on with the next request, which needs no list', { syncs: 2 }, 'list A B A B', [...ended(), ...ended()], 0],
])('a sync %s', async (_what, played, calls, ends, leastMs) => {
  const done = await sync(played);
  expect([done.calls, done.ends]).toEqual([calls, ends]);
  expect(done.tookMs).toBeGreaterThanOrEqual(leastMs);
});

test('a bank is asked about a consent again while it is away, and left to the next look after ten tries', async () => {
  for (const [failures, tries] of [[3, 4] as const, [99, 10] as const]) {
    const consent_id = `cons_${(runs += 1)}`;
    const job = { ...bankLookJob({ consent_id, owner_id: 'usr_1' }), taskQueue: consent_id };
    let calls = 0;
    const lookAtConsent = (given: unknown) => {
      expect(given).toEqual({ consent_id });
      return (calls += 1) > failures ? Promise.resolve('authorised') : Promise.reject(away());
    };
    const activities = { lookAtConsent };
    const { nativeConnection: connection, client } = env;
    const worker = await Worker.create({ connection, taskQueue: consent_id, workflowBundle, activities });
    await worker.runUntil(async () => {
      await startWorkflow(client, job);
      const handle = client.workflow.getHandle(job.workflowId);
      await handle.result().catch(() => undefined);
      await record(handle);
    });
    expect(calls).toBe(tries);
  }
});

test('every history of these tests replays', async () => {
  expect(await replay({ workflowBundle })).toBe(12);
});
