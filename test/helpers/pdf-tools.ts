import { execFile } from 'node:child_process';
import { runPython } from './python.ts';

const PYHANKO = '0.38.0';
const MOST_BYTES = 64 * 1024 * 1024;

interface PyhankoFindings {
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

/** Returns the output of a Poppler program, whatever the exit code. */
export async function poppler(program: string, ...args: string[]): Promise<Buffer> {
  return new Promise((done, failed) => {
    execFile(program, args, { encoding: 'buffer', maxBuffer: MOST_BYTES }, (error, output) => {
      if (error !== null && 'code' in error && error.code === 'ENOENT')
        failed(new Error(`${program} is not installed; these tests need Poppler's programs (Debian: poppler-utils).`));
      else done(output);
    });
  });
}

/** Validates the first signature of each file, trusting only `authority` (a PEM file). */
export async function pyhanko(authority: string, ...files: string[]): Promise<PyhankoFindings[]> {
  const args = [authority, ...files];
  const printed = await runPython('pdf_signatures.py', { library: 'pyhanko', version: PYHANKO, args });
  return printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as PyhankoFindings);
}
