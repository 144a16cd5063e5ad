import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGuardian, type Guardian } from './watchdog.ts';

/** A failure that the person at the terminal can mend: its message is one sentence that says how. */
export class StackError extends Error {
  override readonly name = 'StackError';
}

/** How to run one child process, how to know that it is ready, and how to stop it. */
export interface ChildSpec {
  /** The name in sentences: "the API". */
  name: string;
  command: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  user?: OsUser;
  /** Default: that of this process. */
  cwd?: string;
  /** Standard output and error go there, appended. */
  logFile: string;
  /** Asked again and again until it says yes; without it, the child is a Node process that sends `{ready: true}`. */
  isReady?: (pid: number) => boolean | Promise<boolean>;
  readyWithinMs: number;
  stopSignal: 'SIGTERM' | 'SIGINT';
  stopWithinMs: number;
  /** Runs before every start, also before one after a crash. */
  beforeStart?: () => Promise<void>;
}

export interface OsUser {
  uid: number;
  gid: number;
}

export interface Running {
  /** The process of now: another one after a restart, undefined while none runs. */
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

export interface Supervisor {
  /** Starts a child; settles when it is ready. @throws StackError when it stops or takes too long before that. */
  start(spec: ChildSpec): Promise<Running>;
  /** Stops all children, the last started first, and waits until they are gone. */
  stop(): Promise<void>;
}

/** What would be left behind if this process and the guardian were killed at once. */
export interface Leftovers {
  guardian: number | undefined;
  /** The first started first. */
  children: { pid: number; stopSignal: NodeJS.Signals }[];
}

export interface SupervisorOptions {
  log: (line: string) => void;
  /** Whether a child that stops by itself is started again. */
  restart: boolean;
  /** Called whenever the children's process ids change. */
  onChange?: (leftovers: Leftovers) => void;
}

interface Launched {
  process: ChildProcess;
  pid: number;
  exited: Promise<string>;
  /** Where in the log file this run begins. */
  logStart: number;
}

const LOG_BYTES_BEFORE_ROTATION = 10_000_000;
const FIRST_RESTART_DELAY_MS = 250;
const LONGEST_RESTART_DELAY_MS = 30_000;
const HEALTHY_AFTER_MS = 60_000;

/** Runs children so that none outlives this process, however it ends: the guardian sees to them after a `kill -9`. */
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
    const launched = launch(this.spec);
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

function launch(spec: ChildSpec): Launched {
  mkdirSync(dirname(spec.logFile), { recursive: true });
  rotate(spec.logFile);
  const log = openSync(spec.logFile, 'a', 0o600);
  const logStart = fstatSync(log).size;
  // Its own process group, so that Ctrl-C in the terminal reaches the supervisor alone, which stops all in order.
  const child = spawn(spec.command, spec.args, {
    env: spec.env ?? process.env,
    cwd: spec.cwd ?? process.cwd(),
    detached: true,
    ...spec.user,
    stdio: spec.isReady === undefined ? ['ignore', log, log, 'ipc'] : ['ignore', log, log],
  });
  closeSync(log);
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
  const timeout = sleep(spec.readyWithinMs, 'timeout' as const, { signal: given.signal }).catch(
    () => 'timeout' as const,
  );
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

/** Asks the process to stop, kills it and its group when it does not, and waits until it is gone. */
async function end({ process: child, pid, exited }: Launched, spec: ChildSpec): Promise<void> {
  child.kill(spec.stopSignal);
  const waiting = new AbortController();
  const grace = sleep(spec.stopWithinMs, undefined, { signal: waiting.signal }).catch(() => {});
  await Promise.race([exited, grace]);
  waiting.abort();
  killGroup(pid);
  await exited;
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // Nothing of the group is left.
  }
}

function rotate(file: string): void {
  if (existsSync(file) && statSync(file).size > LOG_BYTES_BEFORE_ROTATION) renameSync(file, `${file}.1`);
}

/** The line of a log that most likely says why its process stopped. */
async function reasonIn(file: string, from: number): Promise<string | undefined> {
  const text = await readFile(file).then(
    (bytes) => bytes.subarray(from).toString(),
    () => '',
  );
  const lines = text
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
    // Not a JSON line of the service's own log.
  }
  return line.trim();
}
