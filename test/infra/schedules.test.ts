import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { textQuery } from '../helpers/text-query.ts';
import { ensureSchedules, PURGE, SCHEDULES } from '../../infra/temporal/schedules.ts';
import { MODULE, STATUS } from '../../workflows/attributes.ts';
import { withDatabase } from '../helpers/database.ts';
import { startSigning, type Signing } from '../helpers/signing.ts';
import { temporalAddress } from '../helpers/temporal.ts';
import { until } from '../helpers/until.ts';

let upkeep: Signing;
// The worker needs the database, which is dropped later.
afterAll(() => upkeep?.stop());
const services = withDatabase();

beforeAll(async () => {
  // The old version, which a test runs, does not know the workflow.
  upkeep = await startSigning(services, ({ meta }) => /'purgeExpired': no such function/.test(String(meta?.['error'])));
  await ensureSchedules(upkeep.client);
  // Only the tests trigger runs.
  await schedule().pause();
});

const schedule = () => upkeep.client.schedule.getHandle(PURGE.scheduleId);

async function trigger() {
  const newest = async () => (await schedule().describe()).info.recentActions.at(-1)?.action.workflow.workflowId;
  const before = await newest();
  await schedule().trigger();
  await until(async () => (await newest()) !== before, 'the purge');
  return upkeep.client.workflow.getHandle((await newest())!);
}

const addOldAnswers = textQuery(
  'test.schedules.addOldAnswers',
  `insert into idempotency_records (caller, operation, key, fingerprint, status, headers, finished, created_at)
   select 'caller', 'operation', n, 'f', 200, '{}', true, now() - interval '25 hours' from generate_series(1, $1) n`,
);

test('every schedule is made, and making it again changes nothing', async () => {
  await ensureSchedules(upkeep.client);
  const made = [];
  for await (const { scheduleId } of upkeep.client.schedule.list()) made.push(scheduleId);
  expect(made.sort()).toEqual(SCHEDULES.map(({ scheduleId }) => scheduleId).sort());
});

test('a purge starts every ten minutes, one at a time, and a missed one is skipped', async () => {
  const { spec, policies, action } = await schedule().describe();
  expect(spec.intervals).toMatchObject([{ every: 600_000 }]);
  expect(policies).toMatchObject({ overlap: 'SKIP', catchupWindow: 60_000 });
  expect(action).toMatchObject({
    workflowType: 'purgeExpired',
    taskQueue: 'upkeep',
    workflowExecutionTimeout: 3_600_000,
  });
});

test('a purge deletes expired rows, and operators find it by its module', async () => {
  await services.db.run(addOldAnswers(501));
  const purge = await trigger();
  expect(purge.workflowId).toMatch(/^retention\/purge-/);
  expect(await purge.result()).toEqual({ idempotency_records: 501, auth: 0 });
  const { typedSearchAttributes } = await purge.describe();
  expect([typedSearchAttributes.get(MODULE), typedSearchAttributes.get(STATUS)]).toEqual(['retention', 'completed']);
});

test('a purge that an old worker takes first is completed by a new worker', async () => {
  await upkeep.stopWorker();
  const before = await workerOfBefore();
  try {
    await services.db.run(addOldAnswers(1));
    const purge = await trigger();
    const refused = async () =>
      ((await purge.fetchHistory()).events ?? []).some(({ workflowTaskFailedEventAttributes: failed }) => failed);
    await until(refused, 'the worker of before to refuse the workflow');
    await upkeep.startWorker();
    await before.stop();
    expect(await purge.result()).toEqual({ idempotency_records: 1, auth: 0 });
  } finally {
    await before.stop();
  }
});

// The old version knows neither the workflow nor its activities.
async function workerOfBefore() {
  const workflowsPath = fileURLToPath(new URL('../../workflows/credential.ts', import.meta.url));
  const [connection, workflowBundle] = await Promise.all([
    NativeConnection.connect({ address: await temporalAddress() }),
    bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') }),
  ]);
  const { namespace } = services.config.temporal;
  const parts = { connection, namespace, workflowBundle, taskQueue: 'upkeep' };
  const worker = await Worker.create({ ...parts, activities: { issueCredential: () => undefined } });
  const running = worker.run();
  const stop = async () => {
    worker.shutdown();
    await running;
    await connection.close();
  };
  let stopped: Promise<void> | undefined;
  return { stop: () => (stopped ??= stop()) };
}
