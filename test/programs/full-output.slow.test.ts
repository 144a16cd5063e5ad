import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSupervisor } from '../../programs/local/processes.ts';
import { withDatabase } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { valueOf } from '../helpers/metrics.ts';
import { freePorts } from '../helpers/ports.ts';
import { temporalAddress } from '../helpers/temporal.ts';
import { until } from '../helpers/until.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FULL = '/dev/full';
const services = withDatabase();
const running: ChildProcess[] = [];
let folder: string;
let ports: { api: number; plain: number; bank: number; apiMetrics: number; workerMetrics: number };

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-output-'));
  const [api, plain, bank, apiMetrics, workerMetrics] = (await freePorts(5)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  ports = { api, plain, bank, apiMetrics, workerMetrics };
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((child) => end(child, 'SIGKILL')));
  rmSync(folder, { recursive: true });
});

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = once(child, 'exit') as Promise<[number | null]>;
  child.kill(signal);
  return (await exited)[0];
}

/** `limit` is the most that a file may contain, in blocks of 512 bytes. Writing more fails, as on a full disk. */
function start(file: string, args: string[], stdio: StdioOptions, env: Record<string, string> = {}, limit?: number) {
  const { dir } = testEnvironment();
  const command = [process.execPath, join(ROOT, file), ...args];
  const limited = limit === undefined ? command : ['/bin/sh', '-c', `ulimit -f ${limit}; exec "$@"`, 'sh', ...command];
  const child = spawn(limited[0]!, limited.slice(1), {
    env: {
      ...process.env,
      RINGFENCE_DATA: dir,
      MASTER_KEY_FILE: join(dir, 'keys', 'master.json'),
      DATABASE_URL: services.config.database.url,
      RINGFENCE_PORT_API: String(ports.api),
      RINGFENCE_PORT_PROXIED: String(ports.plain),
      RINGFENCE_PORT_BANK: String(ports.bank),
      METRICS_PORT_API: String(ports.apiMetrics),
      METRICS_PORT_WORKER: String(ports.workerMetrics),
      ...env,
    },
    stdio,
  });
  running.push(child);
  return child;
}

