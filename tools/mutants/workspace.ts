import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { plant, type Fault } from './fault.ts';

const project = resolve(import.meta.dirname, '..', '..');

export interface Outcome {
  failed: string[];
  /** Set if jest could not run the tests. */
  broken?: string;
}

/** A copy of the working tree, so that a planted fault never reaches the tree itself. */
export interface Workspace {
  /** Tests that do not end within `limitMs` count as failed. */
  test(files: readonly string[], limitMs?: number): Promise<Outcome>;
  withFault<Result>(fault: Fault, work: () => Promise<Result>): Promise<Result>;
  remove(): void;
}

export function openWorkspace(): Workspace {
  const dir = mkdtempSync(join(tmpdir(), 'ringfence-mutants-'));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: project,
  });
  for (const file of listed.toString().split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(dir, file)), { recursive: true });
    cpSync(join(project, file), join(dir, file));
  }
  symlinkSync(join(project, 'node_modules'), join(dir, 'node_modules'));
  return {
    test: (files, limitMs) => runJest(dir, files, limitMs),
    async withFault(fault, work) {
      const file = join(dir, fault.file);
      const source = readFileSync(file, 'utf8');
      writeFileSync(file, plant(fault, source));
      try {
        return await work();
      } finally {
        writeFileSync(file, source);
      }
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

async function runJest(dir: string, files: readonly string[], limitMs?: number): Promise<Outcome> {
  const report = join(dir, 'report.json');
  rmSync(report, { force: true });
  const options = ['--silent', '--maxWorkers=1', '--reporters=./tools/mutants/reporter.js'];
  const jest = ['node_modules/jest/bin/jest.js', ...options];
  const child = spawn(process.execPath, [...jest, '--runTestsByPath', ...files.map((file) => `${file}.test.ts`)], {
    cwd: dir,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: limitMs,
  });
  let errors = '';
  child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
  const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  if (signal === 'SIGTERM') return { failed: ['the tests did not end'] };
  try {
    return JSON.parse(readFileSync(report, 'utf8')) as Outcome;
  } catch {
    return { failed: [], broken: errors.slice(-2_000) };
  }
}
