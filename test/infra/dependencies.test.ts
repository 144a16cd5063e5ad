import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..', '..');
let folder: string;

beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ringfence-dependencies-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(file: string, content: object): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), JSON.stringify(content));
}

function checkOf(license: string): { status: number | null; output: string } {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: { licences: string };
  };
  copyFileSync(join(ROOT, '.licensee.json'), join(folder, '.licensee.json'));
  write('package.json', { name: 'project', private: true, dependencies: { planted: '1.0.0' } });
  write('node_modules/planted/package.json', { name: 'planted', version: '1.0.0', license });
  const path = `${join(ROOT, 'node_modules', '.bin')}:${process.env.PATH}`;
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', scripts.licences], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: path },
  });
  return { status, output: stdout + stderr };
}

test.each(['GPL-3.0-only', 'MIT AND AGPL-3.0-or-later', 'SEE LICENSE IN LICENSE.txt', 'UNLICENSED'])(
  'a dependency under %s is refused by name',
  (license) => {
    const { status, output } = checkOf(license);
    expect(output).toContain('planted@1.0.0');
    expect(status).toBe(1);
  },
);

test.each(['MIT', '(MIT AND Zlib)', '(MIT OR GPL-2.0-only)'])('a dependency under %s may stay', (license) => {
  expect(checkOf(license)).toMatchObject({ status: 0 });
});
