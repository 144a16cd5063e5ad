import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..', '..');

/** The image's entry point uses the same names, but has no `stack` or `example`. */
const PROGRAMS = {
  api: 'programs/api.ts',
  worker: 'programs/worker.ts',
  reader: 'programs/readers.ts',
  migrate: 'programs/admin/migrate.ts',
  admin: 'programs/admin/main.ts',
  'sandbox-bank': 'programs/sandbox-bank/main.ts',
  stack: 'programs/local/main.ts',
  example: 'programs/demo/example.ts',
} as const;
export type Program = keyof typeof PROGRAMS;

export interface Started {
  process: ChildProcess;
  /** Resolves when the program is ready. Rejects with the program's output if the program exits first. */
  ready: Promise<void>;
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
  stop(): Promise<number | null>;
}

/** From this process's environment, the program gets only `PATH` and `NODE_COMPILE_CACHE`. */
export function startProgram(
  program: Program,
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[] = [],
): Started {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [join(ROOT, PROGRAMS[program]), ...args], {
    cwd: ROOT,
    env: { PATH, NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const printed = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]!.on('data', (chunk: Buffer) => (printed[stream] += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...printed }));
  const ready = Promise.race([
    once(child, 'message').then(() => undefined),
    ended.then((how) => Promise.reject(new Error(`${program} ended: ${JSON.stringify(how)}`))),
  ]);
  // The caller might not wait for `ready`. This avoids an unhandled rejection.
  ready.catch(() => undefined);
  return {
    process: child,
    ready,
    ended,
    async stop() {
      child.kill('SIGTERM');
      return (await ended).code;
    },
  };
}
