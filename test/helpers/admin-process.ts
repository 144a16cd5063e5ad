import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const PROGRAM = resolve(import.meta.dirname, '..', '..', 'infra', 'admin', 'main.ts');
const ENDS_WITHIN_MS = 10_000;
/** A command without any output for this long is killed. */
const SPEAKS_WITHIN_MS = 60_000;

/** A process's output. Its exit code is null if it was killed because it did not end. */
export interface Ended {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs an operators' command in a process of its own, with this on its standard input. Kills it 10 seconds after its
 * last output.
 */
export async function adminProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input = '',
): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env: { ...process.env, ...env } });
  // Most commands end without reading it.
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
  return { exitCode, ...said };
}
