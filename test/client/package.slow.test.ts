import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';

/* Users install the package in an empty folder, without TypeScript or this project. */

const ROOT = resolve(import.meta.dirname, '../..');
// Installing the client's dependencies from this project downloads nothing.
const NEEDED = ['node_modules/openapi-fetch', 'node_modules/openapi-typescript-helpers'];

let folder: string;
let packed: { filename: string; files: { path: string }[] };
let service: Server;
let address: string;

function run(command: string, args: string[], cwd = folder): string {
  const env = { ...process.env, NODE_OPTIONS: '', npm_config_loglevel: 'error' };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', env });
  expect({
    command: [command, ...args].join(' '),
    status,
    told: status === 0 ? '' : `${stdout}${stderr}`,
  }).toMatchObject({
    status: 0,
    told: '',
  });
  return stdout;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-client-'));
  const pack = (path: string) =>
    (JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder], join(ROOT, path))) as [typeof packed])[0];
  packed = pack('client');
  const others = NEEDED.map((path) => {
    // The prepack scripts need packages that are not installed here.
    const copy = join(folder, path);
    cpSync(join(ROOT, path), copy, { recursive: true });
    const manifest = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8')) as Record<string, unknown>;
    writeFileSync(join(copy, 'package.json'), JSON.stringify({ ...manifest, scripts: {} }));
    const [{ filename }] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder], copy)) as [
      typeof packed,
    ];
    return filename;
  });
  rmSync(join(folder, 'node_modules'), { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'somebody-elses', private: true, type: 'module' }),
  );
  const files = [packed.filename, ...others].map((file) => `./${file}`);
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...files]);
  service = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ status: 'live' }));
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  address = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});
afterAll(() => {
  service.close();
  rmSync(folder, { recursive: true, force: true });
});

// This process's Node without TypeScript support, and the first Node on PATH.
function nodes(): (readonly [program: string, ...args: string[]])[] {
  const others = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((dir) => !dir.includes('node_modules'))
    .map((dir) => join(dir, process.platform === 'win32' ? 'node.exe' : 'node'))
    .filter((program) => spawnSync(program, ['--version']).status === 0);
  return [
    [process.execPath, '--no-experimental-strip-types'],
    ...others.slice(0, 1).map((program) => [program] as const),
  ];
}

test('the package has compiled modules with types, a licence, and no sources', () => {
  const paths = packed.files.map(({ path }) => path);
  for (const path of ['LICENSE', 'README.md', 'package.json', 'dist/index.js', 'dist/index.d.ts', 'dist/node.js'])
    expect(paths).toContain(path);
  expect(paths.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))).toEqual([]);
});

test('the package runs in an empty folder on every installed Node, without TypeScript', async () => {
  writeFileSync(
    join(folder, 'main.js'),
    `import { createClient, isProblem } from '@ringfence/client';
import { tlsFetch } from '@ringfence/client/node';
const { status } = await createClient({ baseUrl: process.argv[2] }).checkLive();
console.log(status, typeof tlsFetch({}), isProblem(undefined));
`,
  );
  for (const [program, ...args] of nodes()) {
    const child = spawn(program, [...args, 'main.js', address], {
      cwd: folder,
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    let told = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (told += chunk.toString()));
    await once(child, 'close');
    expect([program, told]).toEqual([program, 'live function false\n']);
  }
});

test('correct calls compile against the package, and wrong calls do not', () => {
  cpSync(join(import.meta.dirname, 'consumer.ts.txt'), join(folder, 'consumer.ts'));
  const options = ['--noEmit', '--strict', '--noUncheckedIndexedAccess', '--target', 'es2022', '--module', 'nodenext'];
  const types = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node', '--lib', 'es2023'];
  run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, ...types, 'consumer.ts']);
});
