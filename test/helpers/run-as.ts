import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..', '..');

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface As {
  uid?: number;
  gid?: number;
  /** The file that is in the place of /etc/hosts. */
  hosts?: string;
}

/** Runs a program of this project with `PATH` and `env` alone. Other users, and another /etc/hosts, need root. */
export function runAs(program: readonly string[], env: Readonly<Record<string, string>>, { uid, gid, hosts }: As = {}) {
  const command = [process.execPath, ...program];
  const [file, ...args] =
    hosts === undefined
      ? command
      : ['unshare', '--mount', 'sh', '-c', 'mount --bind "$0" /etc/hosts && exec "$@"', hosts, ...command];
  const child = spawn(file!, args, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
  });
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].on('data', (chunk: Buffer) => (said[stream] += chunk.toString()));
  return {
    process: child,
    ended: new Promise<Ended>((done) => child.once('close', (code) => done({ code, ...said }))),
    output: () => said.stdout + said.stderr,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    stop: (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') => child.kill(signal),
  };
}
