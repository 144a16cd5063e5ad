import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { query } from '../../infra/db/sql.ts';
import type { Running } from '../../infra/processes.ts';
import type { Services } from '../../infra/services.ts';
import { openServices } from '../../infra/services.ts';
import { configEnvironment } from '../../infra/stack-settings.ts';
import { openTemporal } from '../../infra/temporal/client.ts';
import { inOwnProcess, type BareWorkflow, type PaymentsJob } from './load.ts';
import { progress, type Part, type Row } from './report.ts';
import { seedKey, seedOwners } from './seed.ts';
import { cpuSeconds, residentMb, withStack, type BenchStack } from './stack.ts';
import { median, percentile } from './statistics.ts';

const ROUNDS = 3;
const BURST = 500;
const ONE_BY_ONE = 40;
const WARM_UP = 200;
/** No further round begins after that, on a machine that has other things to do. */
const TURNS_WITHIN_MS = 60_000;
/** For what payments leave to be done, such as the bank's events, which the bare workflow is not to wait for. */
const SETTLE_DOWN_MS = 3_000;
const LOOK_EVERY_MS = 50;
const ALL_SETTLED_WITHIN_MS = 180_000;

/** How many a second, from the first request to the last that was done, and of the workflows alone. */
interface Round {
  perSecond: number;
  workflowsPerSecond: number;
  /** What one of them cost all parts together, in milliseconds of a core; by part. */
  cpuMs: number;
  cpuMsOf: Record<string, number>;
}

interface Bench {
  stack: BenchStack;
  services: Services;
  client: Client;
  job: Omit<PaymentsJob, 'kind' | 'allocations'>;
  allocations: readonly string[];
}

/** Payments through the whole service against a bare Temporal workflow, on the same server, in turns. */
export async function benchPayments(profileDir?: string): Promise<Part> {
  return withStack({ temporal: true, profileDir }, async (stack) => {
    const bank = await stack.start('bank', { SANDBOX_BANK_INSTANT_MS: '0' });
    await Promise.all([stack.start('api'), stack.start('worker'), stack.start('bareWorker')]);
    const services = await openServices({ ...stack.config, logLevel: 'silent' }, 'bench');
    const client = openTemporal(stack.config.temporal);
    try {
      return await measure({ stack, services, client, ...(await prepare(stack, services)) }, bank);
    } finally {
      await Promise.all([client.connection.close(), services.close()]);
    }
  });
}

async function prepare({ config }: BenchStack, services: Services): Promise<Pick<Bench, 'job' | 'allocations'>> {
  const { publicUrl: url, tls } = config.api;
  const owners = await seedOwners(services, BURST);
  const job = { url, ca: tls.ca, key: await seedKey(services), provider: 'prov_sandbox_instant' };
  return { job, allocations: owners.map(({ allocationId }) => allocationId) };
}

async function measure(bench: Bench, bank: Running): Promise<Part> {
  await bareRound(bench, WARM_UP);
  await paymentRound(bench, WARM_UP);
  const atOnce = await inTurns(bench);
  const empty = await bareRound(bench, BURST, 'empty');
  const single = await oneByOne(bench);
  const events = await eventsOf(bench);
  await bank.stop();
  await bench.stack.start('bank');
  await paymentRound(bench, WARM_UP);
  const usual = await inTurns(bench);
  return {
    name: 'payments',
    setting: `${BURST} at once, median of ${atOnce.bare.length} and ${usual.bare.length} rounds that take turns with the bare workflow's; ${ONE_BY_ONE} one by one.`,
    rows: [
      ...rowsOf('bank settles at once', atOnce),
      ...rowsOf('bank settles after 1 s', usual),
      { what: 'empty workflow', perSecond: empty.perSecond, value: `${empty.cpuMs.toFixed(1)} ms CPU` },
      { what: 'empty workflow, one by one', ...latency(single.empty) },
      { what: 'bare workflow, one by one', ...latency(single.bare) },
      {
        what: 'payment, one by one, to completed',
        ...latency(single.payments),
        ratio: median(single.bare) / median(single.payments),
        against: 'bare p50',
        target: 'p50 <= 150 ms',
        met: median(single.payments) <= 150,
      },
      { what: 'memory after all that', value: memoryOf(bench) },
      { what: 'events in the history of a payment', value: String(events) },
    ],
  };
}

