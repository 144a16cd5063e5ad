import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { EXCEPTIONS, licencesOf } from '../../infra/licences.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
let folder: string;

beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ringfence-dependencies-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A project whose lock file has these packages. */
function lock(packages: Record<string, { version?: string; license?: string; dev?: boolean }>): void {
  const names = Object.entries(packages).map(([name, { version = '1.0.0' }]) => [name, version] as const);
  const project = { name: 'project', version: '1.0.0', dependencies: Object.fromEntries(names) };
  const locked = Object.fromEntries(
    Object.entries(packages).map(([name, one]) => [`node_modules/${name}`, { version: '1.0.0', ...one }]),
  );
  write('package.json', project);
  write('package-lock.json', { ...project, lockfileVersion: 3, requires: true, packages: { '': project, ...locked } });
}

function write(file: string, content: object): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), JSON.stringify(content));
}

async function run(program: string, env: Record<string, string> = {}, ...args: string[]) {
  const child = spawn(process.execPath, [join(ROOT, 'infra', program), folder, ...args], {
    env: { ...process.env, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

describe('the check of licences', () => {
  test('refuses a planted package under the GPL, and says which', async () => {
    lock({ planted: { license: 'GPL-3.0-only' }, good: { license: 'MIT' } });
    const { code, output } = await run('licences.ts');
    expect(code).toBe(1);
    expect(output).toContain('REFUSED: planted 1.0.0: GPL-3.0-only is not among the licences that are allowed');
    expect(output).not.toContain('good 1.0.0');
  });

  test.each([
    ['MIT AND AGPL-3.0-or-later', false],
    ['MIT OR GPL-2.0-only', true],
    ['SEE LICENSE IN LICENSE.txt', false],
    ['UNLICENSED', false],
    ['(MIT AND Zlib)', true],
  ])('knows expressions: %s', (license, stays) => {
    lock({ planted: { license } });
    expect(licencesOf(folder).map(({ refused }) => refused === undefined)).toEqual([stays]);
  });

  test('looks into the installed package where the lock file names none, and refuses one that is named nowhere', () => {
    lock({ old: {}, none: {} });
    write('node_modules/old/package.json', { licenses: [{ type: 'GPL-3.0-only' }] });
    write('node_modules/none/package.json', { name: 'none' });
    expect(licencesOf(folder).map(({ name, refused }) => ({ name, refused }))).toEqual([
      { name: 'old', refused: 'GPL-3.0-only is not among the licences that are allowed' },
      { name: 'none', refused: 'it names no licence' },
    ]);
  });

  test('does not ask about what only develops the project', () => {
    lock({ tool: { license: 'GPL-3.0-only', dev: true } });
    expect(licencesOf(folder)).toEqual([]);
  });

  test('lets all dependencies of this project stay, and has no exception that nobody needs', () => {
    const all = licencesOf(ROOT);
    expect(all.length).toBeGreaterThan(100);
    expect(all.filter(({ refused }) => refused !== undefined)).toEqual([]);
    const needed = ({ package: names }: (typeof EXCEPTIONS)[number]) =>
      all.some(({ name }) => (names.endsWith('*') ? name.startsWith(names.slice(0, -1)) : name === names));
    expect(EXCEPTIONS.filter((one) => !needed(one))).toEqual([]);
  });
});

describe('the audit of dependencies', () => {
  let server: Server;
  let env: Record<string, string>;
  let answer: { status: number; body: object };

  beforeEach(async () => {
    server = createServer((request, response) => {
      const asks = request.url!.includes('advisories/bulk');
      response.writeHead(asks ? answer.status : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(asks ? answer.body : {}));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    env = {
      npm_config_registry: registry,
      npm_config_cache: join(folder, 'cache'),
      npm_config_update_notifier: 'false',
    };
    lock({ planted: { license: 'MIT' } });
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const weakness = (severity: string) => ({
    planted: [
      {
        id: 1,
        url: 'https://example.test/1',
        title: 'It runs what strangers send',
        severity,
        vulnerable_versions: '<2',
      },
    ],
  });

  test.each(['high', 'critical'])('fails where a known weakness is %s, and names it', async (severity) => {
    answer = { status: 200, body: weakness(severity) };
    const { code, output } = await run('audit.ts', env);
    expect(output).toContain(`REFUSED: planted: ${severity}: It runs what strangers send`);
    expect(code).toBe(1);
  });

  test('tells of one that is moderate, and lets it pass', async () => {
    answer = { status: 200, body: weakness('moderate') };
    const { code, output } = await run('audit.ts', env);
    expect(output).toContain('0 low, 1 moderate, 0 high, 0 critical');
    expect(code).toBe(0);
  });

  test('says plainly that it was not done where the registry does not answer, and fails then only where it is required', async () => {
    answer = { status: 405, body: {} };
    const { code, output } = await run('audit.ts', env);
    expect(output).toContain('audit: NOT DONE.');
    expect(code).toBe(0);
    expect((await run('audit.ts', env, '--required')).code).toBe(1);
  });
});
