import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Running } from '../../programs/local/processes.ts';
import type { Services } from '../../infra/services.ts';
import { openServices } from '../../infra/services.ts';
import { openTemporal } from '../../infra/temporal/client.ts';
import { inOwnProcess, type BareWorkflow, type PaymentsJob } from './load.ts';
import { connectPersons } from './connect.ts';
import { progress, type Part, type Row } from './report.ts';
import { seedKey, seedOwners } from './seed.ts';
import { cpuSeconds, residentMb, withStack, type BenchStack } from './stack.ts';
import { median, percentile } from './statistics.ts';

const ROUNDS = 3;
const IN_FLIGHT = 32;
const BURST = 500;
const ONE_BY_ONE = 40;
/** Who pay over connections of their own, in turns. */
const PERSONS = 100;
const WARM_UP = 200;
const PAYEE = 'prov_sandbox_instant';
/** In milliseconds. After this time no round begins, so that the bench also ends on a slow machine. */
const TURNS_WITHIN_MS = 60_000;
/** In milliseconds. In this pause the service finishes late work for payments, such as the bank's events. */
const SETTLE_DOWN_MS = 3_000;

/** Payments per second, and the CPU milliseconds of one payment, in total and by process. */
interface Round {
  perSecond: number;
  eachMs: readonly number[];
  cpuMs: number;
  cpuMsOf: Record<string, number>;
}

interface Bench {
  stack: BenchStack;
  client: Client;
  job: Omit<PaymentsJob, 'kind' | 'connected' | 'inFlight' | 'allocations'>;
  allocations: readonly string[];
  /** The same payments, from persons with a connection to the payee. */
  connected: { key: string; allocations: readonly string[] };
}

interface Amount {
  count: number;
  inFlight: number;
}

/** The baseline is a bare workflow on the same Temporal server. */
export async function benchPayments(profileDir?: string): Promise<Part> {
  return withStack({ temporal: true, environment: 'sandbox', profileDir }, async (stack) => {
    const bank = await stack.start('bank', { SANDBOX_BANK_INSTANT_MS: '0' });
    await Promise.all([stack.start('api'), stack.start('worker'), stack.start('bareWorker')]);
    const services = await openServices({ ...stack.config, logLevel: 'silent' }, 'bench');
    const client = openTemporal(stack.config.temporal);
    try {
      return await measure({ stack, client, ...(await prepare(stack, services)) }, bank);
    } finally {
      await Promise.all([client.connection.close(), services.close()]);
    }
  });
}

async function prepare({ config }: BenchStack, services: Services): Promise<Omit<Bench, 'stack' | 'client'>> {
  const { publicUrl: url, tls } = config.api;
  const owners = await seedOwners(services, BURST);
  const job = { url, ca: tls.ca, key: await seedKey(services), provider: PAYEE };
  const persons = await seedOwners(services, PERSONS, () => services.newId('usr'));
  await connectPersons(
    services,
    persons.map(({ ownerId }) => ownerId),
    PAYEE,
  );
  const own = Array.from({ length: BURST }, (_, number) => persons[number % PERSONS]!.allocationId);
  const connected = { key: await seedKey(services, { forPersons: true }), allocations: own };
  return { job, allocations: owners.map(({ allocationId }) => allocationId), connected };
}

