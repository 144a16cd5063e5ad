import { spawn, type ChildProcess } from 'node:child_process';

export interface Guarded {
  stopSignal: 'SIGTERM' | 'SIGINT';
  stopWithinMs: number;
}

export interface Guardian {
  readonly pid: number | undefined;
  add(pid: number, child: Guarded): void;
  drop(pid: number): void;
  /** Ends the watchdog shell without stopping the children. */
  dismiss(): void;
}

/**
 * A shell needs 1 MB of memory, far less than Node. If the supervising process dies, its pipe to the shell closes, and
 * the shell stops the children.
 */
const SCRIPT = `
trap '' INT TERM HUP
alive() {
  kill -0 "$1" 2>/dev/null || return 1
  if [ -r "/proc/$1/stat" ]; then
    case $(cat "/proc/$1/stat" 2>/dev/null) in *') Z '*) return 1 ;; esac
  fi
}
children=
while read -r verb pid signal tenths; do
  case $verb in
    add) children="$pid:$signal:$tenths $children" ;;
    drop)
      kept=
      for child in $children; do [ "\${child%%:*}" = "$pid" ] || kept="$kept $child"; done
      children=$kept ;;
    done) exit 0 ;;
  esac
done
for child in $children; do
  pid=\${child%%:*}; rest=\${child#*:}; signal=\${rest%%:*}; tenths=\${rest#*:}
  kill -s "$signal" "$pid" 2>/dev/null
  while alive "$pid" && [ "$tenths" -gt 0 ]; do sleep 0.1; tenths=$((tenths - 1)); done
  kill -s KILL -- "-$pid" 2>/dev/null
done
`;

export function startGuardian(): Guardian {
  const children = new Map<number, Guarded>();
  let shell: ChildProcess | undefined;
  let dismissed = false;

  const send = (line: string) => shell?.stdin?.write(`${line}\n`);
  const sendAdd = (pid: number, { stopSignal, stopWithinMs }: Guarded) =>
    send(`add ${pid} ${stopSignal.slice('SIG'.length)} ${Math.ceil(stopWithinMs / 100)}`);
  const start = () => {
    const started = spawn('/bin/sh', ['-c', SCRIPT], { cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    shell = started;
    started.unref();
    // The `exit` event also reports a broken pipe.
    started.stdin?.on('error', () => {});
    if (started.stdin !== null && 'unref' in started.stdin) (started.stdin as unknown as { unref(): void }).unref();
    started.once('error', () => {});
    started.once('exit', () => {
      if (!dismissed) start();
    });
    for (const [pid, child] of children) sendAdd(pid, child);
  };
  start();

  return {
    get pid() {
      return shell?.pid;
    },
    add(pid, child) {
      children.set(pid, child);
      sendAdd(pid, child);
    },
    drop(pid) {
      children.delete(pid);
      send(`drop ${pid}`);
    },
    dismiss() {
      dismissed = true;
      send('done');
      shell?.stdin?.end();
    },
  };
}
