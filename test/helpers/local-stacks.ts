import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePorts } from './ports.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const NAMES = ['API', 'POSTGRES', 'TEMPORAL', 'TEMPORAL_UI', 'BANK'].map((name) => `RINGFENCE_PORT_${name}`);

/** Makes a folder that PostgreSQL, which never runs as root, can open. */
export function stackFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `ringfence-${name}-`));
  chmodSync(folder, 0o755);
  return folder;
}

/** The settings of a local stack that give its parts free ports. */
export async function freeStackPorts(): Promise<Record<string, string>> {
  const free = await freePorts(NAMES.length);
  return Object.fromEntries(NAMES.map((name, place) => [name, String(free[place])]));
}

const STUB = `
  import { createServer } from 'node:http';
  const part = /(api|bank)\\.mjs$/.exec(process.argv[1])?.[1].toUpperCase();
  const port = Number(process.env['RINGFENCE_PORT_' + part] ?? 0);
  const server = createServer((request, response) => response.end('ok')).listen(port, '127.0.0.1', () => process.send({ ready: true }));
  process.on('SIGTERM', () => server.close(() => process.exit(0)));
`;

/**
 * Writes stubs in place of the service's own programs, and a driver that runs them with real PostgreSQL and Temporal.
 * The driver prints `READY`. `database` has more parts for `startLocalStack`, as source code. @returns the driver.
 */
export function writeStubs(folder: string, database = ''): string {
  for (const name of ['bank', 'worker', 'api']) writeFileSync(join(folder, `${name}.mjs`), STUB);
  const driver = join(folder, 'driver.mjs');
  writeFileSync(
    driver,
    `
    import { startLocalStack } from ${JSON.stringify(join(ROOT, 'programs/local/main.ts'))};
    import { readConfig } from ${JSON.stringify(join(ROOT, 'infra/config/index.ts'))};
    const program = (name) => ${JSON.stringify(folder)} + '/' + name + '.mjs';
    const programs = { bank: program('bank'), worker: program('worker'), api: program('api'), ${database} };
    try {
      const stack = await startLocalStack(readConfig(), { log: console.log, programs });
      process.on('SIGTERM', () => stack.stop().then(() => process.exit(0)));
      console.log('READY');
    } catch (error) {
      console.error(error.name + ': ' + error.message);
      process.exit(1);
    }
  `,
  );
  return driver;
}
