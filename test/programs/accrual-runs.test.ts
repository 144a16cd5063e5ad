import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { NativeConnection, type Worker } from '@temporalio/worker';
import { requestAccrualRun } from '../../activities/yield/run.ts';
import { addMonths, londonDateOf, monthStartOf } from '../../domain/dates.ts';
import { runCommand } from '../../programs/admin/run.ts';
import { installTestRuntime } from '../helpers/temporal-log.ts';
import { textQuery } from '../helpers/text-query.ts';
import { bundleWorkflows } from '../../infra/temporal/bundle.ts';
import { openTemporal } from '../../infra/temporal/client.ts';
import { startRelay } from '../../infra/temporal/relay.ts';
import { ensureSchedules, MONTHLY_ACCRUAL } from '../../infra/temporal/schedules.ts';
import { ensureSearchAttributes } from '../../infra/temporal/search-attributes.ts';
import { startTemporal } from '../helpers/embedded.ts';
import { createWorker } from '../../programs/worker.ts';
import { MODULE, STATUS } from '../../workflows/attributes.ts';
import type { AccrualResult } from '../../workflows/yield.ts';
import { withDatabase } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { expectSoundLedger } from '../helpers/money.ts';
import { inTransactions } from '../helpers/in-transactions.ts';
import { freePort } from '../helpers/ports.ts';
import { seedSavers } from '../helpers/savers.ts';
import { PATIENCE_MS, until } from '../helpers/until.ts';

/* On a Temporal server of its own, no other test's worker takes the runs. */
const services = withDatabase();
const asOf = monthStartOf(londonDateOf(new Date()));
let folder = '';
let temporal: Awaited<ReturnType<typeof startTemporal>>;
let client: Client;
let connection: NativeConnection;
let worker: Worker;
let running: Promise<void>;

