import { spawnSync } from 'node:child_process';
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

const ROOT = resolve(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'ringfence-bootstrap-'));
const inside = (path: string) => join(folder, path);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A project with one package, `node`, which is a folder of the project, so that npm needs no network. */
beforeAll(() => {
  for (const path of ['tools', 'a-node']) mkdirSync(inside(path), { recursive: true });
  copyFileSync(join(ROOT, 'tools/bootstrap.js'), inside('tools/bootstrap.js'));
  const write = (path: string, content: object) => writeFileSync(inside(path), JSON.stringify(content));
  write('package.json', { name: 'project', version: '1.0.0', type: 'module', dependencies: { node: 'file:a-node' } });
  write('a-node/package.json', { name: 'node', version: '1.0.0', bin: { node: 'node.sh' } });
  writeFileSync(inside('a-node/node.sh'), '#!/bin/sh\n');
  chmodSync(inside('a-node/node.sh'), 0o755);
  const lock = spawnSync('npm', ['install', '--package-lock-only', '--offline'], { cwd: folder, env: environment({}) });
  expect(lock.status).toBe(0);
}, 60_000);

function environment(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const ours = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_') && name !== 'NODE_OPTIONS');
  return { ...Object.fromEntries(ours), ...env };
}

describe('a script installs the packages into this folder', () => {
  test.each([
    ['global', 'true'],
    ['location', 'global'],
    ['dry_run', 'true'],
    ['workspaces', 'true'],
    ['package_lock', 'false'],
    ['ignore_scripts', 'true'],
  ])("even if the user's setting %s of npm is %s", (name, value) => {
    rmSync(inside('node_modules'), { recursive: true, force: true });
    const env = environment({ [`npm_config_${name}`]: value, npm_config_offline: 'true' });
    const { status, stderr } = spawnSync('node', [inside('tools/bootstrap.js')], { env, encoding: 'utf8' });
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(existsSync(inside('node_modules/.bin/node'))).toBe(true);
  });

  test("and runs its checks, even if the user's .npmrc forbids scripts", () => {
    expect(readFileSync(join(ROOT, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=false$/m);
  });
});
