import { textQuery } from '../helpers/text-query.ts';
import { ensureSchedules, PURGE, RECONCILIATION, SCHEDULES } from '../../infra/temporal/schedules.ts';
import { MODULE, STATUS } from '../../workflows/attributes.ts';
import { withDatabase } from '../helpers/database.ts';
import { startSigning, type Signing } from '../helpers/signing.ts';
import { until } from '../helpers/until.ts';

let upkeep: Signing;
// The worker needs the database, which is dropped later.
afterAll(() => upkeep?.stop());
const services = withDatabase();

beforeAll(async () => {
  upkeep = await startSigning(services);
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

test('payments are looked for daily at 06:00 in London, and a missed run starts later that day', async () => {
  const { spec, policies, action } = await upkeep.client.schedule.getHandle(RECONCILIATION.scheduleId).describe();
  expect([spec.calendars?.[0]?.hour, spec.timezone]).toEqual([[{ start: 6, end: 6, step: 1 }], 'Europe/London']);
  expect(policies).toMatchObject({ overlap: 'SKIP', catchupWindow: 86_400_000 });
  expect(action).toMatchObject({ workflowType: 'reconcile', taskQueue: 'bank' });
});

test('a purge deletes expired rows, and operators find it by its module', async () => {
  await services.db.run(addOldAnswers(501));
  const purge = await trigger();
  expect(purge.workflowId).toMatch(/^retention\/purge-/);
  expect(await purge.result()).toEqual({ idempotency_records: 501, auth: 0 });
  const { typedSearchAttributes } = await purge.describe();
  expect([typedSearchAttributes.get(MODULE), typedSearchAttributes.get(STATUS)]).toEqual(['retention', 'completed']);
});
