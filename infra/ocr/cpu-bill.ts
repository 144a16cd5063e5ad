import { readFileSync } from 'node:fs';

/** What a process may use of the processor for one document; looked at from outside, whatever the process does. */
export interface CpuBill {
  /** Resolves once it has used more. */
  readonly exceeded: Promise<undefined>;
  /** What it used before belongs to others. */
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

/** Linux counts in hundredths of a second, whatever the machine. */
const TICK_MS = 10;

/** Processor time of a process so far, of the user and the system, of all its threads. Where only Linux tells, the clock stands in. */
function cpuMsOf(pid: number): number {
  if (process.platform !== 'linux') return performance.now();
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in brackets, may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    // It has ended, which is told otherwise.
    return 0;
  }
}
