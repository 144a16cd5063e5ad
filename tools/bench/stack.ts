import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { COMPILE_CACHE } from '../../infra/process/compile-cache.ts';
import { readConfig, type Config } from '../../infra/config/index.ts';
import { API_MALLOC, API_OPTIONS } from '../../infra/process/node-options.ts';
import { createKeyFile } from '../../infra/keys/key-file.ts';
import { createCheckpointKey } from '../../infra/witness/checkpoint-key.ts';
import { ensurePki } from '../../infra/keys/pki.ts';
import { postgresServiceUrl, postgresSpec, postgresUrl } from '../../programs/local/postgres.ts';
import { prepareDatabase } from '../../programs/admin/prepare-database.ts';
import { createSupervisor, type ChildSpec, type Running } from '../../programs/local/processes.ts';
import { temporalCli } from '../../programs/local/temporal-cli.ts';
import { temporalSpec } from '../../programs/local/temporal-server.ts';
import type { Environment } from '../../infra/config/settings.ts';
import { freePorts } from '../../test/helpers/ports.ts';
import type { MemoryLimit } from './memory-limit.ts';
import { administer } from '../../test/helpers/postgres.ts';
import { banksFileFor, newPassword, OWN_AUTHORITY, PRODUCTION, withPassword } from '../../test/helpers/production.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const PROGRAMS = {
  api: join(ROOT, 'programs/api.ts'),
  worker: join(ROOT, 'programs/worker.ts'),
  bank: join(ROOT, 'programs/sandbox-bank/main.ts'),
  bareServer: join(import.meta.dirname, 'bare-server.ts'),
  bareWorker: join(import.meta.dirname, 'bare-worker.ts'),
};

const TICKS_PER_SECOND = 100;

type Program = keyof typeof PROGRAMS;

export interface BenchStack {
  config: Config;
  /** Without the variables for migrations. */
  env: Environment;
  parts: ReadonlyMap<string, Running>;
  start(program: Program, env?: Record<string, string>, memory?: MemoryLimit): Promise<Running>;
  stop(): Promise<void>;
}

export interface StackOptions {
  temporal: boolean;
  /** Production by default, as in real deployments. A sandbox also checks each response against the contract. */
  environment?: Config['environment'];
  profileDir?: string | undefined;
  /** In addition to the settings of `npm start`. */
  postgres?: Readonly<Record<string, string>>;
}

export async function withStack<T>(options: StackOptions, work: (stack: BenchStack) => Promise<T>): Promise<T> {
  const stack = await startStack(options);
  try {
    return await work(stack);
  } finally {
    await stack.stop();
  }
}

