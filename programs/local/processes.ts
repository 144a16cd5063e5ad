import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Foreseen } from '../../infra/process/foreseen.ts';
import { startGuardian, type Guardian } from './watchdog.ts';

/** A part of the local stack cannot start. */
export class StackError extends Foreseen {
  override readonly name = 'StackError';
}

export interface ChildSpec {
  /** For messages, such as "The API". */
  name: string;
  command: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  user?: OsUser;
  cwd?: string;
  logFile: string;
  /** Polled until true. Without this function, the child must be a Node process that sends `{ready: true}`. */
  isReady?: (pid: number) => boolean | Promise<boolean>;
  readyWithinMs: number;
  stopSignal: 'SIGTERM' | 'SIGINT';
  stopWithinMs: number;
  /** Runs before every start, including restarts. */
  beforeStart?: () => Promise<void>;
}

export interface OsUser {
  uid: number;
  gid: number;
}

export interface Running {
  /** Changes after a restart. Undefined between two runs. */
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

export interface Supervisor {
  /** Waits until the child is ready. @throws StackError */
  start(spec: ChildSpec): Promise<Running>;
  /** Stops the children in reverse order of their start. */
  stop(): Promise<void>;
}

/** The next start stops these processes if they still run. `guardian` is the watchdog shell. */
export interface Leftovers {
  guardian: number | undefined;
  /** In order of their start. */
  children: { pid: number; stopSignal: NodeJS.Signals }[];
}

interface SupervisorOptions {
  log: (line: string) => void;
  restart: boolean;
  onChange?: (leftovers: Leftovers) => void;
}

interface Launched {
  process: ChildProcess;
  pid: number;
  exited: Promise<string>;
  /** The offset in the log file at which this run begins. */
  logStart: number;
}

const LOG_BYTES_BEFORE_ROTATION = 10_000_000;
const FIRST_RESTART_DELAY_MS = 250;
const LONGEST_RESTART_DELAY_MS = 30_000;
const HEALTHY_AFTER_MS = 60_000;

/** If this process is killed by `kill -9`, a shell stops the children (`watchdog.ts`). */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const guardian = startGuardian();
  const children: SupervisedChild[] = [];
  const onChange = () => {
    const running = children.flatMap(({ pid, spec }) =>
      pid === undefined ? [] : [{ pid, stopSignal: spec.stopSignal }],
    );
    options.onChange?.({ guardian: guardian.pid, children: running });
  };
  let stopped: Promise<void> | undefined;

  const stopAll = async () => {
    for (const child of children.toReversed()) await child.stop();
    guardian.dismiss();
  };
  return {
    async start(spec) {
      if (stopped !== undefined) throw new StackError(`${spec.name} was not started, because the stack is stopping.`);
      const child = new SupervisedChild(spec, guardian, { ...options, onChange });
      children.push(child);
      await child.start();
      return child;
    },
    stop: () => (stopped ??= stopAll()),
  };
}

class SupervisedChild implements Running {
  readonly spec: ChildSpec;
  readonly #guardian: Guardian;
  readonly #options: SupervisorOptions & { onChange: () => void };
  #launched: Launched | undefined;
  #stopping = new AbortController();
  #restarting: Promise<void> = Promise.resolve();
  #restartDelayMs = FIRST_RESTART_DELAY_MS;

  constructor(spec: ChildSpec, guardian: Guardian, options: SupervisorOptions & { onChange: () => void }) {
    this.spec = spec;
    this.#guardian = guardian;
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#launched?.pid;
  }

