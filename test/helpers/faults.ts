import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isRunning } from '../../infra/process/identity.ts';
import { freeStackPorts, stackFolder } from './local-stacks.ts';
import { until } from './until.ts';

/** Each text occurs in the command line of the part's process. */
const PARTS = {
  API: 'programs/api.ts',
  worker: 'programs/worker.ts',
  Temporal: 'server start-dev',
  PostgreSQL: 'postgres -D',
  'sandbox bank': 'sandbox-bank/main.ts',
} as const;
export type Part = keyof typeof PARTS;

/** The whole service as `npm start` runs it, with free ports and its own data directory. */
export interface FaultStack {
  readonly env: Readonly<Record<string, string>>;
  readonly url: string;
  readonly bankUrl: string;
  /** Resolves when the stack is ready. Can be called again after `killAll`. */
  start(): Promise<void>;
  /** Waits while the part restarts. */
  pid(part: Part): Promise<number>;
  /** Waits until the process ends. @returns its id. */
  kill(part: Part, signal?: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<number>;
  /** Kills a part, and prevents its restart until the returned function is called. */
  takeAway(part: Part): Promise<() => void>;
  /** Suspends a part, as if its machine hung, until the returned function is called. */
  freeze(part: Part): Promise<() => void>;
  /** Kills the stack with `kill -9`, except processes that `another` started. */
  killAll(): Promise<void>;
  /** Starts another process of a part that the stack already runs. */
  another(part: 'API' | 'worker', env?: Readonly<Record<string, string>>): Promise<ChildProcess>;
  output(): string;
  says(words: string, times?: number): Promise<void>;
  /** Stops the stack as Ctrl-C does. @returns the exit code. */
  end(): Promise<number | null>;
  stop(): Promise<void>;
}

/** Delays are long enough for faults to hit running work. */
const SHORTENED = {
  SANDBOX_BANK_INSTANT_MS: '300',
  SANDBOX_BANK_SLOW_MS: '3000',
  SANDBOX_BANK_RETURN_MS: '1500',
  BANK_TIMEOUT_MS: '1500',
  LOG_LEVEL: 'info',
  // Stacks run at the same time, so each chooses free ports for its metrics.
  METRICS_PORT_API: '0',
  METRICS_PORT_WORKER: '0',
  LIMIT_CREDENTIALS_PER_MINUTE: '100000',
  LIMIT_TOKENS_PER_MINUTE: '100000',
  LIMIT_KEY_PER_MINUTE: '1000000',
  LIMIT_PERSON_PER_MINUTE: '1000000',
  LIMIT_OWNER_REVISIONS_PER_DAY: '1000000',
  LIMIT_OWNER_CHECKS_PER_DAY: '1000000',
  LIMIT_OWNER_CREDENTIALS_PER_DAY: '1000000',
  LIMIT_OWNER_PAYEES_PER_DAY: '1000000',
  LIMIT_OWNER_DOCUMENTS_PER_DAY: '1000000',
  LIMIT_APP_DOCUMENTS_PER_DAY: '1000000',
};
const ROOT = resolve(import.meta.dirname, '..', '..');

/** For programs that are not test files. The caller must stop the stack. */
export async function openStack(env: Readonly<Record<string, string>> = {}): Promise<FaultStack> {
  const stack = new Stack();
  await stack.prepare(env);
  await stack.start().catch(async (error: unknown) => {
    await stack.stop();
    throw error;
  });
  return stack;
}

/** Removes the stack's files afterwards, unless `RINGFENCE_KEEP_FAULTS` is set. */
export function startFaultStack(env: Readonly<Record<string, string>> = {}): FaultStack {
  const stack = new Stack();
  beforeAll(async () => {
    await stack.prepare(env);
    await stack.start();
  });
  afterAll(() => stack.stop());
  return stack;
}

interface Lock {
  children: { pid: number }[];
  guardian?: { pid: number };
}

class Stack implements FaultStack {
  env: Record<string, string> = {};
  #folder = '';
  #process: ChildProcess | undefined;
  #output = '';
  #others: ChildProcess[] = [];

  get url(): string {
    return `https://localhost:${this.env.RINGFENCE_PORT_API}`;
  }

  get bankUrl(): string {
    return `https://localhost:${this.env.RINGFENCE_PORT_BANK}`;
  }

