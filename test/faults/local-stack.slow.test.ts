import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import { isRunning } from '../../infra/process/identity.ts';
import { freeStackPorts, stackFolder, writeStubs } from '../helpers/local-stacks.ts';
import { runAs } from '../helpers/run-as.ts';
import { until } from '../helpers/until.ts';

/* Stubs replace the service's own programs. A separate process runs the stack, because the test checks how it exits. */
const STUBBORN = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); process.send({ ready: true });`;
const BROKEN = `console.error('Error: the moon is in the wrong phase'); process.exit(3);`;

type Stack = ReturnType<typeof runAs>;

let folder: string;
let driver: string;
let env: Record<string, string>;
const started: Stack[] = [];

beforeEach(async () => {
  folder = stackFolder('stack');
  driver = writeStubs(folder, `migrate: async () => {}, claim: async () => 'a-stack'`);
  env = { RINGFENCE_DATA: join(folder, 'data'), ...(await freeStackPorts()) };
});

afterEach(async () => {
  for (const stack of started.splice(0)) {
    stack.stop();
    await stack.ended;
  }
  await allGone(lockedPids());
  rmSync(folder, { recursive: true, force: true });
});

function start(extra: Record<string, string> = {}): Stack {
  const stack = runAs([driver], { ...env, ...extra });
  started.push(stack);
  return stack;
}

async function says(stack: Stack, words: string): Promise<void> {
  await until(() => stack.output().includes(words) || stack.hasEnded(), words);
  expect(stack.output()).toContain(words);
}

function lockedPids(): number[] {
  try {
    const lock = JSON.parse(readFileSync(join(folder, 'data', 'stack.lock'), 'utf8')) as {
      children: { pid: number }[];
      guardian?: { pid: number };
    };
    return [...lock.children, ...(lock.guardian === undefined ? [] : [lock.guardian])].map(({ pid }) => pid);
  } catch {
    return [];
  }
}

const allGone = (pids: number[]) => until(() => !pids.some(isRunning), `the end of ${pids.join(', ')}`);

async function query(sql: string): Promise<unknown[]> {
  const client = new pg.Client(`postgresql://ringfence:ringfence@localhost:${env.RINGFENCE_PORT_POSTGRES}/ringfence`);
  await client.connect();
  try {
    return (await client.query(sql)).rows as unknown[];
  } finally {
    await client.end();
  }
}

async function withTemporal<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address: `127.0.0.1:${env.RINGFENCE_PORT_TEMPORAL}` });
  try {
    return await work(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

describe('the local stack', () => {
  it('starts, refuses a second stack on its folder, stops without leaving a process, and keeps its state', async () => {
    const first = start();
    await says(first, 'READY');
    for (const part of ['PostgreSQL', 'Temporal', 'Certificates', 'Sandbox bank', 'Worker', 'API'])
      expect(first.output()).toContain(part);
    const second = start();
    expect((await second.ended).code).toBe(1);
    expect(second.output()).toContain(`is already running on ${env.RINGFENCE_DATA} (process ${first.process.pid})`);
    await query('create table kept (n int)');
    await query('insert into kept values (7)');
    await withTemporal((client) =>
      client.workflow.start('any', { taskQueue: 'none', workflowId: 'kept', memo: { n: 7 } }),
    );
    const pids = lockedPids();
    expect(pids).toHaveLength(6);
    first.process.kill('SIGTERM');
    expect((await first.ended).code).toBe(0);
    await allGone(pids);

    const begun = Date.now();
    await says(start(), 'READY');
    expect(Date.now() - begun).toBeLessThan(30_000);
    expect(await query('select n from kept')).toEqual([{ n: 7 }]);
    expect((await withTemporal((client) => client.workflow.getHandle('kept').describe())).memo).toEqual({ n: 7 });
  });

  it('leaves nothing running when it is killed, and starts again, even if its watchdog was killed too', async () => {
    const first = start();
    await says(first, 'READY');
    await query('create table kept (n int)');
    const pids = lockedPids();
    first.process.kill('SIGKILL');
    await first.ended;
    const second = start();
    await says(second, 'READY');
    await allGone(pids);
    const more = lockedPids();
    const guardian = more.at(-1)!;
    second.process.kill('SIGSTOP');
    process.kill(guardian, 'SIGKILL');
    second.process.kill('SIGKILL');
    await second.ended;
    await says(start(), 'READY');
    await allGone(more);
    expect(await query('select n from kept')).toEqual([]);
  });

  it('restarts a killed part, even PostgreSQL and Temporal', async () => {
    const stack = start();
    await says(stack, 'READY');
    await query('create table kept (n int)');
    const children = lockedPids().slice(0, -1);
    for (const pid of children) process.kill(pid, 'SIGKILL');
    for (const part of ['PostgreSQL', 'Temporal', 'The sandbox bank', 'The worker', 'The API']) {
      await says(stack, `${part} stopped by itself (SIGKILL); starting it again in`);
      await says(stack, `${part} is running again.`);
    }
    expect(await query('select n from kept')).toEqual([]);
  });

  it('kills a part that does not stop when asked', async () => {
    writeFileSync(join(folder, 'bank.mjs'), STUBBORN);
    const stack = start();
    await says(stack, 'READY');
    const pids = lockedPids();
    stack.process.kill('SIGTERM');
    expect((await stack.ended).code).toBe(0);
    await allGone(pids);
  });

  it('stops everything when one part cannot start, and says why', async () => {
    writeFileSync(join(folder, 'worker.mjs'), BROKEN);
    const stack = start();
    await until(() => lockedPids().length > 0 || stack.hasEnded(), 'a first part');
    const pids = lockedPids();
    expect((await stack.ended).code).toBe(1);
    expect(stack.output()).toContain(
      'The worker stopped before it was ready (exit code 3): the moon is in the wrong phase (its log: ',
    );
    await allGone(pids);
  });

  it('starts no local part in production', async () => {
    const stack = start({ RINGFENCE_ENV: 'production' });
    expect((await stack.ended).code).toBe(1);
    expect(stack.output()).toContain(
      'In production DATABASE_URL must not have the password of the development database',
    );
    expect(stack.output()).not.toContain('PostgreSQL');
  });
});
