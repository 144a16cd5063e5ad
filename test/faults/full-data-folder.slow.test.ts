import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../infra/config/index.ts';
import { StackError } from '../../programs/local/processes.ts';
import { noteStack } from '../../programs/local/stack-file.ts';
import { openMailer } from '../../infra/mail/index.ts';
import { chance, ordersFor, placeOver } from '../helpers/faults-load.ts';
import { withPayingStack } from '../helpers/faults-paying.ts';
import { valueOf } from '../helpers/metrics.ts';
import { freePorts } from '../helpers/ports.ts';
import { fill, moveToSmallDisk, unmount } from '../helpers/small-disk.ts';
import { until } from '../helpers/until.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const [apiPort, workerPort] = await freePorts(2);

describe('while the data folder and the database in it are full', () => {
  let data: string;
  // This line must come first, because the disk must be unmounted before the stack removes its folder.
  afterAll(async () => {
    expect(await stack.end()).toBe(0);
    unmount(data);
  });
  const ports = { METRICS_PORT_API: String(apiPort), METRICS_PORT_WORKER: String(workerPort) };
  const on = withPayingStack(ports, {
    async prepare() {
      data = stack.env.RINGFENCE_DATA!;
      await stack.end();
      moveToSmallDisk(data, '512m');
      await stack.start();
    },
  });
  const { stack } = on;

  const lost = async () => {
    const metrics = await fetch(`http://127.0.0.1:${apiPort}/metrics`);
    return valueOf(await metrics.text(), 'ringfence_log_lines_lost_total');
  };
  /** @returns 0 if no response arrives. */
  const statusOf = async (path: string) =>
    on.client.once('GET', path).then(
      ({ status }) => status,
      () => 0,
    );
  const register = (email: string) =>
    on.client.once('POST', '/api/v1/auth/register', { body: { email, password: 'a long enough passphrase' } });

  it('callers get 503 with Retry-After, nothing is half done, and everything recovers automatically when there is room', async () => {
    const { client } = on;
    const api = await stack.pid('API');
    on.paid.push(...(await placeOver(client, ordersFor(on.owners, 6), 0, chance(1))));
    const giveBack = fill(data);
    const refusedBefore = client.seen.get(503) ?? 0;
    const placing = placeOver(client, ordersFor(on.owners, 40), 8_000, chance(2));
    // The rows of new people use up the free space inside the database's files.
    let full = true;
    const coming = (async () => {
      for (let number = 0; full; number += 1) await register(`full-${number}@example.test`).catch(() => undefined);
    })();
    const refused = () => (client.seen.get(503) ?? 0) - refusedBefore;
    await until(() => refused() >= 20, 'refusals for want of room');
    expect(await statusOf('/livez')).toBe(200);
    await sleep(3_000);
    full = false;
    await coming;
    giveBack();
    on.paid.push(...(await placing));
    await on.isReady();
    await on.allEndRight();
    expect(await stack.pid('API')).toBe(api);
  });

  it('npm start and the API keep running, a killed API starts again, and everything recovers when there is space', async () => {
    const first = await stack.pid('API');
    const giveBack = fill(data);
    const before = await lost();
    await until(async () => {
      await Promise.all(Array.from({ length: 20 }, () => statusOf('/api/v1/payments/providers')));
      return (await lost()) > before;
    }, 'lost log lines');
    expect(await statusOf('/livez')).toBe(200);
    process.kill(first, 'SIGKILL');
    await stack.says('stack.lock could not be written');
    await until(async () => (await statusOf('/livez')) === 200, 'the API that was started again');
    await sleep(2_000);
    giveBack();
    await until(async () => (await statusOf('/readyz')) === 200, 'readiness', 120_000);
    expect(await stack.pid('API')).not.toBe(first);
    await on.allEndRight();
    const log = join(data, 'logs', 'api.log');
    const length = readFileSync(log).length;
    await until(async () => {
      await statusOf('/api/v1/payments/providers');
      return readFileSync(log).length > length;
    }, 'lines in the log');
    for (const line of readFileSync(log, 'utf8').slice(length).split('\n').slice(1, -1)) JSON.parse(line);
    const letters = () => readdirSync(join(data, 'outbox'));
    const written = letters().length;
    await register('after@example.test');
    await until(() => letters().length > written, 'a letter in the outbox');
    expect(letters().filter((name) => !name.endsWith('.eml'))).toEqual([]);
  });
});

describe('on a full disk', () => {
  let disk: string;
  beforeEach(() => {
    disk = mkdtempSync(join(tmpdir(), 'ringfence-full-'));
    moveToSmallDisk(disk, '1m');
  });
  afterEach(() => {
    unmount(disk);
    rmSync(disk, { recursive: true });
  });

  it('a letter that does not fit into the outbox leaves no file behind, and the next letter arrives when there is space', async () => {
    const outboxDir = join(disk, 'outbox');
    mkdirSync(outboxDir);
    const mailer = openMailer({ smtpUrl: undefined, smtpCa: undefined, from: 'a@example.test', outboxDir });
    const letter = { to: 'ada@example.test', subject: 'Hello', text: 'A letter' };
    const giveBack = fill(disk);
    await expect(mailer.send(letter)).rejects.toThrow('ENOSPC');
    expect(readdirSync(outboxDir)).toEqual([]);
    giveBack();
    await mailer.send(letter);
    expect(readdirSync(outboxDir)).toEqual([expect.stringMatching(/\.eml$/)]);
  });

  it('a command runs without its compile cache, and fills the cache when there is space', () => {
    const cache = join(disk, 'cache');
    const run = () => {
      const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: cache };
      return spawnSync(process.execPath, ['programs/admin/main.ts', '--help'], { cwd: ROOT, env, encoding: 'utf8' });
    };
    const giveBack = fill(disk);
    for (let ran = 0; ran < 2; ran += 1) expect(run()).toMatchObject({ status: 0, stderr: '' });
    giveBack();
    for (let ran = 0; ran < 2; ran += 1) expect(run()).toMatchObject({ status: 0, stderr: '' });
    expect(readdirSync(cache, { recursive: true }).length).toBeGreaterThan(2);
  });

  it('the addresses of a stack are not stored in part', () => {
    fill(disk);
    const own = { postgres: true, temporal: true, bank: true, certificates: true };
    const config = readConfig({ RINGFENCE_DATA: disk });
    expect(() => noteStack(config, own, 'a-stack')).toThrow(
      new StackError(`The file ${disk}/stack.json could not be written: ENOSPC: no space left on device, write.`),
    );
    expect(readdirSync(disk)).toEqual(['filler']);
  });

  it('npm start says in one sentence that it cannot begin, and leaves no lock behind', async () => {
    fill(disk);
    const env = { PATH: process.env.PATH, RINGFENCE_DATA: disk };
    const child = spawn(process.execPath, ['programs/local/main.ts'], {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    expect(said).toBe(`The file ${disk}/stack.lock could not be created: ENOSPC: no space left on device, write.\n`);
    expect(code).toBe(1);
    expect(readdirSync(disk)).toEqual(['filler']);
  });
});