/** If `profileDir` is set, each Node process writes a CPU profile there when it stops. */
async function startStack(options: StackOptions): Promise<BenchStack> {
  const dir = await mkdtemp(join(tmpdir(), 'ringfence-bench-'));
  // PostgreSQL might run as a different user, who must be able to open the folder.
  await chmod(dir, 0o711);
  const supervisor = createSupervisor({ log: () => undefined, restart: false });
  const parts = new Map<string, Running>();
  const run = async (name: string, spec: ChildSpec) => {
    const running = await supervisor.start(spec);
    parts.set(name, running);
    return running;
  };
  const stop = async () => {
    await supervisor.stop();
    if (options.profileDir !== undefined)
      await cp(join(dir, 'logs'), join(options.profileDir, 'logs'), { recursive: true });
    await rm(dir, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void stop().then(() => process.exit(130)));
  try {
    const environment = options.environment ?? 'production';
    await ensurePki(join(dir, 'pki'), environment === 'production' ? { authority: OWN_AUTHORITY } : {});
    await createCheckpointKey(join(dir, 'keys', 'checkpoint.key'));
    const given = await settings(dir, environment);
    const config = readConfig(given);
    const { DATABASE_MIGRATION_URL: _, ...env } = given;
    const { postgresPort, temporalPort: port, temporalUiPort: uiPort } = config.stack;
    await Promise.all([
      createKeyFile(config.keys.masterKeyFile),
      run(
        'PostgreSQL',
        postgresSpec({ dir: join(dir, 'postgres'), port: postgresPort, settings: options.postgres ?? {} }),
      ),
      options.temporal &&
        run(
          'Temporal',
          temporalSpec(await temporalCli(), {
            databaseFile: join(dir, 'temporal', 'temporal.db'),
            port,
            uiPort,
            namespace: config.temporal.namespace,
            logLevel: 'warn',
          }),
        ),
    ]);
    const { url } = config.database;
    const { password } = new URL(url);
    if (url !== postgresServiceUrl(postgresPort)) {
      await administer(postgresServiceUrl(postgresPort), `alter role ringfence_service password '${password}'`);
      await administer(postgresUrl(postgresPort), `alter role ringfence password '${password}'`);
    }
    await prepareDatabase(config, config.environment);
    const start: BenchStack['start'] = (program, more = {}, memory) => {
      const spec = nodeSpec(config, program, { ...env, ...more }, options.profileDir);
      return run(program, { ...spec, ...memory?.wrap(spec.command, spec.args) });
    };
    return { config, env, parts, start, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function settings(dir: string, environment: Config['environment']): Promise<Environment> {
  const [api, postgres, temporal, temporalUi, bank] = (await freePorts(5)).map(String) as [string, ...string[]];
  const ports = {
    RINGFENCE_PORT_API: api,
    RINGFENCE_PORT_POSTGRES: postgres,
    RINGFENCE_PORT_TEMPORAL: temporal,
    RINGFENCE_PORT_TEMPORAL_UI: temporalUi,
  };
  const { WORKER_PAYMENT_ACTIVITIES, WORKER_PAYMENT_WORKFLOW_TASKS, DATABASE_POOL_SIZE, DATABASE_GROUP_COMMIT } =
    process.env;
  const tuned = { WORKER_PAYMENT_ACTIVITIES, WORKER_PAYMENT_WORKFLOW_TASKS, DATABASE_POOL_SIZE, DATABASE_GROUP_COMMIT };
  const checkpoints = join(dir, 'checkpoints');
  await mkdir(checkpoints, { recursive: true });
  const own = { RINGFENCE_ENV: environment, RINGFENCE_DATA: dir, CHECKPOINTS: checkpoints };
  const password = newPassword();
  const production = {
    ...PRODUCTION,
    ...banksFileFor(dir, { pki: join(dir, 'pki'), url: `https://localhost:${bank}` }),
    DATABASE_URL: withPassword(postgresServiceUrl(Number(postgres)), password),
    DATABASE_MIGRATION_URL: withPassword(postgresUrl(Number(postgres)), password),
  };
  const kind = environment === 'production' ? production : { RINGFENCE_PORT_BANK: bank };
  const limits = {
    LIMIT_KEY_PER_MINUTE: '1000000',
    LIMIT_PERSON_PER_MINUTE: '1000000',
    LIMIT_OWNER_REVISIONS_PER_DAY: '1000000',
    LIMIT_OWNER_CHECKS_PER_DAY: '1000000',
    LIMIT_OWNER_CREDENTIALS_PER_DAY: '1000000',
    LIMIT_OWNER_PAYEES_PER_DAY: '1000000',
    LIMIT_TOKENS_PER_MINUTE: '1000000',
    LIMIT_APP_DOCUMENTS_PER_DAY: '1000000',
  };
  return { ...tuned, ...limits, ...ports, ...kind, ...own };
}

// The bench uses the sandbox bank for its production stack too.
function bankEnvironment({ bank }: Config): Record<string, string> {
  const { issuer } = bank.entries.find((entry) => entry.api === 'obie-4.0')!;
  return { RINGFENCE_ENV: 'sandbox', RINGFENCE_PORT_BANK: new URL(issuer).port };
}

function nodeSpec(config: Config, program: Program, env: Environment, profileDir?: string): ChildSpec {
  const profile =
    profileDir === undefined
      ? []
      : ['--cpu-prof', '--cpu-prof-dir', profileDir, '--cpu-prof-name', `${program}-${Date.now()}.cpuprofile`];
  return {
    name: program,
    command: process.execPath,
    args: [...(program === 'api' ? API_OPTIONS : []), ...profile, PROGRAMS[program]],
    env: {
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      ...(program === 'api' && API_MALLOC),
      ...process.env,
      ...env,
      ...(program === 'bank' && bankEnvironment(config)),
    },
    logFile: join(config.dataDir, 'logs', `${program}.log`),
    readyWithinMs: 60_000,
    stopSignal: 'SIGTERM',
    stopWithinMs: 20_000,
  };
}

export function residentMb({ pid }: Running): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
}

/** In MB; 0 without children. */
export function largestChildMb({ pid }: Running): number {
  const processes = execFileSync('ps', ['-A', '-o', 'ppid=,rss='], { encoding: 'utf8' }).trim().split('\n');
  const children = processes.map((line) => line.trim().split(/\s+/).map(Number)).filter(([parent]) => parent === pid);
  return Math.max(0, ...children.map(([, kilobytes]) => kilobytes! / 1024));
}

/** In seconds, including children, even those that ended. Undefined if the system does not report the time. */
export function cpuSeconds(parts: ReadonlyMap<string, Running>): Map<string, number> | undefined {
  if (process.platform !== 'linux') return undefined;
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(ticksOf);
  const secondsOf = ({ pid }: Running) => {
    const own = processes.filter((one) => one.pid === pid || one.parent === pid);
    return own.reduce((sum, { ticks, endedTicks }) => sum + ticks + endedTicks, 0) / TICKS_PER_SECOND;
  };
  return new Map([...parts].map(([name, running]) => [name, secondsOf(running)]));
}

/** In milliseconds, by part, since `before`. */
export function cpuMsSince(
  parts: ReadonlyMap<string, Running>,
  before: ReturnType<typeof cpuSeconds>,
): ReadonlyMap<string, number> {
  const spent = [...(cpuSeconds(parts) ?? [])].map(([part, after]) => {
    return [part, (after - (before?.get(part) ?? 0)) * 1_000] as const;
  });
  return new Map(spent);
}

/** proc(5), /proc/pid/stat. */
function ticksOf(name: string): { pid: number; parent: number; ticks: number; endedTicks: number }[] {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return [
      {
        pid: Number(name),
        parent: fields[1]!,
        ticks: fields[11]! + fields[12]!,
        endedTicks: fields[13]! + fields[14]!,
      },
    ];
  } catch {
    return [];
  }
}
