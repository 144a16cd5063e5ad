import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { readConfig } from '../../infra/config/index.ts';
import type { Environment } from '../../infra/config/settings.ts';
import { BARE_QUEUE } from './bare-queue.ts';
import { loadAlone, type AloneJob } from './load-alone.ts';
import { loadRoute, type RouteJob } from './load-routes.ts';
import { type RouteLoad } from './statistics.ts';

/** Pays once from each allocation, and waits until each payment is completed. */
export interface PaymentsJob {
  kind: 'payments';
  /** Whether the owners pay over connections of their own. */
  connected: boolean;
  inFlight: number;
  url: string;
  ca: string;
  key: string;
  provider: string;
  allocations: readonly string[];
}

export type BareWorkflow = 'bare' | 'lean' | 'empty';

/** Measures each workflow from start to result. */
export interface WorkflowsJob {
  kind: 'workflows';
  inFlight: number;
  type: BareWorkflow;
  count: number;
}

/** In milliseconds: the total time, and each item's time. */
export interface Run {
  tookMs: number;
  eachMs: number[];
}

type Job = PaymentsJob | WorkflowsJob | RouteJob | AloneJob;

// A large young generation: garbage collection in the sender must not distort the times.
const SELDOM_COLLECTING = ['--max-semi-space-size=64'];
/** The pause in milliseconds after each payment or workflow, if only one runs at a time. */
const PAUSE_MS = 5;
const SETTLE_WITHIN_MS = 180_000;

/** Real clients run in separate processes too. */
export async function inOwnProcess(job: RouteJob | AloneJob): Promise<RouteLoad>;
export async function inOwnProcess(job: PaymentsJob | WorkflowsJob, env?: Environment): Promise<Run>;
export async function inOwnProcess(job: Job, env: Environment = {}): Promise<unknown> {
  const child = fork(import.meta.filename, { execArgv: SELDOM_COLLECTING, env: { ...process.env, ...env } });
  child.send(job);
  const [answer] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the load process ended with ${String(code)}`))),
  ])) as [unknown];
  child.kill();
  return answer;
}

/** @throws if a request was refused, because refusals would distort the results */
export async function loadAccepted(job: RouteJob): Promise<RouteLoad> {
  const load = await inOwnProcess(job);
  if (load.refused > 0) throw new Error(`${load.refused} requests of ${job.route} were refused`);
  return load;
}

async function run(job: Job): Promise<unknown> {
  if (job.kind === 'route') return loadRoute(job);
  if (job.kind === 'alone') return loadAlone(job);
  return job.kind === 'payments' ? pay(job) : runWorkflows(job);
}

async function pay({ inFlight, url, ca, key, provider, allocations, connected }: PaymentsJob): Promise<Run> {
  const dispatcher = new Agent({ connect: { ca: readFileSync(ca) }, connections: inFlight });
  const authorization = `Bearer ${key}`;
  const send = async (method: 'GET' | 'POST', path: string, more: Record<string, string> = {}, body?: object) => {
    const headers = { authorization, ...(body && { 'content-type': 'application/json' }), ...more };
    const answer = await request(`${url}${path}`, { dispatcher, method, headers, body: body && JSON.stringify(body) });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
    return JSON.parse(text) as { payment_id: string; status: string; connection_id: string | null };
  };
  const settle = async (allocation: string) => {
    const bill = { vault_allocation_id: allocation, amount: 100, currency: 'GBP', provider_id: provider };
    const key = { 'idempotency-key': crypto.randomUUID() };
    const made = await send('POST', '/api/v1/payments/execute', key, { ...bill, reference: 'BENCH' });
    const { payment_id: id, connection_id } = made;
    if ((connection_id !== null) !== connected) throw new Error(`payment ${id} is paid from the wrong account`);
    const deadline = performance.now() + SETTLE_WITHIN_MS;
    let status = 'processing';
    while (status === 'processing' && performance.now() < deadline)
      ({ status } = await send('GET', `/api/v1/payments/${id}`, { prefer: 'wait=20' }));
    if (status !== 'completed') throw new Error(`payment ${id} is ${status}`);
  };
  await Promise.all(Array.from({ length: inFlight }, () => send('GET', '/api/v1/payments?limit=1')));
  return inTurn(allocations, inFlight, settle);
}

async function runWorkflows({ inFlight, type, count }: WorkflowsJob): Promise<Run> {
  // Other jobs do not need this module.
  const { openTemporal } = await import('../../infra/temporal/client.ts');
  const client = openTemporal(readConfig().temporal);
  await client.connection.ensureConnected();
  return inTurn(Array.from({ length: count }), inFlight, () =>
    client.workflow.execute(type, { taskQueue: BARE_QUEUE, workflowId: `${type}/${crypto.randomUUID()}` }),
  );
}

async function inTurn<T>(items: readonly T[], inFlight: number, work: (item: T) => Promise<unknown>): Promise<Run> {
  const startedAt = performance.now();
  const eachMs: number[] = [];
  const left = items.values();
  const one = async () => {
    for (const item of left) {
      eachMs.push(await timed(() => work(item)));
      if (inFlight === 1) await sleep(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, one));
  return { tookMs: performance.now() - startedAt, eachMs };
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
