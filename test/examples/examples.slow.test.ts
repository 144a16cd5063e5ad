import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { faultsInEachLook } from '../helpers/appearance.ts';
import { withBrowser } from '../helpers/browser.ts';
import { blocks } from '../helpers/documents.ts';
import { startFaultStack } from '../helpers/faults.ts';
import { freePort } from '../helpers/ports.ts';
import { startProgram } from '../helpers/started.ts';
import { until } from '../helpers/until.ts';
import { shows, signIn } from './person.ts';
import { serveExample, type Served } from './serve.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const readme = readFileSync(join(ROOT, 'examples/README.md'), 'utf8');
const run = promisify(execFile);

const stack = startFaultStack();
const browser = withBrowser();
let origin: string;
let example: Served | undefined;

beforeAll(async () => {
  origin = `http://localhost:${await freePort()}`;
  example = await serveExample(stack, origin);
});
afterAll(() => example?.end());

const authority = () => join(stack.env.RINGFENCE_DATA!, 'pki/ca.crt');

async function admin(command: string): Promise<Record<string, unknown>> {
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
  const { code, stdout, stderr } = await startProgram('admin', stack.env, words.slice(words.indexOf('--') + 1)).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, unknown>;
}

test('each program pays the rent once, and prints the balances as the README shows', async () => {
  const [create, issue] = blocks(readme, 'key')[0]!.split('\n');
  const { app_id } = await admin(create!);
  const { key } = await admin(issue!.replace('APP_ID', String(app_id)));
  const env = { PATH: process.env.PATH, KEY: String(key), RF: stack.url, CA: authority() };
  const programs = blocks(readme, 'run')[0]!.split('\n');
  expect(programs).toHaveLength(2);
  for (const program of programs) {
    const [command, ...args] = program.replace('npx node', process.execPath).split(' ');
    const { stdout } = await run(command!, args, { cwd: ROOT, env });
    expect(stdout.trim()).toBe(blocks(readme, 'output')[0]);
  }
});

test('each program says in one line that there is no key, or that the key is wrong', async () => {
  for (const program of blocks(readme, 'run')[0]!.split('\n')) {
    const [command, ...args] = program.replace('npx node', process.execPath).split(' ');
    const saidWith = async (key: object) => {
      const env = { PATH: process.env.PATH, RF: stack.url, CA: authority(), ...key };
      const fails = await run(command!, args, { cwd: ROOT, env }).catch((error: unknown) => error);
      return (fails as { stderr: string }).stderr.trim();
    };
    expect(await saidWith({})).toBe('Set KEY to an API key; examples/README.md shows how to get one.');
    expect(await saidWith({ KEY: '' })).toBe('Set KEY to an API key; examples/README.md shows how to get one.');
    expect(await saidWith({ KEY: 'sk_test_wrong' })).toMatch(/^.*invalid-token: The access token or API key is .*$/);
  }
});

test('npm run example serves the page in its colours, and the printed sign-in works', async () => {
  const output = () => example!.output();
  await until(() => output().includes('Payslip'), 'its last lines');
  expect(output()).toContain(`Page        ${origin}/`);
  const [, email] = /Sign in +(\S+)/.exec(output())!;
  const [, password] = /Password +(.+)/.exec(output())!;
  const page = await browser.newPage();
  await signIn(page, origin, email!, password);
  await shows(page, '#who', email!);
  expect(await faultsInEachLook(page)).toEqual([]);
  await page.click('#who button');
  await page.waitForSelector('#welcome:not([hidden])');
});

test('npm run example asks for another port if its own is taken', async () => {
  const { port } = new URL(origin);
  const second = await startProgram('example', stack.env, ['--port', port]).ended;
  expect(second.code).toBe(1);
  expect(second.stderr).toContain(`cannot be used. Name another one: npm run example -- --port ${Number(port) + 1}`);
});

test.each([[['--prot', '5174']], [['--port', 'many']], [['--port']], [['5174']]])(
  'npm run example %j shows how to call it, and no stack trace',
  async (args) => {
    const { code, stderr } = await startProgram('example', stack.env, args).ended;
    expect({ code, stderr: stderr.trim() }).toEqual({ code: 1, stderr: 'Usage: npm run example -- --port PORT' });
  },
);

test('npm run example -- --help shows how to call it', async () => {
  const { code, stdout } = await startProgram('example', stack.env, ['--help']).ended;
  expect({ code, stdout: stdout.trim() }).toEqual({ code: 0, stdout: 'Usage: npm run example -- --port PORT' });
});
