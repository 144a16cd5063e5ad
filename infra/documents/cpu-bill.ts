import { readFileSync } from 'node:fs';

const LOOK_MS = 50;

/** Measured from outside, so that the process cannot influence the limit. */
export function openCpuBill(pid: number, mostMs: number) {
  const { promise: exceeded, resolve } = Promise.withResolvers<undefined>();
  let most = mostMs;
  let before: number | undefined;
  const look = () => {
    if (before !== undefined && cpuMsOf(pid) - before > most) resolve(undefined);
  };
  const timer = setInterval(look, LOOK_MS);
  return {
    exceeded,
    /** Starts counting. Earlier processor time belongs to other documents. */
    begin: () => (before = cpuMsOf(pid)),
    raise: (newMostMs: number) => (most = newMostMs),
    close: () => clearInterval(timer),
  };
}

/** Linux counts processor time in hundredths of a second on every machine. */
const TICK_MS = 10;

/** On systems other than Linux, the elapsed time. */
function cpuMsOf(pid: number): number {
  if (process.platform !== 'linux') return performance.now();
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The process's name, in brackets, may contain any characters. Fields are therefore read after the last bracket.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    // The process has ended. The caller learns this from the process's `exit` event.
    return 0;
  }
}
