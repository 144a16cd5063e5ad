import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import type { FaultStack } from '../helpers/faults.ts';
import { until } from '../helpers/until.ts';

/* Serves the example page of a running stack. */

const ROOT = resolve(import.meta.dirname, '../..');

export interface Served {
  output(): string;
  end(): Promise<void>;
}

/** Runs a program until `origin` responds. Throws with the program's output if it ends first. */
async function serve(origin: string, env: NodeJS.ProcessEnv, ...args: string[]): Promise<Served> {
  const child = spawn(process.execPath, args, { cwd: ROOT, env: { ...process.env, NODE_OPTIONS: '', ...env } });
  const ended = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const isServed = async () =>
    child.exitCode !== null ||
    (await fetch(origin).then(
      ({ ok }) => ok,
      () => false,
    ));
  await until(isServed, 'the page');
  if (child.exitCode !== null) throw new Error(`${args[0]} ended with ${child.exitCode}: ${output}`);
  return {
    output: () => output,
    async end() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** As `npm run example` does. */
export function serveExample(stack: FaultStack, origin: string): Promise<Served> {
  return serve(origin, stack.env, 'programs/demo/example.ts', '--port', new URL(origin).port);
}

/** Builds the page into the folder, and serves what was built. The origin must have had `serveExample` before. */
export async function serveBuilt(stack: FaultStack, origin: string, folder: string): Promise<Served> {
  const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
  const env = { ...process.env, ...parseEnv(readFileSync(join(stack.env.RINGFENCE_DATA!, 'example/.env'), 'utf8')) };
  const place = ['examples/web', '--outDir', join(folder, 'dist')];
  await promisify(execFile)(process.execPath, [vite, 'build', ...place, '--emptyOutDir'], { cwd: ROOT, env });
  return serve(origin, env, vite, 'preview', ...place, '--port', new URL(origin).port, '--strictPort');
}
