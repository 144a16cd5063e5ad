import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import type { Page } from 'puppeteer-core';
import { createClient } from '../../client/src/index.ts';
import { tlsFetch } from '../../client/src/node.ts';
import { axeFaults, expectNarrow, layoutFaults, LOOKS, lookAs, withBrowser } from '../helpers/browser.ts';
import { blocks } from '../helpers/documents.ts';
import { startFaultStack } from '../helpers/faults.ts';
import { freePort } from '../helpers/ports.ts';
import { startProgram } from '../helpers/started.ts';
import { until } from '../helpers/until.ts';

/* With `SAVE_PICTURES=1`, saves the README's picture. */

const ROOT = resolve(import.meta.dirname, '../..');
const PASSWORD = 'correct horse battery';
const PICTURE = join(ROOT, 'docs/images/example.png');
const readme = readFileSync(join(ROOT, 'examples/README.md'), 'utf8');
const run = promisify(execFile);

const stack = startFaultStack();
const browser = withBrowser();
let origin: string;
let folder: string;
let example: Served;
const stop: (() => Promise<void>)[] = [];

beforeAll(async () => {
  origin = `http://localhost:${await freePort()}`;
  folder = mkdtempSync(join(tmpdir(), 'ringfence-example-'));
  example = await serve(stack.env, 'infra/demo/example.ts', '--port', new URL(origin).port);
});
afterAll(async () => {
  for (const end of stop) await end();
  rmSync(folder, { recursive: true, force: true });
});

const authority = () => join(stack.env.RINGFENCE_DATA!, 'pki/ca.crt');

interface Served {
  output(): string;
  end(): Promise<void>;
}

