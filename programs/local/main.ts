import '../../infra/process/environment.ts';
import { inspect } from 'node:util';
import { enableCompileCache } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { readConfig, type Config } from '../../infra/config/index.ts';
import { COMPILE_CACHE } from '../../infra/process/compile-cache.ts';
import { API_MALLOC, API_OPTIONS } from '../../infra/process/node-options.ts';
import { outliveOutput } from '../../infra/process/output.ts';
import { sentenceOf } from '../../infra/process/foreseen.ts';
import { checkpointsOf, ownParts, type OwnParts } from './own-parts.ts';
import { ensurePki } from '../../infra/keys/pki.ts';
import { createCheckpointKey } from '../../infra/witness/checkpoint-key.ts';
import { prepareCheckpoints } from './checkpoints.ts';
import { requireDataFolder } from './data-folder.ts';
import { agreesToMove, EarlierStateError, hasDatabase, moveAside, requireThisState } from './earlier-state.ts';
import { requireExternalParts } from './external-parts.ts';
import { assertPortsFree, requireLocalhost } from './ports.ts';
import { postgresSpec } from './postgres.ts';
import { listenForPauses } from './pause.ts';
import { createSupervisor, type Supervisor } from './processes.ts';
import { exitCodeOf } from '../../infra/config/settings.ts';
import { forgetStack, noteStack } from './stack-file.ts';
import { acquireStackLock } from './stack-lock.ts';
import { secondsSinceStart } from './start-time.ts';
import { temporalCli } from './temporal-cli.ts';
import { temporalSpec } from './temporal-server.ts';

/** Tests can replace these programs. */
export interface Programs {
  bank: string;
  worker: string;
  api: string;
  migrate(config: Config): Promise<void>;
  /** Records the stack's id in the database, and returns the id. */
  claim(config: Config): Promise<string>;
}

export interface LocalStackOptions {
  log: (line: string) => void;
  signal?: AbortSignal;
  programs?: Partial<Programs>;
  /** For messages. Default: `npm start`. */
  command?: string;
}

export interface LocalStack {
  stop(): Promise<void>;
  /** Rejects if the parts do not start again after a backup. The stack is then stopped. */
  lost: Promise<never>;
}

interface Starting {
  config: Config;
  own: OwnParts;
  /** The folder `CHECKPOINTS` of the programs. */
  checkpoints: string | undefined;
  programs: Programs;
  supervisor: Supervisor;
  say: (part: string, what: string) => void;
  log: (line: string) => void;
  command?: string | undefined;
}

const PROGRAMS: Programs = {
  bank: resolve(import.meta.dirname, '../sandbox-bank/main.ts'),
  worker: resolve(import.meta.dirname, '../worker.ts'),
  api: resolve(import.meta.dirname, '../api.ts'),
  migrate: async (config) => {
    await (await import('../admin/prepare-database.ts')).prepareDatabase(config, config.environment);
  },
  claim: async (config) => (await import('../admin/right-stack.ts')).claimDatabase(config),
};

/** @param config must come from this process's environment, because child processes read the same environment. */
export async function startLocalStack(config: Config, options: LocalStackOptions): Promise<LocalStack> {
  const own = ownParts(config);
  requireDataFolder(config.dataDir);
  await requireLocalhost();
  const lock = await acquireStackLock(config.dataDir, options.log);
  let supervisor: Supervisor | undefined;
  const start = async () => {
    await assertPortsFree(config, own, options.command);
    await requireExternalParts(config, own);
    supervisor = createSupervisor({ log: options.log, restart: true, onChange: lock.record });
    const say = (part: string, what: string) => options.log(`${part.padEnd(12)} ${what}`);
    const checkpoints = checkpointsOf(config, own);
    const programs = { ...PROGRAMS, ...options.programs };
    await Promise.race([
      startParts({ ...options, config, own, checkpoints, supervisor, say, programs }),
      aborted(options.signal),
    ]);
  };
  const stopParts = async () => {
    forgetStack(config.dataDir);
    await supervisor?.stop();
  };
  let stopped = false;
  const lost = Promise.withResolvers<never>();
  // The caller may ignore this promise.
  lost.promise.catch(() => {});
  const deafen = listenForPauses(config.dataDir, async (over) => {
    await stopParts();
    await over();
    if (!stopped) await start().catch((error: unknown) => stop().then(() => lost.reject(error)));
  });
  const stop = async () => {
    stopped = true;
    deafen();
    await stopParts();
    lock.release();
  };
  try {
    await start();
    return { stop, lost: lost.promise };
  } catch (error) {
    await stop();
    throw error;
  }
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted === true) reject(signal.reason as Error);
    signal?.addEventListener('abort', () => reject(signal.reason as Error));
  });
}

async function startParts(stack: Starting): Promise<void> {
  const { config, own } = stack;
  const isKept = own.postgres && hasDatabase(config.dataDir);
  const postgres = startPostgres(stack);
  if (isKept) {
    // The other parts write into the folder, so they start only after this check.
    await postgres;
    await requireThisState(config, stack.command);
  }
  await Promise.all([postgres.then(() => prepareSchema(stack)), startTemporalServer(stack), startBank(stack)]);
  await Promise.all([
    startProgram(stack, 'worker', 'The worker').then(() => stack.say('Worker', 'polling')),
    startProgram(stack, 'api', 'The API').then(() => stack.say('API', stack.config.api.publicUrl)),
  ]);
}