beforeAll(async () => {
  installTestRuntime();
  folder = await mkdtemp(join(tmpdir(), 'ringfence-accrual-'));
  const [port, uiPort] = [await freePort(), await freePort()];
  const options = { databaseFile: join(folder, 'temporal.db'), namespace: 'default', logLevel: 'error' } as const;
  temporal = await startTemporal({ ...options, port, uiPort });
  client = openTemporal({ ...services.config.temporal, address: temporal.address });
  await ensureSearchAttributes(client);
  connection = await NativeConnection.connect({ address: temporal.address });
  worker = await createWorker('batch', services, connection, await bundleWorkflows());
  running = worker.run();
});
afterAll(async () => {
  worker?.shutdown();
  await running;
  await Promise.all([connection?.close(), client?.connection.close()]);
  await temporal?.stop();
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => expectSoundLedger(services));

const schedule = () => client.schedule.getHandle(MONTHLY_ACCRUAL.scheduleId);
const countAccruals = textQuery<{ accruals: number }>('test.runs.count', 'select count(*) as accruals from accruals');
const accruals = async () => (await services.db.one(countAccruals())).accruals;
const resultOf = async (workflowId: string) => (await client.workflow.getHandle(workflowId).result()) as AccrualResult;
const admin = (...args: string[]) =>
  runCommand(['accrue', ...args], {
    RINGFENCE_DATA: testEnvironment().dir,
    DATABASE_URL: services.config.database.url,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_UI_URL: 'http://ui.example:8233/',
  });

describe('the schedule', () => {
  test('is made once, however many workers start at the same time', async () => {
    // The first round creates the schedules, and the second round finds them.
    for (let times = 0; times < 2; times += 1)
      await Promise.all([ensureSchedules(client), ensureSchedules(client), ensureSchedules(client)]);
    const { policies, action } = await schedule().describe();
    expect(policies).toMatchObject({ overlap: 'BUFFER_ONE', catchupWindow: 31 * 86_400_000 });
    expect(action).toMatchObject({ workflowType: 'accrueMonthly', taskQueue: 'batch', args: [{ as_of: null }] });
  });

  test('is due at 02:00 in London on the 1st of each month, in summer and in winter', async () => {
    const { info } = await schedule().describe();
    const inLondon = new Intl.DateTimeFormat('en-GB', {
      dateStyle: 'short',
      timeStyle: 'short',
      timeZone: 'Europe/London',
    });
    const firsts = Array.from({ length: info.nextActionTimes.length }, (_, index) => addMonths(asOf, index + 1));
    expect(firsts.length).toBeGreaterThanOrEqual(6);
    expect(info.nextActionTimes.map((time) => inLondon.format(time))).toEqual(
      firsts.map((day) => `${day.split('-').reverse().join('/')}, 02:00`),
    );
  });

  test('stays paused if an operator paused it, and otherwise is corrected', async () => {
    await schedule().pause('not this month');
    await schedule().update((was) => ({
      ...was,
      spec: { intervals: [{ every: '1 day' }] },
      action: { ...was.action, workflowId: 'yield/monthly', args: [] },
    }));
    await ensureSchedules(client);
    const { spec, state } = await schedule().describe();
    expect(state).toMatchObject({ paused: true, note: 'not this month' });
    expect(spec.intervals ?? []).toEqual([]);
    expect(spec.calendars).toMatchObject([{ dayOfMonth: [{ start: 1, end: 1 }], hour: [{ start: 2, end: 2 }] }]);
    await schedule().unpause();
  });

  test('posts the interest of all vaults, even for missed months', async () => {
    await seedSavers(services, { count: 1_200, start: addMonths(asOf, -2), deposits: 2 });
    await schedule().trigger();
    let started: string | undefined;
    while (started === undefined) {
      await sleep(50);
      started = (await schedule().describe()).info.recentActions.at(-1)?.action.workflow.workflowId;
    }
    expect(started).toMatch(/^yield\/monthly-/);
    const result = await resultOf(started);
    expect(result).toMatchObject({ as_of: asOf, vaults: 1_200, accruals: 2_400, failed: 0, failures: [] });
    expect(await accruals()).toBe(2_400);
    const { typedSearchAttributes } = await client.workflow.getHandle(started).describe();
    expect([typedSearchAttributes.get(MODULE), typedSearchAttributes.get(STATUS)]).toEqual(['yield', 'completed']);
  });
});

describe('npm run admin -- accrue', () => {
  test('starts a run up to the 1st of this month, and says where to watch it', async () => {
    await seedSavers(services, { count: 5, start: addMonths(asOf, -1), deposits: 1 }, 2_001);
    const before = await accruals();
    const { stdout, stderr, exitCode } = await admin();
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    const reply = JSON.parse(stdout) as { workflow_id: string; run_id: string; as_of: string; ui_url: string };
    expect(reply).toMatchObject({ workflow_id: `yield/accrue/${asOf}`, as_of: asOf });
    const path = `default/workflows/yield%2Faccrue%2F${asOf}/${reply.run_id}`;
    expect(reply.ui_url).toBe(`http://ui.example:8233/namespaces/${path}`);
    expect(await resultOf(reply.workflow_id)).toMatchObject({ vaults: 1_205, accruals: 5, failed: 0 });
    expect(await accruals()).toBe(before + 5);
  });

  test('accepts a day, and posts nothing twice', async () => {
    const before = await accruals();
    const day = addMonths(asOf, -1);
    const { stdout } = await admin('--as-of', day);
    expect(JSON.parse(stdout)).toMatchObject({ workflow_id: `yield/accrue/${day}`, as_of: day });
    expect(await resultOf(`yield/accrue/${day}`)).toMatchObject({ as_of: day, accruals: 0, accrued_pence: 0 });
    expect(await accruals()).toBe(before);
  });

  test.each([
    [['now'], 2],
    [['--as-of'], 2],
    [['--as-of', '2026-02-29'], 2],
    [['--as-of', 'tomorrow'], 2],
    [['--as-of', '9999-01-01'], 1],
  ])('%j is refused with one sentence', async (args, exitCode) => {
    const outcome = await admin(...args);
    expect(outcome).toMatchObject({ stdout: '', exitCode });
    expect(outcome.stderr.trimEnd()).toMatch(/^[^\n]+\.?$/);
  });
});

test('a run requested through the outbox takes place once, however often the message is delivered', async () => {
  await seedSavers(services, { count: 3, start: addMonths(asOf, -3), deposits: 1 }, 3_001);
  const day = addMonths(asOf, -2);
  const before = await accruals();
  const requests = inTransactions(services, { requestAccrualRun });
  const relay = startRelay(services, client);
  try {
    for (let times = 0; times < 3; times += 1) await requests.requestAccrualRun({ as_of: day });
    await until(async () => (await accruals()) >= before + 3, 'the accruals', PATIENCE_MS, 50);
    await resultOf(`yield/accrue/${day}`);
  } finally {
    await relay.stop();
  }
  expect(await accruals()).toBe(before + 3);
});
