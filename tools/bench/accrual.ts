import type { Client } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { addDays, addMonths, londonDateOf, monthStartOf, type CalendarDate } from '../../domain/dates.ts';
import { ledgerFaults } from '../../infra/db/queries/ledger.ts';
import type { Running } from '../../programs/local/processes.ts';
import { openServices } from '../../infra/services.ts';
import { openTemporal } from '../../infra/temporal/client.ts';
import { startAccrualRun } from '../../infra/temporal/schedules.ts';
import type { AccrualResult } from '../../workflows/yield.ts';
import { benchAccrue } from './accrue.ts';
import { seedSavers } from '../../test/helpers/savers.ts';
import { progress, type Part, type Row } from './report.ts';
import { residentMb, withStack, type BenchStack } from './stack.ts';
import { percentile } from './statistics.ts';

/** `BENCH_VAULTS` sets other sizes, for example `1000,5000`. */
const SIZES = (process.env.BENCH_VAULTS ?? '1000,10000,100000').split(',').map(Number);
const MONTHS = 5;
const SAMPLE_EVERY_MS = 100;
const TARGET_PER_SECOND = 2_000;

/** The worker's memory is in MB: before the run, the median during the run, and the peak. */
interface Measured {
  seconds: number;
  result: AccrualResult;
  beforeMb: number;
  usualMb: number;
  mostMb: number;
}

interface Size {
  vaults: number;
  catchUp: Measured;
  monthly: Measured;
}

export async function benchAccrual(profileDir?: string): Promise<Part> {
  const overHttp = await benchAccrue(profileDir);
  const sizes: Size[] = [];
  for (const vaults of SIZES)
    sizes.push(await withStack({ temporal: true, profileDir }, (stack) => measure(vaults, stack)));
  return {
    name: 'accrual',
    setting: `one vault over HTTP, a month of days each time, 16 connections, beside Express and pg alone; then runs over all savings vaults, each with ${MONTHS} deposits, a month apart: the first makes up for ${MONTHS - 1} months, the second is that of a month.`,
    rows: [...overHttp, ...sizes.flatMap((size) => rowsOf(size, sizes[0]!))],
  };
}

/** Each number of vaults gets its own stack, because a warm stack would be faster. */
async function measure(vaults: number, stack: BenchStack): Promise<Size> {
  const services = await openServices({ ...stack.config, logLevel: 'silent' }, 'bench');
  const client = openTemporal(stack.config.temporal);
  try {
    const asOf = monthStartOf(londonDateOf(new Date()));
    const start = addDays(addMonths(asOf, -MONTHS), 11);
    await seedSavers(services, { count: vaults, start, deposits: MONTHS });
    await stack.start('bank');
    const worker = await stack.start('worker');
    progress(`${vaults} vaults are there`);
    const catchUp = await run(client, worker, addMonths(asOf, -1));
    const monthly = await run(client, worker, asOf);
    const faults = await services.db.many(ledgerFaults());
    if (faults.length > 0) throw new Error(`the ledger does not add up: ${JSON.stringify(faults)}`);
    return { vaults, catchUp, monthly };
  } finally {
    await Promise.all([client.connection.close(), services.close()]);
  }
}

async function run(client: Client, worker: Running, asOf: CalendarDate): Promise<Measured> {
  const beforeMb = residentMb(worker);
  const samples: number[] = [];
  let done = false;
  const sampling = (async () => {
    while (!done) {
      samples.push(residentMb(worker));
      await sleep(SAMPLE_EVERY_MS);
    }
  })();
  const begun = performance.now();
  const { workflowId } = await startAccrualRun(client, asOf);
  const result = (await client.workflow.getHandle(workflowId).result()) as AccrualResult;
  const seconds = (performance.now() - begun) / 1_000;
  done = true;
  await sampling;
  if (result.failed > 0) throw new Error(`${result.failed} vaults failed: ${JSON.stringify(result.failures)}`);
  return { seconds, result, beforeMb, usualMb: percentile(samples, 50), mostMb: Math.max(...samples) };
}

function rowsOf({ vaults, catchUp, monthly }: Size, smallest: Size): Row[] {
  const name = vaults.toLocaleString('en-GB');
  const perSecond = vaults / monthly.seconds;
  return [
    {
      what: `${name} vaults: the run of a month`,
      perSecond,
      value: told(vaults, monthly),
      ...(vaults !== smallest.vaults && {
        ratio: perSecond / (smallest.vaults / smallest.monthly.seconds),
        against: smallest.vaults.toLocaleString('en-GB'),
      }),
      target: `>= ${TARGET_PER_SECOND.toLocaleString('en-GB')}/s`,
      met: perSecond >= TARGET_PER_SECOND,
    },
    {
      what: `${name} vaults: ${MONTHS - 1} months made up for`,
      perSecond: vaults / catchUp.seconds,
      value: told(vaults, catchUp),
    },
  ];
}

function told(vaults: number, { seconds, result, beforeMb, usualMb, mostMb }: Measured): string {
  const each = ((seconds / vaults) * 1e6).toFixed(0);
  const memory = [beforeMb, usualMb, mostMb].map((mb) => mb.toFixed(0));
  return `${seconds.toFixed(1)} s, ${each} us each, ${result.accruals} postings; worker ${memory[0]} MB before, ${memory[1]} usual, ${memory[2]} most`;
}
