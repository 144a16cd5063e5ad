import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'ringfence-dependencies-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const REFUSED = ['GPL-3.0-only', 'MIT AND AGPL-3.0-or-later', 'SEE LICENSE IN LICENSE.txt', 'UNLICENSED'];
const ALLOWED = ['MIT', '(MIT AND Zlib)', '(MIT OR GPL-2.0-only)'];

function write(file: string, content: object): void {
  mkdirSync(join(folder, file, '..'), { recursive: true });
  writeFileSync(join(folder, file), JSON.stringify(content));
}

/** Checks a project with one dependency under each licence: `planted-0`, `planted-1` and so on. */
function checkOf(licences: readonly string[]): { status: number | null; refused: string[] } {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { licences: string } };
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
  copyFileSync(join(ROOT, '.licensee.json'), join(folder, '.licensee.json'));
  const planted = licences.map((license, index) => ({ name: `planted-${index}`, version: '1.0.0', license }));
  const dependencies = Object.fromEntries(planted.map(({ name, version }) => [name, version]));
  write('package.json', { name: 'project', private: true, dependencies });
  for (const one of planted) write(`node_modules/${one.name}/package.json`, one);
  const env = { ...process.env, PATH: `${join(ROOT, 'node_modules', '.bin')}:${process.env.PATH}` };
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', scripts.licences], {
    cwd: folder,
    encoding: 'utf8',
    env,
  });
  const named = new Set(`${stdout}${stderr}`.match(/planted-\d+(?=@1\.0\.0)/g));
  return { status, refused: [...named].sort() };
}

test(`dependencies under ${REFUSED.join(', ')} are refused by name`, () => {
  expect(checkOf(REFUSED)).toEqual({ status: 1, refused: REFUSED.map((_, index) => `planted-${index}`) });
});

test(`dependencies under ${ALLOWED.join(', ')} may stay`, () => {
  expect(checkOf(ALLOWED)).toEqual({ status: 0, refused: [] });
});
