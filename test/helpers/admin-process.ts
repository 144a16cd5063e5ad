import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Outcome } from '../../programs/admin/run.ts';

const PROGRAM = resolve(import.meta.dirname, '..', '..', 'programs', 'admin', 'main.ts');
const ENDS_WITHIN_MS = 10_000;
const SPEAKS_WITHIN_MS = 60_000;

/** Kills the command 10 seconds after its last output, or after 60 seconds without any. Then the exit code is -1. */
export async function adminProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input = '',
): Promise<Outcome> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env: { ...process.env, ...env } });
  // Most commands exit without reading their input, which causes write errors.
  child.stdin.on('error', () => undefined).end(input);
  let killAt = performance.now() + SPEAKS_WITHIN_MS;
  const watchdog = setInterval(() => performance.now() > killAt && child.kill('SIGKILL'), 100);
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      said[stream] += text;
      killAt = performance.now() + ENDS_WITHIN_MS;
    });
  const [exitCode] = (await once(child, 'close')) as [number | null];
  clearInterval(watchdog);
  return { exitCode: exitCode ?? -1, ...said };
}
