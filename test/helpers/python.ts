import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CACHE = resolve(import.meta.dirname, '..', '..', '.cache', 'python');
const PIP = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-compile', '--only-binary=:all:'];

/** Runs a Python program of this folder with a library from PyPI. @returns its output. */
export async function runPython(
  program: string,
  { library, version, args, input = '' }: { library: string; version: string; args: string[]; input?: string },
): Promise<string> {
  const env = await pythonWith({ library, version });
  const running = run('python3', [join(import.meta.dirname, program), ...args], { env });
  running.child.stdin!.end(input);
  return (await running).stdout;
}

/** Returns an environment in which Python finds a library from PyPI. */
export async function pythonWith({
  library,
  version,
}: {
  library: string;
  version: string;
}): Promise<NodeJS.ProcessEnv> {
  const folder = await installed(library, version);
  return { PATH: process.env.PATH, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' };
}

async function installed(library: string, version: string): Promise<string> {
  const folder = join(CACHE, `${library}-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  const fresh = await mkdtemp(join(CACHE, 'new-'));
  try {
    await run('python3', [...PIP, '--target', fresh, `${library}==${version}`]);
    await rename(fresh, folder).catch((error: unknown) => {
      // Another test file may have installed the library at the same time.
      if (!existsSync(folder)) throw error;
    });
    return folder;
  } catch (error) {
    throw new Error(`${library} ${version} could not be installed with pip, and these tests need it`, { cause: error });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}