async function ready(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the process ended with ${code}`)));
  await Promise.race([once(child, 'message'), ended]);
}

const lost = async (port: number) => {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  return valueOf(await answer.text(), 'ringfence_log_lines_lost_total');
};
/** The API logs this request. @returns its status */
const ask = async () => (await fetch(`http://127.0.0.1:${ports.plain}/api/v1/payments/providers`)).status;
describe('the API', () => {
  test('serves requests while standard error and standard output are full, counts the lines that it lost, and stops cleanly', async () => {
    const full = openSync(FULL, 'a');
    const api = start('programs/api.ts', [], ['ignore', full, full, 'ipc']);
    closeSync(full);
    await ready(api);
    for (let asked = 0; asked < 20; asked += 1) expect(await ask()).toBe(401);
    await until(async () => (await lost(ports.apiMetrics)) >= 20, 'the count of lost lines');
    expect(await ask()).toBe(401);
    expect(await end(api, 'SIGTERM')).toBe(0);
  });

  test('serves requests after the reader of its log is gone, and stops cleanly', async () => {
    const api = start('programs/api.ts', [], ['ignore', 'ignore', 'pipe', 'ipc']);
    await ready(api);
    api.stderr!.destroy();
    for (let asked = 0; asked < 20; asked += 1) expect(await ask()).toBe(401);
    await until(async () => (await lost(ports.apiMetrics)) >= 20, 'the count of lost lines');
    expect(await end(api, 'SIGTERM')).toBe(0);
  });

  test('serves requests while the reader of its log hangs, and stops cleanly', async () => {
    const api = start('programs/api.ts', [], ['ignore', 'ignore', 'pipe', 'ipc'], { LOG_LEVEL: 'debug' });
    await ready(api);
    api.stderr!.pause();
    // A pipe holds 64 kB.
    for (let asked = 0; asked < 500; asked += 1) expect(await ask()).toBe(401);
    expect(await end(api, 'SIGTERM')).toBe(0);
  });

  test('writes whole lines to its log again when there is space', async () => {
    const file = join(folder, 'api.log');
    const log = openSync(file, 'a');
    const api = start('programs/api.ts', [], ['ignore', 'ignore', log, 'ipc'], {}, 8);
    closeSync(log);
    await ready(api);
    await until(async () => (await ask()) === 401 && (await lost(ports.apiMetrics)) >= 5, 'the count of lost lines');
    let before: number;
    await until(async () => {
      before = await lost(ports.apiMetrics);
      await sleep(500);
      return (await lost(ports.apiMetrics)) === before;
    }, 'the end of the losses');
    // The rest of the line that was cut comes first.
    const cut = readFileSync(file, 'utf8').split('\n').at(-1)!;
    truncateSync(file);
    for (let asked = 0; asked < 5; asked += 1) expect(await ask()).toBe(401);
    const whole = () => `${cut}${readFileSync(file, 'utf8')}`;
    await until(() => whole().split('"msg":"answered"').length > 5, 'five lines in the log');
    for (const line of whole().split('\n').slice(0, -1)) expect(JSON.parse(line)).toMatchObject({ part: 'api' });
    expect(await lost(ports.apiMetrics)).toBe(before!);
    expect(await end(api, 'SIGTERM')).toBe(0);
  });
});

describe('the worker', () => {
  test('works while standard error and standard output are full, counts the lines that it lost, and stops cleanly', async () => {
    const full = openSync(FULL, 'a');
    const env = { TEMPORAL_ADDRESS: await temporalAddress() };
    const worker = start('programs/worker.ts', [], ['ignore', full, full, 'ipc'], env);
    closeSync(full);
    await ready(worker);
    // No bank runs, about which the worker warns.
    await until(async () => (await lost(ports.workerMetrics)) > 0, 'the count of lost lines');
    const health = await fetch(`http://127.0.0.1:${ports.workerMetrics}/ready`);
    expect(health.status).toBe(200);
    expect(await end(worker, 'SIGTERM')).toBe(0);
  });
});

describe('a log whose reader hangs', () => {
  test('keeps a limited number of lines, drops and counts the others, and does not prevent the end of the process', async () => {
    const program = `
      const { outliveOutput } = await import('./infra/process/output.ts');
      const { LogOutput } = await import('./infra/process/log-output.ts');
      outliveOutput();
      let lost = 0;
      const output = new LogOutput(2, (lines) => (lost += lines));
      for (let line = 0; line < 100_000; line += 1) output.write('x'.repeat(99) + '\\n');
      process.send(lost, () => process.exit(7));
    `;
    const args = ['--input-type=module', '--eval', program];
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    child.stderr!.pause();
    const [[lines], [code]] = await Promise.all([once(child, 'message'), once(child, 'exit')]);
    expect(lines).toBeGreaterThan(80_000);
    expect(code).toBe(7);
  });
});

describe('the supervisor of npm start', () => {
  test('runs a program whose log file cannot be opened, and says so', async () => {
    writeFileSync(join(folder, 'logs'), 'a file in place of the folder');
    const said: string[] = [];
    const supervisor = createSupervisor({ log: (line) => said.push(line), restart: false });
    const child = {
      name: 'The program',
      command: process.execPath,
      args: ['-e', 'console.log("not in a log"); setInterval(() => {}, 1_000)'],
      logFile: join(folder, 'logs', 'program.log'),
      isReady: () => true,
      readyWithinMs: 10_000,
      stopSignal: 'SIGTERM',
      stopWithinMs: 10_000,
    } as const;
    const { pid } = await supervisor.start(child);
    expect(pid).toBeGreaterThan(0);
    await supervisor.stop();
    expect(said).toEqual([expect.stringMatching(/^The program runs without a log file until its next start: E\w+: /)]);
  });
});

describe('an admin command', () => {
  const admin = async (args: string[], stdout: 'pipe' | number, stderr: 'pipe' | number, limit?: number) => {
    const child = start('programs/admin/main.ts', args, ['ignore', stdout, stderr], {}, limit);
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name]?.on('data', (chunk: Buffer) => (said[name] += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, ...said };
  };
  const SENTENCE = /^The command ran, but its output could not be printed: no space left on device \(ENOSPC\)\.\n$/;

  test('whose result cannot be printed fails with a sentence', async () => {
    const full = openSync(FULL, 'a');
    const ended = await admin(['app', 'list'], full, 'pipe');
    closeSync(full);
    expect(ended).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(SENTENCE) as string });
  });

  test('whose result can be printed only in part fails with a sentence', async () => {
    const file = join(folder, 'result.json');
    const part = openSync(file, 'a');
    for (let made = 0; made < 9; made += 1)
      expect(await admin(['app', 'create', '--name', 'x'.repeat(60)], 'pipe', 'pipe')).toMatchObject({ code: 0 });
    const ended = await admin(['app', 'list'], part, 'pipe', 1);
    closeSync(part);
    expect(readFileSync(file).length).toBeGreaterThan(0);
    expect(ended).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^The command ran, but .*: file too large \(EFBIG\)\.\n$/) as string,
    });
  });

  test('that is refused keeps its exit code while standard error is full', async () => {
    const full = openSync(FULL, 'a');
    const ended = await admin(['app', 'nothing'], 'pipe', full);
    const listed = await admin(['app', 'list'], 'pipe', full);
    closeSync(full);
    expect(ended).toEqual({ code: 2, stdout: '', stderr: '' });
    expect(listed).toEqual({ code: 0, stdout: expect.stringMatching(/^\{.*\}\n$/) as string, stderr: '' });
  });
});
