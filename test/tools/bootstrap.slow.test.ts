import { execFile } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
/** Longer than the five seconds between two lines of progress. */
const INSTALLS_FOR_S = 6;

/** A project with one package, `node`, which is a folder of the project, so that npm needs no network. */
const folder = mkdtempSync(join(tmpdir(), 'ringfence-bootstrap-'));
const inside = (path: string) => join(folder, path);
const write = (path: string, content: object) => writeFileSync(inside(path), JSON.stringify(content));

beforeAll(async () => {
  for (const path of ['tools', 'own-node']) mkdirSync(inside(path));
  copyFileSync(join(ROOT, 'tools/bootstrap.js'), inside('tools/bootstrap.js'));
  write('own-node/package.json', { name: 'node', version: '24.0.0', bin: { node: 'node.sh' } });
  writeFileSync(inside('own-node/node.sh'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`);
  chmodSync(inside('own-node/node.sh'), 0o755);
  writeFileSync(
    inside('start.js'),
    `const { secondsSinceStart } = await import('${join(ROOT, 'programs/local/start-time.ts')}');
    console.log(secondsSinceStart('${inside('.cache/start-began')}'));`,
  );
  writeProject();
  await runIn('npm', ['install', '--package-lock-only', '--ignore-scripts', '--offline']);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function writeProject(more: Readonly<Record<string, string>> = {}): void {
  const scripts = { prestart: 'node tools/bootstrap.js', start: 'node start.js', ...more };
  write('package.json', {
    name: 'small',
    version: '1.0.0',
    type: 'module',
    scripts,
    dependencies: { node: 'file:own-node' },
  });
}

async function runIn(program: string, args: string[], env: Readonly<Record<string, string>> = {}) {
  const ours = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_') && name !== 'NODE_OPTIONS');
  return run(program, args, { cwd: folder, env: { ...Object.fromEntries(ours), ...env } });
}

describe('a script installs the packages into this folder', () => {
  test.each([
    ['global', 'true'],
    ['location', 'global'],
    ['dry_run', 'true'],
    ['workspaces', 'true'],
    ['package_lock', 'false'],
    ['ignore_scripts', 'true'],
  ])("even if the user's setting %s of npm is %s", async (name, value) => {
    rmSync(inside('node_modules'), { recursive: true, force: true });
    await runIn('node', [inside('tools/bootstrap.js')], { [`npm_config_${name}`]: value, npm_config_offline: 'true' });
    expect(existsSync(inside('node_modules/.bin/node'))).toBe(true);
  });

  test("and runs its checks, even if the user's .npmrc forbids scripts", () => {
    expect(readFileSync(join(ROOT, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=false$/m);
  });
});

test('npm start shows progress while it installs, and counts that time until ready', async () => {
  rmSync(inside('node_modules'), { recursive: true, force: true });
  writeProject({ install: `sleep ${INSTALLS_FOR_S}` });
  await runIn('npm', ['install', '--package-lock-only', '--ignore-scripts']);
  const first = await runIn('npm', ['--silent', 'start']);
  expect(first.stderr).toMatch(/^Installing the dependencies [^]+\n {2}\d+ s: 2 of 2 packages\n/);
  expect(Number(first.stdout)).toBeGreaterThan(INSTALLS_FOR_S);
  const second = await runIn('npm', ['--silent', 'start']);
  expect(second.stderr).toBe('');
  expect(Number(second.stdout)).toBeLessThan(INSTALLS_FOR_S);
});
