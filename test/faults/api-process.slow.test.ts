import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { cloneDatabase, type TestDatabase } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { freePort } from '../helpers/ports.ts';

const MAIN = resolve(import.meta.dirname, '../../programs/api.ts');
let database: TestDatabase;
const started: ChildProcess[] = [];

beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await database.drop();
});

interface Api {
  process: ChildProcess;
  port: number;
  ready: Promise<unknown>;
  exit: Promise<{ code: number | null; stderr: string }>;
}

async function start(env: Record<string, string> = {}): Promise<Api> {
  const { dir } = testEnvironment();
  const port = Number(env.RINGFENCE_PORT_API ?? (await freePort()));
  const child = spawn(process.execPath, [MAIN], {
    env: {
      PATH: process.env.PATH,
      RINGFENCE_DATA: dir,
      MASTER_KEY_FILE: join(dir, 'keys', 'master.json'),
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      RINGFENCE_PORT_API: String(port),
      LOG_LEVEL: 'error',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  }) as ChildProcess & { stderr: Readable };
  started.push(child);
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const exit = Promise.all([once(child, 'exit'), once(child.stderr, 'end')]).then(([[code]]) => ({
    code: code as number | null,
    stderr,
  }));
  const ready = once(child, 'message').then(([message]) => message as unknown);
  return { process: child, port, ready, exit };
}

const ca = () => readFileSync(join(testEnvironment().dir, 'pki', 'ca.crt'));

/** Sends `first`, waits for a response, then sends what `between` returns. @returns all received bytes. */
function exchange({ port }: Api, host: string, first: string, between?: () => Promise<string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, ca: ca(), servername: 'localhost' }, () => socket.write(first));
    socket.once('data', () => void between?.().then((rest) => socket.write(rest), reject));
    let received = '';
    socket.on('data', (chunk) => (received += String(chunk)));
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
  });
}

async function connected({ port }: Api): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, ca: ca(), servername: 'localhost' });
  socket.on('error', () => undefined).resume();
  await once(socket, 'secureConnect');
  return socket;
}

function residentMb({ process: { pid } }: Api): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1_024;
}

const READY = 'GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

test('reports that it is ready, serves both addresses of localhost without Temporal, and exits with 0 on SIGTERM', async () => {
  const api = await start();
  expect(await api.ready).toEqual({ ready: true });
  for (const host of ['127.0.0.1', '::1']) expect(await exchange(api, host, READY)).toMatch(/^HTTP\/1\.1 200 /);
  api.process.kill('SIGTERM');
  expect(await api.exit).toMatchObject({ code: 0 });
});

test('stops when its parent process is gone', async () => {
  const api = await start();
  await api.ready;
  api.process.disconnect();
  expect(await api.exit).toMatchObject({ code: 0 });
});

test('three hundred refused clients that keep sending cost no memory, and delay a shutdown at most 10 seconds', async () => {
  const api = await start();
  await api.ready;
  const head = `POST /api/v1/payments/execute HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const piece = Buffer.from(`4000\r\n${'x'.repeat(16_384)}\r\n`);
  const sockets = await Promise.all(Array.from({ length: 300 }, () => connected(api)));
  for (const socket of sockets) socket.write(head);
  const sending = setInterval(() => sockets.forEach((socket) => socket.writable && socket.write(piece)), 250);
  await sleep(1_000);
  const before = residentMb(api);
  await sleep(6_000);
  expect(residentMb(api) - before).toBeLessThan(60);
  const stopped = performance.now();
  api.process.kill('SIGTERM');
  expect(await api.exit).toMatchObject({ code: 0 });
  clearInterval(sending);
  for (const socket of sockets) socket.destroy();
  expect(performance.now() - stopped).toBeLessThan(13_000);
});

test('a wrong setting, or a busy port, gives one sentence that names it', async () => {
  const wrong = await (await start({ LOG_LEVEL: 'loud' })).exit;
  expect(wrong.code).toBe(78);
  expect(wrong.stderr).toMatch(/^LOG_LEVEL is "loud", but must be .*\n$/);
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const busy = await (await start({ RINGFENCE_PORT_API: String(port) })).exit;
  other.close();
  expect(busy.code).toBe(1);
  expect(busy.stderr).toBe(
    `Another program uses port ${port}. Stop that program, or set RINGFENCE_PORT_API to a different port.\n`,
  );
});
