import { readFileSync } from 'node:fs';

/** Limits a process's processor time for one document. Measured from outside, so the process cannot influence it. */
export interface CpuBill {
  /** Resolves once the limit is exceeded. */
  readonly exceeded: Promise<undefined>;
  /** Starts counting: earlier use belongs to other documents. */
  begin(): void;
  raise(mostMs: number): void;
  close(): void;
}

const LOOK_MS = 50;

/** Opens the bill of one document. @param mostMs milliseconds of processor time, over all its threads. */
export function openCpuBill(pid: number, mostMs: number): CpuBill {
  const { promise: exceeded, resolve } = Promise.withResolvers<undefined>();
  let most = mostMs;
  let before: number | undefined;
  const look = () => {
    if (before !== undefined && cpuMsOf(pid) - before > most) resolve(undefined);
  };
  const timer = setInterval(look, LOOK_MS);
  return {
    exceeded,
    begin: () => (before = cpuMsOf(pid)),
    raise: (newMostMs) => (most = newMostMs),
    close: () => clearInterval(timer),
  };
}

/** Linux counts in hundredths of a second on every machine. */
const TICK_MS = 10;

/**
 * A process's processor time so far, user and system, over all its threads. On other systems than Linux, elapsed time
 * stands in.
 */
function cpuMsOf(pid: number): number {
  if (process.platform !== 'linux') return performance.now();
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in brackets, may contain any characters.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    // The process has ended, which is reported elsewhere.
    return 0;
  }
}