function latency(eachMs: readonly number[]): Pick<Row, 'p50Ms' | 'p95Ms' | 'p99Ms'> {
  return { p50Ms: median(eachMs), p95Ms: percentile(eachMs, 95), p99Ms: percentile(eachMs, 99) };
}

function memoryOf({ stack }: Bench): string {
  return ['api', 'worker'].map((part) => `${part} ${residentMb(stack.parts.get(part)!).toFixed(0)} MB`).join(', ');
}

interface Turns {
  bare: Round[];
  payments: Round[];
}

async function inTurns(bench: Bench): Promise<Turns> {
  const turns: Turns = { bare: [], payments: [] };
  const deadline = Date.now() + TURNS_WITHIN_MS;
  for (let round = 0; round < ROUNDS && (round === 0 || Date.now() < deadline); round += 1) {
    turns.bare.push(await bareRound(bench, BURST));
    turns.payments.push(await paymentRound(bench, BURST));
    await sleep(SETTLE_DOWN_MS);
  }
  return turns;
}

function rowsOf(setting: string, { bare, payments }: Turns): Row[] {
  const middle = (rounds: readonly Round[], part: 'perSecond' | 'workflowsPerSecond' | 'cpuMs') =>
    median(rounds.map((round) => round[part]));
  // Round by round, because the machine's speed drifts between them.
  const ratio = (part: 'perSecond' | 'workflowsPerSecond') =>
    median(payments.map((round, place) => round[part] / bare[place]![part]));
  const against = 'bare';
  return [
    { what: `bare workflow (${setting})`, perSecond: middle(bare, 'perSecond') },
    {
      what: `payment, ${setting}: execute to settled`,
      perSecond: middle(payments, 'perSecond'),
      ratio: ratio('perSecond'),
      against,
      target: '>= 0.80',
      met: ratio('perSecond') >= 0.8,
    },
    {
      what: `payment, ${setting}: CPU of all parts`,
      value: `${middle(payments, 'cpuMs').toFixed(1)} ms against ${middle(bare, 'cpuMs').toFixed(1)} ms`,
      ratio: middle(bare, 'cpuMs') / middle(payments, 'cpuMs'),
      against,
    },
    {
      what: `payment, ${setting}: its workflow`,
      perSecond: middle(payments, 'workflowsPerSecond'),
      ratio: ratio('workflowsPerSecond'),
      against,
    },
  ];
}

async function bareRound(bench: Bench, count: number, type: BareWorkflow = 'bare'): Promise<Round> {
  const before = new Date();
  const cpu = cpuMeter(bench, count);
  const { startedAt } = await inOwnProcess(
    { kind: 'workflows at once', type, count },
    configEnvironment(bench.stack.config),
  );
  const { workflowsPerSecond, lastClosedAt } = await workflowsSince(bench, { type, before, count });
  return noted(type, { perSecond: (count * 1_000) / (lastClosedAt - startedAt), workflowsPerSecond, ...cpu() });
}

async function paymentRound(bench: Bench, count: number): Promise<Round> {
  const before = new Date();
  const cpu = cpuMeter(bench, count);
  const job = { ...bench.job, kind: 'payments at once', allocations: bench.allocations.slice(0, count) } as const;
  const { startedAt } = await inOwnProcess(job);
  const settledAt = await allSettled(bench, before, count);
  const { workflowsPerSecond } = await workflowsSince(bench, { type: 'payment', before, count });
  return noted('payments', { perSecond: (count * 1_000) / (settledAt - startedAt), workflowsPerSecond, ...cpu() });
}

