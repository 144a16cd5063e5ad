import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const PYHANKO = '0.38.0';
const CACHE = resolve(import.meta.dirname, '..', '..', '.cache', 'pyhanko');
const MOST_BYTES = 64 * 1024 * 1024;

/** What PyHanko says of a signature. */
export interface PyhankoFindings {
  signatures: number;
  bottom_line: boolean;
  intact: boolean;
  valid: boolean;
  trusted: boolean;
  coverage: string;
  ades: string;
  sub_filter: string;
  signed_at: string;
  attributes: string[];
  digest: string;
  certificates: number;
}

/**
 * What one of Poppler's programs prints, whatever its exit code.
 * @throws Error which says what to install, where the program is not there.
 */
export async function poppler(program: string, ...args: string[]): Promise<Buffer> {
  return new Promise((done, failed) => {
    execFile(program, args, { encoding: 'buffer', maxBuffer: MOST_BYTES }, (error, output) => {
      if (error !== null && 'code' in error && error.code === 'ENOENT')
        failed(new Error(`${program} is not installed; these tests need Poppler's programs (Debian: poppler-utils).`));
      else done(output);
    });
  });
}

/** Has PyHanko validate the first signature of each file, trusting one authority (PEM file). */
export async function pyhanko(authority: string, ...files: string[]): Promise<PyhankoFindings[]> {
  const library = await installed();
  const script = join(import.meta.dirname, 'pdf_signatures.py');
  const { stdout } = await run('python3', [script, authority, ...files], {
    env: { PATH: process.env.PATH, PYTHONPATH: library, PYTHONDONTWRITEBYTECODE: '1' },
  });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as PyhankoFindings);
}

/** The folder of the project's own copy, which is fetched once with pip. */
async function installed(): Promise<string> {
  const folder = join(CACHE, PYHANKO);
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  const fresh = await mkdtemp(join(CACHE, 'new-'));
  try {
    const options = [
      '--quiet',
      '--disable-pip-version-check',
      '--no-compile',
      '--only-binary=:all:',
      '--target',
      fresh,
    ];
    await run('python3', ['-m', 'pip', 'install', ...options, `pyhanko==${PYHANKO}`]);
    await rename(fresh, folder).catch((error: unknown) => {
      // Another test file may have been faster.
      if (!existsSync(folder)) throw error;
    });
    return folder;
  } catch (error) {
    throw new Error(`PyHanko ${PYHANKO} could not be fetched with pip, which these tests need`, { cause: error });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}
