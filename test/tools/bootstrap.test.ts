import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
/** Longer than the five seconds between two lines of progress. */
const INSTALLS_FOR_S = 6;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-bootstrap-'));
  mkdirSync(join(folder, 'tools'), { recursive: true });
  mkdirSync(join(folder, 'own-node'));
  copyFileSync(join(ROOT, 'tools/bootstrap.js'), join(folder, 'tools/bootstrap.js'));
  write('own-node/package.json', { name: 'node', version: '24.0.0', bin: { node: 'node.sh' } });
  writeFileSync(join(folder, 'own-node/node.sh'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`);
  chmodSync(join(folder, 'own-node/node.sh'), 0o755);
  writeFileSync(
    join(folder, 'start.js'),
    `const { secondsSinceStart } = await import('${join(ROOT, 'programs/local/start-time.ts')}');
    console.log(secondsSinceStart('${join(folder, '.cache/start-began')}'));`,
  );
  write('package.json', {
    name: 'small',
    version: '1.0.0',
    type: 'module',
    scripts: {
      install: `sleep ${INSTALLS_FOR_S}`,
      prestart: 'node tools/bootstrap.js',
      start: 'node start.js',
    },
    dependencies: { node: 'file:own-node' },
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(file: string, content: object): void {
  writeFileSync(join(folder, file), JSON.stringify(content));
}

async function npm(...args: string[]) {
  const settings = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_') && name !== 'NODE_OPTIONS');
  return run('npm', args, { cwd: folder, env: Object.fromEntries(settings) });
}

test('npm start shows progress while it installs, and counts that time until ready', async () => {
  await npm('install', '--package-lock-only', '--ignore-scripts');
  const first = await npm('--silent', 'start');
  expect(first.stderr).toMatch(/^Installing the dependencies [^]+\n {2}\d+ s: 2 of 2 packages\n/);
  expect(Number(first.stdout)).toBeGreaterThan(INSTALLS_FOR_S);
  const second = await npm('--silent', 'start');
  expect(second.stderr).toBe('');
  expect(Number(second.stdout)).toBeLessThan(INSTALLS_FOR_S);
});
