import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const ENTRY = readFileSync(join(ROOT, 'infra/deploy/entrypoint.sh'), 'utf8');
const WAITS = "setInterval(() => {}, 1_000); process.stdout.write('there')";
const OWN = "process.once('SIGTERM', () => process.exit(7));";

// As the image starts Node. @returns the exit code, or the signal that ended Node.
async function endOf(code: string): Promise<[exit: number | null, signal: NodeJS.Signals | null]> {
  const args = ['--import=./infra/deploy/starting.js', '--input-type=module', '--eval', code];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  return (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
}

describe('a program of the image', () => {
  test('stops by a signal handler while it starts, as process 1 of a container must', async () => {
    expect(await endOf(WAITS)).toEqual([143, null]);
  });

  test('shuts down cleanly after it has started', async () => {
    const started = "import { started } from './infra/process/starting.ts'; started();";
    expect(await endOf(`${started} ${OWN} ${WAITS}`)).toEqual([7, null]);
  });

  test('starts with this handler', () => {
    for (const command of ['api', 'worker', 'reader', 'migrate', 'admin'])
      expect(ENTRY).toMatch(new RegExp(`^ {2}${command}\\) exec node --import=./infra/deploy/starting.js `, 'm'));
  });
});

describe('the health check of the image', () => {
  const server = createServer((request, response) => response.writeHead(request.url === '/ready' ? 200 : 404).end());
  let dir: string;
  let port: number;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ringfence-health-'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterAll(async () => {
    server.close();
    await rm(dir, { recursive: true });
  });

  // The entry point runs the command as process 1.
  async function healthOf(command: string): Promise<number> {
    const [, words] = new RegExp(`^ {2}${command}\\) exec (.*) "\\$@"`, 'm').exec(ENTRY)!;
    const file = join(dir, command);
    await writeFile(file, words!.replaceAll(' ', '\0'));
    const env = { ...process.env, RINGFENCE_PORT_API: String(port), METRICS_PORT_WORKER: String(port) };
    const child = spawn(process.execPath, ['infra/deploy/health.js', file], { cwd: ROOT, env, stdio: 'ignore' });
    const [code] = (await once(child, 'exit')) as [number];
    return code;
  }

  test('queries the API and the worker themselves, with any Node options', async () => {
    expect(await healthOf('worker')).toBe(0);
    // The test's server has no TLS, so the API's health check fails.
    expect(await healthOf('api')).toBe(1);
    expect(await healthOf('migrate')).toBe(0);
  });
});