  async prepare(env: Readonly<Record<string, string>>): Promise<void> {
    this.#folder = stackFolder('faults');
    this.env = { ...SHORTENED, RINGFENCE_DATA: join(this.#folder, 'data'), ...(await freeStackPorts()), ...env };
  }

  async start(): Promise<void> {
    this.#output = '';
    const child = spawn(process.execPath, [resolve(ROOT, 'programs/local/main.ts')], {
      env: { ...inherited(), ...this.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process = child;
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (this.#output += chunk.toString()));
    await this.says('Ringfence is ready');
  }

  async pid(part: Part): Promise<number> {
    let found: number | undefined;
    await until(() => (found = this.#find(part)) !== undefined, `a process of ${part}`);
    return found!;
  }

  async kill(part: Part, signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT' = 'SIGKILL'): Promise<number> {
    const pid = await this.pid(part);
    process.kill(pid, signal);
    await until(() => !isRunning(pid), `the end of ${part} by ${signal}`);
    return pid;
  }

  async takeAway(part: Part): Promise<() => void> {
    const pid = await this.pid(part);
    // The suspended supervisor cannot restart the part.
    this.#process!.kill('SIGSTOP');
    process.kill(pid, 'SIGKILL');
    await until(() => !isRunning(pid), `the end of ${part}`);
    return () => this.#process!.kill('SIGCONT');
  }

  async freeze(part: Part): Promise<() => void> {
    const pid = await this.pid(part);
    process.kill(pid, 'SIGSTOP');
    return () => process.kill(pid, 'SIGCONT');
  }

  async killAll(): Promise<void> {
    const { children, guardian } = this.#lock();
    const all = [
      this.#process!.pid!,
      ...(guardian === undefined ? [] : [guardian.pid]),
      ...children.map(({ pid }) => pid),
    ];
    for (const pid of all) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // The process had already exited.
      }
    }
    await until(() => !all.some(isRunning), 'the end of everything');
  }

  async another(part: 'API' | 'worker', env: Readonly<Record<string, string>> = {}): Promise<ChildProcess> {
    const log = openSync(join(this.env.RINGFENCE_DATA!, 'logs', `another-${part}.log`), 'a');
    const child = spawn(process.execPath, [resolve(ROOT, PARTS[part])], {
      env: { ...inherited(), ...this.env, ...env },
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    this.#others.push(child);
    await new Promise<void>((ready, fail) => {
      child.once('message', () => ready());
      child.once('exit', (code) => fail(new Error(`another ${part} ended with ${code}`)));
    });
    return child;
  }

  output(): string {
    return this.#output;
  }

  async says(words: string, times = 1): Promise<void> {
    const said = () => this.#output.split(words).length > times;
    await until(() => said() || this.#process?.exitCode !== null, words, 110_000).catch(() => undefined);
    if (!said()) throw new Error(`it did not say "${words}", but:\n${this.#output}`);
  }

  async end(): Promise<number | null> {
    const child = this.#process;
    if (child === undefined) return null;
    child.kill('SIGCONT');
    child.kill('SIGTERM');
    await until(() => child.exitCode !== null || child.signalCode !== null, 'the end of the stack');
    return child.exitCode;
  }

  async stop(): Promise<void> {
    for (const other of this.#others.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
      other.kill('SIGTERM');
      await until(() => other.exitCode !== null || other.signalCode !== null, 'the end of another process');
    }
    await this.end();
    if (process.env.RINGFENCE_KEEP_FAULTS === undefined) rmSync(this.#folder, { recursive: true, force: true });
  }

  #find(part: Part): number | undefined {
    return this.#lock()
      .children.map(({ pid }) => pid)
      .find((pid) => isRunning(pid) && commandOf(pid).includes(PARTS[part]));
  }

  #lock(): Lock {
    try {
      return JSON.parse(readFileSync(join(this.env.RINGFENCE_DATA!, 'stack.lock'), 'utf8')) as Lock;
    } catch {
      return { children: [] };
    }
  }
}

function inherited(): NodeJS.ProcessEnv {
  return { ...process.env, DATABASE_URL: '', DATABASE_MIGRATION_URL: '', TEMPORAL_ADDRESS: '', NODE_OPTIONS: '' };
}

function commandOf(pid: number): string {
  try {
    return execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}