async function startPostgres({ config, own, supervisor, say }: Starting): Promise<void> {
  if (own.postgres) {
    const files = { dir: join(config.dataDir, 'postgres'), logFile: logFile(config, 'postgres') };
    await supervisor.start(postgresSpec({ ...files, port: config.stack.postgresPort }));
  }
  say('PostgreSQL', new URL(config.database.url).host);
}

async function prepareSchema({ config, own, checkpoints, programs, say, log }: Starting): Promise<void> {
  await programs.migrate(config);
  if (checkpoints !== undefined) await prepareCheckpoints(config, checkpoints, log);
  noteStack(config, own, own.postgres ? await programs.claim(config) : undefined);
  say('Schema', 'up to date');
}

async function startTemporalServer({ config, own, supervisor, say, log }: Starting): Promise<void> {
  const { address, namespace, uiUrl } = config.temporal;
  if (own.temporal) {
    const cli = await temporalCli(log);
    const options = {
      databaseFile: join(config.dataDir, 'temporal', 'temporal.db'),
      logFile: logFile(config, 'temporal'),
    };
    const { temporalPort: port, temporalUiPort: uiPort } = config.stack;
    await supervisor.start(temporalSpec(cli, { ...options, port, uiPort, namespace, logLevel: config.logLevel }));
  }
  say('Temporal', `${address}, Web UI ${uiUrl}`);
}

async function startBank(stack: Starting): Promise<void> {
  const { config, own, say } = stack;
  if (own.certificates) {
    const dir = join(config.dataDir, 'pki');
    await ensurePki(dir);
    await createCheckpointKey(config.witness.keyFile, { development: true });
    say('Certificates', relative(process.cwd(), dir) || dir);
  }
  if (!own.bank) return;
  await startProgram(stack, 'bank', 'The sandbox bank');
  say('Sandbox bank', config.bank.url);
}

async function startProgram(
  { config, own, checkpoints, programs, supervisor }: Starting,
  part: 'bank' | 'worker' | 'api',
  name: string,
): Promise<void> {
  // No law limits how often the sandbox bank is asked, and people who try the service ask often.
  const reads = own.bank ? { BANK_UNATTENDED_READS_PER_DAY: '1000' } : {};
  const malloc = part === 'api' ? API_MALLOC : {};
  const witnessed = checkpoints === undefined ? {} : { CHECKPOINTS: checkpoints };
  const defaults = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...malloc, ...reads, ...witnessed };
  const env: NodeJS.ProcessEnv = { ...defaults, ...process.env };
  // Only migrations may use the role that owns the schema.
  delete env.DATABASE_MIGRATION_URL;
  const child = { command: process.execPath, args: [...(part === 'api' ? API_OPTIONS : []), programs[part]], env };
  const within = { readyWithinMs: 60_000, stopWithinMs: part === 'bank' ? 10_000 : 30_000 };
  await supervisor.start({ name, ...child, ...within, logFile: logFile(config, part), stopSignal: 'SIGTERM' });
}

function logFile(config: Config, part: string): string {
  return join(config.dataDir, 'logs', `${part}.log`);
}

function summary(config: Config, seconds: string): string {
  const path = (file: string) => relative(process.cwd(), file) || file;
  const { publicUrl } = config.api;
  const body = '{"email": "ada@example.org", "password": "correct horse battery"}';
  const sandbox = config.environment === 'sandbox' ? [`  Movements   ${config.bank.url}/sandbox/movements`] : [];
  return [
    '',
    `Ringfence is ready after ${seconds} s; its state and logs are in ${path(config.dataDir)}. Press Ctrl-C to stop everything.`,
    `  API         ${publicUrl}`,
    `  Docs        ${publicUrl}/docs`,
    `  Web UI      ${config.temporal.uiUrl}`,
    ...sandbox,
    '',
    'A first command to try:',
    `  curl --cacert ${path(config.api.tls.ca)} ${publicUrl}/api/v1/auth/register -H 'Content-Type: application/json' -d '${body}'`,
  ].join('\n');
}

async function main(): Promise<void> {
  enableCompileCache(process.env.NODE_COMPILE_CACHE ?? COMPILE_CACHE);
  const log = (line: string) => process.stdout.write(`${line}\n`);
  const stopping = new AbortController();
  outliveOutput(() => stopping.abort());
  const stopRequested = new Promise<void>((resolveStop) =>
    stopping.signal.addEventListener('abort', () => resolveStop()),
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
  whenNpmDies(() => stopping.abort());
  try {
    const config = readConfig();
    const stack = await startOrOffer(config, log, stopping.signal);
    log(summary(config, secondsSinceStart()));
    await Promise.race([stopRequested, stack.lost]);
    log('\nStopping ...');
    await stack.stop();
    log('Stopped.');
    process.exit(0);
  } catch (error) {
    if (stopping.signal.aborted) process.exit(0);
    process.stderr.write(`${sentenceOf(error) ?? inspect(error)}\n`);
    process.exit(exitCodeOf(error));
  }
}

async function startOrOffer(config: Config, log: (line: string) => void, signal: AbortSignal): Promise<LocalStack> {
  try {
    return await startLocalStack(config, { log, signal });
  } catch (error) {
    if (!(error instanceof EarlierStateError) || !(await agreesToMove(error, signal))) throw error;
    await moveAside(config.dataDir, error.aside, log);
    return startLocalStack(config, { log, signal });
  }
}

/** After `kill -9` npm forwards no signal, but this process gets a new parent process. */
function whenNpmDies(stop: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && stop(), 1_000).unref();
}

if (import.meta.main) await main();