/** Starts to count what the parts spend; the function that it gives says what each of that many cost. */
function cpuMeter({ stack }: Bench, count: number): () => Pick<Round, 'cpuMs' | 'cpuMsOf'> {
  const before = cpuSeconds(stack.parts);
  return () => {
    const spent = [...(cpuSeconds(stack.parts) ?? [])].map(([part, seconds]) => {
      return [part, ((seconds - (before?.get(part) ?? 0)) * 1_000) / count] as const;
    });
    return { cpuMs: spent.reduce((sum, [, ms]) => sum + ms, 0), cpuMsOf: Object.fromEntries(spent) };
  };
}

function noted(what: string, round: Round): Round {
  const cpu = Object.entries(round.cpuMsOf).map(([part, ms]) => `${part} ${ms.toFixed(1)}`);
  const rates = `${round.perSecond.toFixed(1)}/s, workflows alone ${round.workflowsPerSecond.toFixed(1)}/s`;
  progress(`${what}: ${rates}; CPU ms each: ${cpu.join(', ')}`);
  return round;
}

const settledSince = query<{ settled: number }>(
  'bench.settledSince',
  `select count(*) as settled from payments where initiated_at >= $1 and status = 'completed'`,
);

/** When the last of them was seen completed. @throws when one is not, in time. */
async function allSettled({ services }: Bench, since: Date, count: number): Promise<number> {
  const deadline = Date.now() + ALL_SETTLED_WITHIN_MS;
  let settled = 0;
  while (settled < count) {
    if (Date.now() > deadline) throw new Error(`${count - settled} of ${count} payments did not settle`);
    await sleep(LOOK_EVERY_MS);
    ({ settled } = await services.db.one(settledSince, [since]));
  }
  return Date.now();
}

/** Of those workflows that began since then, by Temporal's own clock. */
async function workflowsSince(
  { client }: Bench,
  { type, before, count }: { type: string; before: Date; count: number },
) {
  const condition = `WorkflowType = '${type}' and StartTime >= '${before.toISOString()}'`;
  const deadline = Date.now() + ALL_SETTLED_WITHIN_MS;
  while ((await client.workflow.count(`${condition} and ExecutionStatus = 'Completed'`)).count < count) {
    if (Date.now() > deadline) throw new Error(`not all of ${count} workflows were completed`);
    await sleep(LOOK_EVERY_MS);
  }
  let [firstStartedAt, lastClosedAt] = [Infinity, 0];
  for await (const { startTime, closeTime } of client.workflow.list({ query: condition, pageSize: 1_000 })) {
    firstStartedAt = Math.min(firstStartedAt, startTime.getTime());
    lastClosedAt = Math.max(lastClosedAt, closeTime?.getTime() ?? Infinity);
  }
  return { lastClosedAt, workflowsPerSecond: (count * 1_000) / (lastClosedAt - firstStartedAt) };
}

async function oneByOne({ stack, job, allocations }: Bench): Promise<Record<BareWorkflow | 'payments', number[]>> {
  const env = configEnvironment(stack.config);
  const workflows = (type: BareWorkflow) =>
    inOwnProcess({ kind: 'workflows one by one', type, count: ONE_BY_ONE }, env);
  const empty = await workflows('empty');
  const bare = await workflows('bare');
  const bills = allocations.slice(0, ONE_BY_ONE);
  const payments = await inOwnProcess({ ...job, kind: 'payments one by one', allocations: bills });
  return { empty: empty.eachMs, bare: bare.eachMs, payments: payments.eachMs };
}

async function eventsOf({ client }: Bench): Promise<number> {
  for await (const { workflowId } of client.workflow.list({ query: `WorkflowType = 'payment'`, pageSize: 1 })) {
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
    return events?.length ?? 0;
  }
  return 0;
}
