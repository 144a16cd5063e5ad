import { spawn } from 'node:child_process';

export interface Guarded {
  stopSignal: 'SIGTERM' | 'SIGINT';
  stopWithinMs: number;
}

/** A shell needs 1 MB of memory, far less than Node. Its input ends when the supervising process dies. */
const SCRIPT = `
trap '' INT TERM HUP
read -r line
kill -s "$2" "$1"
tenths=$3
while kill -0 "$1" && [ "$tenths" -gt 0 ]; do sleep 0.1; tenths=$((tenths - 1)); done
kill -s KILL -- "-$1"
`;

/** Stops the child if this process is killed. The returned function ends the watch, and does not stop the child. */
export function guard(pid: number, { stopSignal, stopWithinMs }: Guarded): () => void {
  const args = [pid, stopSignal.slice('SIG'.length), Math.ceil(stopWithinMs / 100)].map(String);
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'sh', ...args], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // On systems without this shell, nothing watches the child.
  shell.once('error', () => {});
  shell.unref();
  (shell.stdin as unknown as { unref(): void }).unref();
  return () => shell.kill('SIGKILL');
}
