import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ReadOutcome } from '../../domain/legacy/reading.ts';
import type { ReaderConfig } from '../config/index.ts';
import { openCpuBill } from './cpu-bill.ts';
import { TOO_MUCH_MEMORY, type DocumentToRead, type Fault, type ProcessSettings } from './messages.ts';
import { replyIn } from './replies.ts';

/** `began` is false if the process died before the reading began. */
export type Attempt =
  | { kind: 'outcome'; outcome: ReadOutcome }
  | { kind: 'fault'; fault: Fault }
  | { kind: 'timed-out' }
  /** `soFar` is what had been found within the limit of processor time. */
  | { kind: 'too-costly'; soFar: ReadOutcome | undefined }
  | { kind: 'died'; began: boolean; tooMuchMemory: boolean };

export type ReaderProcess = ReturnType<typeof startReaderProcess>;

/** JavaScript's share of the memory limit. The rest is for images and neural networks. */
const HEAP_SHARE = 0.4;
/** After this share of the limit of processor time, the process begins no further page. */
const BUDGET_SHARE = 0.5;

export function startReaderProcess(config: ReaderConfig, program: URL) {
  const { memoryMb, timeoutMs, idleMs, textCpuMs, pictureCpuMs } = config;
  const budget = { textMs: textCpuMs * BUDGET_SHARE, picturesMs: pictureCpuMs * BUDGET_SHARE };
  const settings: ProcessSettings = { parentPid: process.pid, memoryMb, idleMs, budget };
  const child = fork(program, [JSON.stringify(settings)], {
    serialization: 'advanced',
    env: environment(),
    // The data folder may be the working directory.
    cwd: '/',
    execArgv: [...confined(program), `--max-old-space-size=${Math.floor(memoryMb * HEAP_SHARE)}`],
    // Discards all output, because libraries may print parts of a document.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // The child process ends with this process, so it must not keep this process alive.
  child.unref();
  child.channel?.unref();
  let alive = true;
  const gone = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once('exit', (_code, signal) => resolve(signal));
    child.once('error', () => resolve(null));
  }).finally(() => (alive = false));
  return {
    get pid() {
      return child.pid;
    },
    get isAlive() {
      return alive && child.connected;
    },
    /** If the signal aborts during the reading, kills the process. @throws the signal's reason. */
    async read({ bytes, hint, signal }: DocumentToRead): Promise<Attempt> {
      signal?.throwIfAborted();
      const stop = new AbortController();
      const timer = setTimeout(() => stop.abort('timed-out'), timeoutMs);
      const abort = () => stop.abort('aborted');
      signal?.addEventListener('abort', abort);
      child.ref();
      try {
        child.send({ bytes, hint }, () => {});
        const attempt = await outcomeOf(child, { gone, stop: stop.signal, config });
        if (attempt !== 'stopped' && attempt.kind !== 'too-costly') return attempt;
        child.kill('SIGKILL');
        await gone;
        signal?.throwIfAborted();
        return attempt === 'stopped' ? { kind: 'timed-out' } : attempt;
      } finally {
        child.unref();
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      }
    },
    /** Waits until the process is gone. */
    async end() {
      child.ref();
      if (alive) child.kill('SIGKILL');
      await gone;
    },
  };
}

async function outcomeOf(
  child: ChildProcess,
  { gone, stop, config }: { gone: Promise<NodeJS.Signals | null>; stop: AbortSignal; config: ReaderConfig },
): Promise<Attempt | 'stopped'> {
  let began = false;
  let soFar: ReadOutcome | undefined;
  const bill = openCpuBill(child.pid!, config.textCpuMs);
  const listening = new AbortController();
  const replied = new Promise<Attempt>((resolve) => {
    const listen = (received: unknown) => {
      const reply = replyIn(received);
      if ('began' in reply) {
        began = true;
        bill.begin();
      } else if ('pictures' in reply) bill.raise(config.pictureCpuMs);
      else if ('soFar' in reply) soFar = reply.soFar;
      else if ('outcome' in reply) resolve({ kind: 'outcome', outcome: reply.outcome });
      else resolve({ kind: 'fault', fault: reply.fault });
    };
    child.on('message', listen);
    listening.signal.addEventListener('abort', () => child.off('message', listen));
  });
  const died = gone.then((signal): Attempt => ({ kind: 'died', began, tooMuchMemory: signal === TOO_MUCH_MEMORY }));
  const tooCostly = bill.exceeded.then((): Attempt => ({ kind: 'too-costly', soFar }));
  const stopped = once(stop, 'abort', { signal: listening.signal }).then(
    () => 'stopped' as const,
    () => 'stopped' as const,
  );
  try {
    return await Promise.race([replied, died, tooCostly, stopped]);
  } finally {
    listening.abort();
    bill.close();
  }
}

/** Memory settings that only glibc reads: few heaps, and large pages. Large pages speed up the neural networks. */
const MEMORY = { MALLOC_ARENA_MAX: '2', GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' };

/** No secrets, and no paths of this machine but those of programs. Libraries that look for a home directory find none. */
function environment(): NodeJS.ProcessEnv {
  const kept = ['LD_LIBRARY_PATH', 'LANG', 'TZ', 'SystemRoot'];
  const given = Object.entries(process.env).filter(([name]) => kept.includes(name));
  return { ...Object.fromEntries(given), ...MEMORY, HOME: '/', UV_THREADPOOL_SIZE: '2' };
}

/**
 * Node's permission model: the program reads its own code, and starts no program. It does not hold native code, which
 * the libraries contain.
 */
function confined(program: URL): string[] {
  const root = join(import.meta.dirname, '../..');
  const read = ['package.json', 'node_modules', 'domain', 'infra/documents'].map((name) => join(root, name));
  const paths = [...read, fileURLToPath(program)];
  // The model checks the link and what it leads to, and `node_modules` may be a link.
  const allowed = new Set(paths.flatMap((path) => [path, realpathSync(path)]));
  return [
    ...['--permission', '--allow-addons', '--allow-worker'],
    ...[...allowed].map((path) => `--allow-fs-read=${path}`),
  ];
}