  async start(): Promise<void> {
    await this.spec.beforeStart?.();
    if (this.#stopping.signal.aborted)
      throw new StackError(`${this.spec.name} was not started, because the stack is stopping.`);
    const launched = launch(this.spec, this.#options.log);
    this.#launched = launched;
    this.#guardian.add(launched.pid, this.spec);
    this.#options.onChange();
    let ready = false;
    void launched.exited.then((how) => this.#exited(how, ready));
    try {
      await untilReady(this.spec, launched);
      ready = true;
    } catch (error) {
      await end(launched, this.spec);
      throw error;
    }
    const healthy = setTimeout(() => (this.#restartDelayMs = FIRST_RESTART_DELAY_MS), HEALTHY_AFTER_MS).unref();
    void launched.exited.then(() => clearTimeout(healthy));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    if (this.#launched !== undefined) await end(this.#launched, this.spec);
    await this.#restarting;
  }

  #exited(how: string, wasReady: boolean): void {
    if (this.#launched !== undefined) {
      killGroup(this.#launched.pid);
      this.#guardian.drop(this.#launched.pid);
    }
    this.#launched = undefined;
    this.#options.onChange();
    if (wasReady && this.#options.restart && !this.#stopping.signal.aborted) this.#restarting = this.#restart(how);
  }

  async #restart(how: string): Promise<void> {
    const { log } = this.#options;
    let reason = `${this.spec.name} stopped by itself (${how})`;
    while (!this.#stopping.signal.aborted) {
      log(`${reason}; starting it again in ${this.#restartDelayMs / 1000} s. Its log: ${this.spec.logFile}`);
      await sleep(this.#restartDelayMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
      if (this.#stopping.signal.aborted) return;
      this.#restartDelayMs = Math.min(this.#restartDelayMs * 2, LONGEST_RESTART_DELAY_MS);
      try {
        await this.start();
        log(`${this.spec.name} is running again.`);
        return;
      } catch (error) {
        reason =
          error instanceof StackError ? error.message.replace(/\.$/, '') : `${this.spec.name} failed: ${String(error)}`;
      }
    }
  }
}

function launch(spec: ChildSpec, say: (line: string) => void): Launched {
  const { log, logStart } = openLog(spec, say);
  // The child gets its own process group. Ctrl-C then reaches only the supervisor, which stops the children in order.
  const child = spawn(spec.command, spec.args, {
    env: spec.env ?? process.env,
    cwd: spec.cwd ?? process.cwd(),
    detached: true,
    ...spec.user,
    stdio: spec.isReady === undefined ? ['ignore', log, log, 'ipc'] : ['ignore', log, log],
  });
  if (log !== 'ignore') closeSync(log);
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  if (child.pid === undefined)
    throw new StackError(`${spec.name} could not be started: ${spec.command} is missing or not executable.`);
  return { process: child, pid: child.pid, exited, logStart };
}

async function untilReady(spec: ChildSpec, launched: Launched): Promise<void> {
  const given = new AbortController();
  const timeout = sleep(spec.readyWithinMs, 'timeout' as const, { ref: false });
  const ready =
    spec.isReady === undefined ? readyMessage(launched.process) : polled(spec.isReady, launched.pid, given.signal);
  const outcome = await Promise.race([ready, launched.exited.then((how) => ({ how })), timeout]);
  given.abort();
  if (outcome === 'ready') return;
  const what =
    outcome === 'timeout'
      ? `was not ready within ${spec.readyWithinMs / 1000} s`
      : `stopped before it was ready (${outcome.how})`;
  const last = await reasonIn(spec.logFile, launched.logStart);
  throw new StackError(`${spec.name} ${what}${last === undefined ? '' : `: ${last}`} (its log: ${spec.logFile}).`);
}

function readyMessage(child: ChildProcess): Promise<'ready'> {
  return new Promise((resolve) => {
    child.on('message', (message) => {
      if (typeof message === 'object' && message !== null && 'ready' in message && message.ready === true)
        resolve('ready');
    });
  });
}

async function polled(isReady: NonNullable<ChildSpec['isReady']>, pid: number, signal: AbortSignal): Promise<'ready'> {
  while (!signal.aborted) {
    if (await isReady(pid)) return 'ready';
    await sleep(20);
  }
  return 'ready';
}

async function end({ process: child, pid, exited }: Launched, spec: ChildSpec): Promise<void> {
  child.kill(spec.stopSignal);
  await Promise.race([exited, sleep(spec.stopWithinMs, undefined, { ref: false })]);
  killGroup(pid);
  await exited;
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // All processes of the group have exited.
  }
}

/** A child runs even if its log file cannot be opened. */
function openLog(
  { name, logFile }: ChildSpec,
  say: (line: string) => void,
): { log: number | 'ignore'; logStart: number } {
  try {
    mkdirSync(dirname(logFile), { recursive: true });
    rotate(logFile);
    const log = openSync(logFile, 'a', 0o600);
    return { log, logStart: fstatSync(log).size };
  } catch (error) {
    say(`${name} runs without a log file until its next start: ${(error as Error).message}`);
    return { log: 'ignore', logStart: Infinity };
  }
}

/** If the file cannot be renamed, the child appends to it. */
function rotate(file: string): void {
  if (!existsSync(file) || statSync(file).size <= LOG_BYTES_BEFORE_ROTATION) return;
  try {
    renameSync(file, `${file}.1`);
  } catch {
    // The next start tries again.
  }
}

async function reasonIn(file: string, from: number): Promise<string | undefined> {
  const bytes = await readFile(file).catch(() => Buffer.alloc(0));
  const lines = bytes
    .subarray(from)
    .toString()
    .split('\n')
    .map(messageOf)
    .filter((line) => line !== '');
  const error = lines.findLast((line) => /^\w*Error: |FATAL: /.test(line)) ?? lines.at(-1);
  return error
    ?.replace(/^\w*Error: |^.*FATAL: +/, '')
    .replace(/\.$/, '')
    .slice(0, 300);
}

function messageOf(line: string): string {
  try {
    const { msg } = JSON.parse(line) as { msg?: unknown };
    if (typeof msg === 'string') return msg;
  } catch {
    // The line is not JSON.
  }
  return line.trim();
}
