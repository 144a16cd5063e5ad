import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { Step } from '../../activities/bank/reading.ts';
import type { SyncEnd } from '../../activities/bank/sync.ts';
import { BankError } from '../../infra/bank/interface.ts';
import { jobOf, startWorkflow } from '../../infra/temporal/start.ts';
import { recordHistories } from '../helpers/replay.ts';
import { withTimeSkipping } from '../helpers/time-skipping.ts';

let env: TestWorkflowEnvironment;
let workflowBundle: { code: string };
withTimeSkipping((parts) => ({ env, workflowBundle } = parts));
const { record, replay } = recordHistories();

type Answers = (Step | Error)[];
const DONE: Step = { kind: 'done' };
const NOT_FINAL: Step = { kind: 'not-final' };
const REFUSED: Step = { kind: 'failed', reason: 'account-error' };
const NO_TOKEN: Step = { kind: 'stopped', reason: 'reauthorisation-needed' };
const AWAY = new BankError('away', 'No answer.');
const wait = (minutes: number): Step => ({ kind: 'wait', ms: minutes * 60_000, until: 'then' });
const owner_id = 'usr_1';
let runs = 0;

/** Runs the workflow to its end. @returns the minutes that it took. */
async function run(job: ReturnType<typeof jobOf>, activities: Record<string, (args: never) => Promise<unknown>>) {
  const { nativeConnection: connection, client } = env;
  const worker = await Worker.create({ connection, taskQueue: job.workflowId, workflowBundle, activities });
  const began = await env.currentTimeMs();
  await worker.runUntil(async () => {
    await startWorkflow(client, { ...job, taskQueue: job.workflowId });
    const handle = client.workflow.getHandle(job.workflowId);
    await handle.result().catch(() => undefined);
    await record(handle);
  });
  return ((await env.currentTimeMs()) - began) / 60_000;
}

/** Answers to the list, to the looks for wages and for payments and, by name, about each account. The last repeats. */
async function sync(
  { list = [DONE], wages = [DONE], pay = [DONE], ...accounts }: Record<string, Answers>,
  syncs: number,
) {
  const calls: string[] = [];
  const next = (name: string, answers: Answers) => {
    calls.push(name);
    const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  let left = syncs;
  const minutes = await run(jobOf('bankSync', { connection_id: `conn_${(runs += 1)}`, owner_id }), {
    openSync: () => Promise.resolve(left > 0 ? { sync_id: `sync_${left}`, lists: left === syncs } : null),
    listAccounts: () => next('list', list),
    accountsToRead: () => Promise.resolve(Object.keys(accounts)),
    readAccount: ({ account_id }: { account_id: string }) => next(account_id, accounts[account_id]!),
    findWages: () => next('wages', wages),
    reconcileConnection: () => next('pay', pay),
    finishSync: ({ reasons, wait_until }: SyncEnd) => {
      calls.push(['end', ...reasons, ...(wait_until === null ? [] : [wait_until])].join(':'));
      left -= 1;
      return Promise.resolve();
    },
  });
  return { calls: calls.join(' '), minutes };
}

const B = [DONE];

test.each<[string, Record<string, Answers>, string, number?, number?]>([
  ['lists, reads each account, looks for wages and payments, and ends', { A: [DONE], B }, 'list A B wages pay end'],
  ['waits as long as the bank wants, and asks again', { A: [wait(1), DONE] }, 'list A A wages pay end', 1],
  ['waits for no more than an hour in all', { A: [wait(36)], B }, 'list A A wages pay end:bank-wait:then', 36],
  ['leaves a longer wait to the next sync', { list: [wait(120)], A: [DONE] }, 'list wages pay end:bank-wait:then'],
  ['asks five times more if that is not final', { A: [NOT_FINAL], B }, 'list A A A A A A B wages pay end:not-final', 5],
  ['reads the other accounts if the bank refuses one', { A: [REFUSED], B }, 'list A B wages pay end:account-error'],
  ['reads the others if the bank is away for one', { A: [AWAY], B }, 'list A A A A A B wages pay end:bank-away'],
  ['calls no bank again that takes no token', { A: [NO_TOKEN], B }, 'list A wages pay end:reauthorisation-needed'],
  ['reads no account if the list failed', { list: [AWAY], B }, 'list list list list list wages pay end:bank-away'],
  [
    'ends although wages could not be looked for',
    { wages: [new Error('away')], B },
    `list B${' wages'.repeat(10)} pay end:account-error`,
  ],
  ['goes on with the next request, which needs no list', { B }, 'list B wages pay end B wages pay end', 0, 2],
])('a sync %s', async (_what, answers, calls, leastMinutes = 0, syncs = 1) => {
  const done = await sync(answers, syncs);
  expect(done.calls).toBe(calls);
  expect(done.minutes).toBeGreaterThanOrEqual(leastMinutes);
});

test.each([
  [3, 4],
  [99, 10],
])(
  'a bank that is away %d times is asked about a consent %d times, and then left to the next look',
  async (failures, tries) => {
    let calls = 0;
    await run(jobOf('lookAtBank', { consent_id: `cons_${tries}`, owner_id }), {
      lookAtConsent: () => ((calls += 1) > failures ? Promise.resolve('authorised') : Promise.reject(AWAY)),
    });
    expect(calls).toBe(tries);
  },
);

test('every history of these tests replays', async () => {
  expect(await replay({ workflowBundle })).toBe(13);
});