async function measure(bench: Bench, bank: Running): Promise<Part> {
  const [window, all] = [
    { count: BURST, inFlight: IN_FLIGHT },
    { count: BURST, inFlight: BURST },
  ];
  await warmUp(bench);
  const atOnce = await inTurns(bench, window);
  const over = await connectedInTurns(bench, window);
  const [empty, lean] = [await bareRound(bench, window, 'empty'), await bareRound(bench, window, 'lean')];
  const single = await oneByOne(bench);
  const events = await eventsOf(bench);
  await bank.stop();
  await bench.stack.start('bank');
  await warmUp(bench);
  const usual = await inTurns(bench, all);
  return {
    name: 'payments',
    setting: `${BURST} of them, from the command to the end of each, median of ${atOnce.bare.length} and ${usual.bare.length} rounds that take turns with the bare workflow's (two local activities and one elsewhere); ${ONE_BY_ONE} one by one.`,
    rows: [
      ...rowsOf(`${IN_FLIGHT} at once, bank settles at once`, atOnce),
      ...rowsOf(`${BURST} at once, bank settles after 1 s`, usual),
      ...connectedRows(`${IN_FLIGHT} at once, bank settles at once`, over),
      { what: 'workflow of one activity', perSecond: lean.perSecond, value: `${lean.cpuMs.toFixed(1)} ms CPU` },
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

async function warmUp(bench: Bench): Promise<void> {
  const some = { count: WARM_UP, inFlight: IN_FLIGHT };
  await bareRound(bench, some);
  await paymentRound(bench, some);
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

async function inTurns(bench: Bench, amount: Amount): Promise<Turns> {
  const turns: Turns = { bare: [], payments: [] };
  const deadline = Date.now() + TURNS_WITHIN_MS;
  for (let round = 0; round < ROUNDS && (round === 0 || Date.now() < deadline); round += 1) {
    turns.bare.push(await bareRound(bench, amount));
    turns.payments.push(await paymentRound(bench, amount));
    await sleep(SETTLE_DOWN_MS);
  }
  return turns;
}

function rowsOf(setting: string, { bare, payments }: Turns): Row[] {
  const perSecond = (rounds: readonly Round[]) => median(rounds.map((round) => round.perSecond));
  const cpuMs = (rounds: readonly Round[]) => median(rounds.map((round) => round.cpuMs));
  const timesOf = (rounds: readonly Round[]) => latency(rounds.flatMap(({ eachMs }) => eachMs));
  // The machine's speed varies between rounds, so the speeds of each round are compared.
  const ratio = median(payments.map((round, place) => round.perSecond / bare[place]!.perSecond));
  const against = 'bare';
  return [
    { what: `bare workflow (${setting})`, perSecond: perSecond(bare), ...timesOf(bare) },
    {
      what: `payment, ${setting}: execute to completed`,
      perSecond: perSecond(payments),
      ...timesOf(payments),
      ratio,
      against,
      target: '>= 0.80',
      met: ratio >= 0.8,
    },
    {
      what: `payment, ${setting}: CPU of all parts`,
      value: `${cpuMs(payments).toFixed(1)} ms against ${cpuMs(bare).toFixed(1)} ms`,
      ratio: cpuMs(bare) / cpuMs(payments),
      against,
    },
  ];
}

/** Takes turns with payments of the house account. */
async function connectedInTurns(bench: Bench, amount: Amount): Promise<Record<'house' | 'connected', Round[]>> {
  const turns = { house: [] as Round[], connected: [] as Round[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    turns.house.push(await paymentRound(bench, amount));
    turns.connected.push(await paymentRound(bench, amount, bench.connected));
    await sleep(SETTLE_DOWN_MS);
  }
  return turns;
}

function connectedRows(setting: string, { house, connected }: Record<'house' | 'connected', Round[]>): Row[] {
  const cpuMs = (rounds: readonly Round[]) => median(rounds.map((round) => round.cpuMs));
  return [
    {
      what: `payment over a connection, ${setting}`,
      perSecond: median(connected.map((round) => round.perSecond)),
      ...latency(connected.flatMap(({ eachMs }) => eachMs)),
      ratio: median(connected.map((round, place) => round.perSecond / house[place]!.perSecond)),
      against: 'house account',
    },
    {
      what: `payment over a connection, ${setting}: CPU of all parts`,
      value: `${cpuMs(connected).toFixed(1)} ms against ${cpuMs(house).toFixed(1)} ms`,
      ratio: cpuMs(house) / cpuMs(connected),
      against: 'house account',
    },
  ];
}

async function bareRound(bench: Bench, amount: Amount, type: BareWorkflow = 'bare'): Promise<Round> {
  const job = { kind: 'workflows', type, ...amount } as const;
  return measured(bench, amount, type, () => inOwnProcess(job, bench.stack.env));
}

async function paymentRound(bench: Bench, amount: Amount, connected?: Bench['connected']): Promise<Round> {
  const { key, allocations: all } = connected ?? { key: bench.job.key, allocations: bench.allocations };
  const of = { connected: connected !== undefined, inFlight: amount.inFlight, allocations: all.slice(0, amount.count) };
  const job = { ...bench.job, key, kind: 'payments', ...of } as const;
  return measured(bench, amount, connected ? 'payments over connections' : 'payments', () => inOwnProcess(job));
}

async function measured(
  { stack }: Bench,
  { count }: Amount,
  what: string,
  work: () => ReturnType<typeof inOwnProcess>,
): Promise<Round> {
  const cpu = cpuMeter(stack, count);
  const { tookMs, eachMs } = await work();
  return noted(what, { perSecond: (count * 1_000) / tookMs, eachMs, ...cpu() });
}

/** The returned function gives the processor time so far divided by `count`. */
function cpuMeter(stack: BenchStack, count: number): () => Pick<Round, 'cpuMs' | 'cpuMsOf'> {
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
  progress(`${what}: ${round.perSecond.toFixed(1)}/s; CPU ms each: ${cpu.join(', ')}`);
  return round;
}

async function oneByOne(bench: Bench): Promise<Record<'empty' | 'bare' | 'payments', readonly number[]>> {
  const amount = { count: ONE_BY_ONE, inFlight: 1 };
  return {
    empty: (await bareRound(bench, amount, 'empty')).eachMs,
    bare: (await bareRound(bench, amount)).eachMs,
    payments: (await paymentRound(bench, amount)).eachMs,
  };
}

async function eventsOf({ client }: Bench): Promise<number> {
  for await (const { workflowId } of client.workflow.list({ query: `WorkflowType = 'payment'`, pageSize: 1 })) {
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
    return events?.length ?? 0;
  }
  return 0;
}
