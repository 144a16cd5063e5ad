import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { addDays, addMonths, londonDateOf, monthStartOf } from '../../domain/dates.ts';
import { runCommand } from '../../programs/admin/run.ts';
import { readConfig } from '../../infra/config/index.ts';
import { openDatabase, type Database } from '../../infra/db/database.ts';
import { textQuery } from '../helpers/text-query.ts';
import type { AccrualResult } from '../../workflows/yield.ts';
import { expectWhole } from '../helpers/faults-checks.ts';
import { chance } from '../helpers/faults-load.ts';
import { startFaultStack, type Part } from '../helpers/faults.ts';
import { until } from '../helpers/until.ts';
import { accrualsOf, seedSavers, type Savers } from '../helpers/savers.ts';

/* To repeat a run's random moments, set `RINGFENCE_FAULT_SEED` to its seed. */
const seed = Number(process.env.RINGFENCE_FAULT_SEED ?? Date.now() % 1_000_000);
const random = chance(seed);
const stack = startFaultStack();
const asOf = monthStartOf(londonDateOf(new Date()));
const savers: Savers = { count: 6_000, start: addDays(addMonths(asOf, -3), 11), deposits: 3 };
let db: Database;

const countAccruals = textQuery<{ accruals: number }>(
  'test.countAccruals',
  'select count(*) as accruals from accruals',
);
const allAccruals = textQuery<{
  vault_id: string;
  from_date: string;
  to_date: string;
  accrued: number;
  remainder: number;
}>(
  'test.allAccruals',
  'select vault_id, from_date, to_date, accrued, remainder from accruals order by vault_id, to_date',
);
const accruals = async () => (await db.one(countAccruals())).accruals;

beforeAll(async () => {
  process.stderr.write(`RINGFENCE_FAULT_SEED=${seed}\n`);
  const config = readConfig(stack.env);
  db = await openDatabase(config.database);
  await seedSavers({ config }, savers);
}, 120_000);
afterAll(() => db.close());

async function startRun(...args: string[]): Promise<string> {
  const { stdout, stderr } = await runCommand(['accrue', ...args], stack.env);
  expect(stderr).toBe('');
  return (JSON.parse(stdout) as { workflow_id: string }).workflow_id;
}

async function resultOf(workflowId: string): Promise<AccrualResult> {
  const connection = await Connection.connect({ address: `localhost:${stack.env.RINGFENCE_PORT_TEMPORAL}` });
  try {
    return (await new Client({ connection }).workflow.getHandle(workflowId).result()) as AccrualResult;
  } finally {
    await connection.close();
  }
}

it('a run with kill -9 of its processes and an overlapping second run posts every day of every vault once', async () => {
  // The second interest run covers the same vaults and the same months, except the last month.
  const runs = [await startRun(), await startRun('--as-of', addMonths(asOf, -1))];
  const total = savers.count * 3;
  const parts: readonly Part[] = ['worker', 'PostgreSQL', 'worker', 'Temporal', 'worker'];
  for (const [place, part] of parts.entries()) {
    const reached = (total * (place + random())) / (parts.length + 1);
    await until(async () => (await accruals().catch(() => 0)) >= reached, `${Math.round(reached)} accruals`, 90_000);
    process.stderr.write(`killing ${part} at ${await accruals().catch(() => '?')} of ${total}\n`);
    await stack.kill(part);
    await sleep(500 + random() * 1_000);
  }
  await until(async () => (await accruals().catch(() => 0)) === total, 'the last accrual', 120_000);
  const results = await Promise.all(runs.map(resultOf));
  expect(results.map(({ vaults, failed, failures }) => ({ vaults, failed, failures }))).toEqual(
    runs.map(() => ({ vaults: savers.count, failed: 0, failures: [] })),
  );

  const rates = readConfig(stack.env).yield.annualRates;
  const byVault = Map.groupBy(await db.many(allAccruals()), ({ vault_id }) => vault_id);
  expect(byVault.size).toBe(savers.count);
  for (let saver = 1; saver <= savers.count; saver += 1) {
    const expected = accrualsOf(saver, savers, asOf, rates.SAVINGS);
    expect(byVault.get(`vlt_saver-${saver}`)).toEqual(
      expected.map(({ from, to, accrued, remainder }) => ({
        vault_id: `vlt_saver-${saver}`,
        from_date: from,
        to_date: to,
        accrued,
        remainder,
      })),
    );
  }
  await expectWhole(stack);
}, 300_000);

it('a later run has nothing left to post', async () => {
  const result = await resultOf(await startRun());
  expect(result).toMatchObject({ vaults: savers.count, accruals: 0, accrued_pence: 0, failed: 0 });
}, 60_000);