async function serve(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Served> {
  const child = spawn(process.execPath, args, { cwd: ROOT, env: { ...process.env, NODE_OPTIONS: '', ...env } });
  const ended = once(child, 'close');
  const end = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  stop.push(end);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const isServed = async () =>
    child.exitCode !== null ||
    (await fetch(origin).then(
      ({ ok }) => ok,
      () => false,
    ));
  await until(isServed, 'the page');
  expect({ code: child.exitCode, output }).toMatchObject({ code: null });
  return { output: () => output, end };
}

async function enterAccount(page: Page, email: string, password: string): Promise<void> {
  await page.waitForSelector('input[name=password]');
  await page.type('input[name=email]', email);
  await page.type('input[name=password]', password);
  await page.click('button[type=submit]');
  await page.waitForSelector('button[value=allow]');
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.goto(origin);
  await press(page, '#sign-in');
  await enterAccount(page, email, password);
  await page.click('button[value=allow]');
  await page.waitForSelector('#board:not([hidden])');
}

const press = (page: Page, form: string) => page.locator(`${form} button`).click();

/** Returns an empty text while the page navigates. */
const textOf = (page: Page, selector: string) =>
  page.$eval(selector, (element) => (element as unknown as { innerText: string }).innerText).catch(() => '');

async function valueOf(page: Page, words: string): Promise<string> {
  let value: string | null | undefined;
  const isThere = async () => {
    value = await page.$$eval(
      'option',
      (all, text) => all.find((one) => one.textContent === text)?.getAttribute('value'),
      words,
    );
    return typeof value === 'string';
  };
  await until(isThere, words);
  return value!;
}

async function shows(page: Page, selector: string, words: string): Promise<void> {
  let text = '';
  const isShown = async () => (text = await textOf(page, selector)).includes(words);
  await until(isShown, words).catch(() => undefined);
  expect(text).toContain(words);
}

async function savePicture(page: Page): Promise<void> {
  await lookAs(page, { scheme: 'light', width: 1_200 });
  // The picture has no hover effect.
  await page.mouse.move(0, 0);
  await page.focus('#who button');
  await page.$eval('#who button', (button) => (button as unknown as { blur(): void }).blur());
  mkdirSync(dirname(PICTURE), { recursive: true });
  await page.screenshot({ path: PICTURE, fullPage: true });
}

async function expectSound(page: Page, width: number): Promise<void> {
  for (const look of LOOKS.filter((one) => one.width === width)) {
    await lookAs(page, look);
    expect({ ...look, axe: await axeFaults(page), layout: await layoutFaults(page) }).toEqual({
      ...look,
      axe: [],
      layout: [],
    });
  }
}

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

test('npm run example serves the page, and the printed sign-in works', async () => {
  await until(() => example.output().includes('Payslip'), 'its last lines');
  expect(example.output()).toContain(`Page        ${origin}/`);
  const [, email] = /Sign in +(\S+)/.exec(example.output())!;
  const [, password] = /Password +(.+)/.exec(example.output())!;
  const page = await browser.newPage();
  await signIn(page, email!, password!);
  await shows(page, '#who', email!);
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

describe('the built page', () => {
  const faults: string[] = [];

  beforeAll(async () => {
    // The OAuth client is registered for the port of the example, which the built page needs.
    await example.end();
    const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
    const env = { ...process.env, ...parseEnv(readFileSync(join(stack.env.RINGFENCE_DATA!, 'example/.env'), 'utf8')) };
    const place = ['examples/web', '--outDir', join(folder, 'dist')];
    await run(process.execPath, [vite, 'build', ...place, '--emptyOutDir'], { cwd: ROOT, env });
    await serve(env, vite, 'preview', ...place, '--port', new URL(origin).port, '--strictPort');
  });

  test('says what to do if the browser does not trust the service’s certificate', async () => {
    const page = await browser.newPage();
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      const isService = request.url().startsWith(stack.url);
      void (isService ? request.abort('connectionfailed') : request.continue());
    });
    await page.goto(origin);
    await press(page, '#sign-in');
    await shows(page, '#welcome', 'The service did not respond.');
    await shows(page, '#welcome', `Open ${stack.url}/docs`);
    expect(await axeFaults(page)).toEqual([]);
  });

  test('reports a denied consent, and lets the person try again', async () => {
    const page = await browser.newPage();
    await page.goto(origin);
    await press(page, '#sign-in');
    await enterAccount(page, 'example@example.org', PASSWORD);
    await page.click('button[value=deny]');
    await shows(page, '#welcome', 'You denied access.');
    await press(page, '#sign-in');
    await page.waitForSelector('button[value=allow]');
  });

  test.each([
    ['desktop', 1_280, 'ada@example.org'],
    ['phone', 375, 'grace@example.org'],
  ])('on a %s takes a person from a payslip to a credential', async (place, width, email) => {
    const fetch = tlsFetch({ ca: readFileSync(authority()) });
    await createClient({ baseUrl: stack.url, fetch }).registerUser({ body: { email, password: PASSWORD } });
    const page = await browser.newPage();
    page.on('pageerror', (error) => faults.push(String(error)));
    await page.goto(origin);
    await page.waitForSelector('#welcome:not([hidden])');
    await expectSound(page, width);
    await signIn(page, email, PASSWORD);
    await expectSound(page, width);

    await page.$eval('[name=wage]', (field) => ((field as unknown as { value: string }).value = '1'));
    const chooser = page.waitForFileChooser();
    await page.click('[name=file]');
    await (await chooser).accept([join(ROOT, 'infra/demo/payslip.pdf')]);
    await press(page, '#payslip');
    await shows(page, '#figures', 'Example Street Bakery Ltd');

    await press(page, '#split');
    await shows(page, '#picture', '£1,307.11');
    await page.select('#bill', await valueOf(page, 'Rent, £950.00'));
    await page.select('#payee', 'prov_sandbox_reject');
    await press(page, '#pay');
    await shows(page, '#timeline', 'The account of the payee is blocked.');
    await page.select('#bill', await valueOf(page, 'Energy, £142.50'));
    await page.select('#payee', 'prov_sandbox_instant');
    await press(page, '#pay');
    await shows(page, '#timeline', 'The bank settled the payment.');
    await shows(page, '#picture', 'Paid\t£142.50');
    await shows(page, '#picture', 'Together\t£2,847.35');

    await press(page, '#debt');
    await shows(page, '#plan', 'After 12 months');
    await press(page, '#proof');
    await shows(page, '#credential', '100 % of 1 bill');
    await expectSound(page, width);
    const address = await page.$eval('#credential a', (link) => link.getAttribute('href')!);
    if (process.env.SAVE_PICTURES !== undefined && place === 'desktop') await savePicture(page);
    await expectNarrow(page);
    await page.reload();
    await shows(page, '#picture', 'Paid\t£142.50');
    await shows(page, '#timeline', 'The bank settled the payment.');
    await shows(page, '#plan', 'After 12 months');
    expect(faults).toEqual([]);
    await page.goto(address);
    await shows(page, 'h1', 'valid');
  });
});
