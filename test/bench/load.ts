import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { readConfig } from '../../infra/config.ts';
import { BARE_QUEUE } from './bare-queue.ts';
import { loadAlone, type AloneJob } from './load-alone.ts';
import { loadRoute, type RouteJob, type RouteLoad } from './load-routes.ts';

/** Pays from each allocation once. */
export interface PaymentsJob {
  kind: 'payments at once' | 'payments one by one';
  url: string;
  ca: string;
  key: string;
  provider: string;
  allocations: readonly string[];
}

/** With one activity, or with nothing. */
export type BareWorkflow = 'bare' | 'empty';

export interface WorkflowsJob {
  kind: 'workflows at once' | 'workflows one by one';
  type: BareWorkflow;
  count: number;
}

/** When the first was asked for and when the last request was answered; how long each took. */
export interface Burst {
  startedAt: number;
  answeredAt: number;
  eachMs: number[];
}

type Job = PaymentsJob | WorkflowsJob | RouteJob | AloneJob;

const CONNECTIONS = 64;
const SETTLE_WITHIN_S = 20;

/** Runs a job in a process of its own, as a client's would be. */
export async function inOwnProcess(job: RouteJob | AloneJob): Promise<RouteLoad>;
export async function inOwnProcess(job: PaymentsJob | WorkflowsJob, env?: Record<string, string>): Promise<Burst>;
export async function inOwnProcess(job: Job, env: Record<string, string> = {}): Promise<unknown> {
  const child = fork(import.meta.filename, { env: { ...process.env, ...env } });
  child.send(job);
  const [answer] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the load process ended with ${String(code)}`))),
  ])) as [unknown];
  child.kill();
  return answer;
}

/** A load over HTTP. @throws when a request was refused: then the figures would be of something else. */
export async function loadAccepted(job: RouteJob): Promise<RouteLoad> {
  const load = await inOwnProcess(job);
  if (load.refused > 0) throw new Error(`${load.refused} requests of ${job.route} were refused`);
  return load;
}

async function run(job: Job): Promise<unknown> {
  if (job.kind === 'route') return loadRoute(job);
  if (job.kind === 'alone') return loadAlone(job);
  return 'url' in job ? pay(job) : startWorkflows(job);
}

async function pay({ kind, url, ca, key, provider, allocations }: PaymentsJob): Promise<Burst> {
  const dispatcher = new Agent({ connect: { ca: readFileSync(ca) }, connections: CONNECTIONS });
  const authorization = `Bearer ${key}`;
  const send = async (method: 'GET' | 'POST', path: string, more: Record<string, string> = {}, body?: object) => {
    const headers = { authorization, ...(body && { 'content-type': 'application/json' }), ...more };
    const answer = await request(`${url}${path}`, { dispatcher, method, headers, body: body && JSON.stringify(body) });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
    return JSON.parse(text) as { payment_id: string; status: string };
  };
  const execute = (allocation: string) => {
    const bill = {
      vault_allocation_id: allocation,
      amount: 100,
      currency: 'GBP',
      provider_id: provider,
      reference: 'BENCH',
    };
    return send('POST', '/api/v1/payments/execute', { 'idempotency-key': crypto.randomUUID() }, bill);
  };
  const settle = async (allocation: string) => {
    const { payment_id: id } = await execute(allocation);
    const { status } = await send('GET', `/api/v1/payments/${id}`, { prefer: `wait=${SETTLE_WITHIN_S}` });
    if (status !== 'completed') throw new Error(`payment ${id} is ${status}`);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, () => send('GET', '/api/v1/payments?limit=1')));
  return kind === 'payments at once' ? atOnce(allocations, execute) : oneByOne(allocations, settle);
}

async function startWorkflows({ kind, type, count }: WorkflowsJob): Promise<Burst> {
  // Only here, because it takes longer to load than all else, and a load begins with it.
  const { openTemporal } = await import('../../infra/temporal/client.ts');
  const client = openTemporal(readConfig().temporal);
  const start = () =>
    client.workflow.start(type, { taskQueue: BARE_QUEUE, workflowId: `${type}/${crypto.randomUUID()}` });
  const numbers = Array.from({ length: count }, (_, number) => number);
  await client.connection.ensureConnected();
  return kind === 'workflows at once'
    ? atOnce(numbers, start)
    : oneByOne(numbers, async () => (await start()).result());
}

async function atOnce<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<Burst> {
  const startedAt = Date.now();
  const eachMs = await Promise.all(items.map((item) => timed(() => work(item))));
  return { startedAt, answeredAt: Date.now(), eachMs };
}

async function oneByOne<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<Burst> {
  const startedAt = Date.now();
  const eachMs: number[] = [];
  for (const item of items) {
    eachMs.push(await timed(() => work(item)));
    await sleep(5);
  }
  return { startedAt, answeredAt: Date.now(), eachMs };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

if (import.meta.main) {
  process.once('message', (job) => {
    run(job as Job).then(
      (answer) => process.send?.(answer as object),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        process.exit(1);
      },
    );
  });
}
