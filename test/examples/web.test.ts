import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import type { Page } from 'puppeteer-core';
import { createClient } from '../../client/src/index.ts';
import { tlsFetch } from '../../client/src/node.ts';
import { axeFaults, layoutFaults, LOOKS, lookAs, withBrowser } from '../helpers/browser.ts';
import { startFaultStack } from '../helpers/faults.ts';
import { freePort } from '../helpers/ports.ts';
import { until } from '../helpers/until.ts';

/*
 * The page of examples/web on a real stack, in a real browser. `SAVE_PICTURES=1 npm test -- test/examples/web` saves the picture
 * of the README.
 */

const ROOT = resolve(import.meta.dirname, '../..');
const PASSWORD = 'correct horse battery';
const PICTURE = join(ROOT, 'docs/images/example.png');

const stack = startFaultStack();
const browser = withBrowser();
let origin: string;
let folder: string;
let stop: (() => Promise<void>)[];

beforeAll(async () => {
  origin = `http://localhost:${await freePort()}`;
  folder = mkdtempSync(join(tmpdir(), 'ringfence-example-'));
  stop = [];
});
afterAll(async () => {
  for (const end of stop) await end();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a program that serves the page, and waits until it does. @returns what it printed, and what ends it. */
async function serve(env: NodeJS.ProcessEnv, ...args: string[]) {
  const child = spawn(process.execPath, args, { cwd: ROOT, env: { ...process.env, NODE_OPTIONS: '', ...env } });
  const ended = once(child, 'close');
  const end = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  stop.push(end);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const isServed = async () => child.exitCode !== null || (await fetch(origin).then(({ ok }) => ok, () => false));
  await until(isServed, 'the page');
  expect({ code: child.exitCode, output }).toMatchObject({ code: null });
  return { output: () => output, end };
}

/** Signs in at the service's pages, and allows what the page asks for. */
async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.goto(origin);
  await press(page, '#sign-in');
  await page.waitForSelector('input[name=password]');
  await page.type('input[name=email]', email);
  await page.type('input[name=password]', password);
  await page.click('button[type=submit]');
  await page.waitForSelector('button[value=allow]');
  await page.click('button[value=allow]');
  await page.waitForSelector('#board:not([hidden])');
}

const press = (page: Page, form: string) => page.locator(`${form} button`).click();
const textOf = (page: Page, selector: string) =>
  page.$eval(selector, (element) => (element as unknown as { innerText: string }).innerText);

/** Waits until a part of the page has these words. */
async function shows(page: Page, selector: string, words: string): Promise<void> {
  let text = '';
  await until(async () => (text = await textOf(page, selector)).includes(words), words).catch(() => undefined);
  expect(text).toContain(words);
}

/** Expects that the page is accessible and fits, in the light and in the dark. */
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

test('npm run example shows the page, and the sign-in that it prints works', async () => {
  const example = await serve(stack.env, 'infra/demo/example.ts', '--port', new URL(origin).port);
  await until(() => example.output().includes('Payslip'), 'its last lines');
  expect(example.output()).toContain(`Page        ${origin}/`);
  const [, email] = /Sign in +(\S+)/.exec(example.output())!;
  const [, password] = /Password +(.+)/.exec(example.output())!;
  const page = await browser.newPage();
  await signIn(page, email!, password!);
  await shows(page, '#who', email!);
  await page.click('#who button');
  await page.waitForSelector('#welcome:not([hidden])');
  await example.end();
});

describe('the built page', () => {
  const faults: string[] = [];

  beforeAll(async () => {
    const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
    const env = { ...process.env, ...parseEnv(readFileSync(join(stack.env.RINGFENCE_DATA!, 'example/.env'), 'utf8')) };
    const place = ['examples/web', '--outDir', join(folder, 'dist')];
    await promisify(execFile)(process.execPath, [vite, 'build', ...place, '--emptyOutDir'], { cwd: ROOT, env });
    await serve(env, vite, 'preview', ...place, '--port', new URL(origin).port, '--strictPort');
  });

  test.each([
    ['desktop', 1_280],
    ['phone', 375],
  ])('on a %s takes a person from a wage to a credential', async (name, width) => {
    const ca = readFileSync(join(stack.env.RINGFENCE_DATA!, 'pki/ca.crt'));
    const email = `${name}@example.org`;
    await createClient({ baseUrl: stack.url, fetch: tlsFetch({ ca }) }).registerUser({
      body: { email, password: PASSWORD },
    });
    const page = await browser.newPage();
    page.on('pageerror', (error) => faults.push(String(error)));
    await page.goto(origin);
    await page.waitForSelector('#welcome:not([hidden])');
    await expectSound(page, width);
    await signIn(page, email, PASSWORD);
    await expectSound(page, width);

    await press(page, '#split');
    await shows(page, '#picture', '£1,307.11');
    await page.select('[name=payee]', 'prov_sandbox_instant');
    await press(page, '#pay');
    await shows(page, '#timeline', 'The bank settled the payment.');
    await shows(page, '#picture', 'Paid\t£950.00');
    await shows(page, '#picture', 'Together\t£2,847.35');

    const file = await page.$('input[type=file]');
    await (file as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(
      join(ROOT, 'infra/demo/payslip.pdf'),
    );
    await press(page, '#payslip');
    await press(page, '#debt');
    await shows(page, '#plan', 'After 12 months');
    await press(page, '#proof');
    await shows(page, '#credential', '100 % of 1 bill');
    await shows(page, '#figures', 'Example Street Bakery Ltd');
    await expectSound(page, width);
    if (process.env.SAVE_PICTURES !== undefined) await page.screenshot({ path: `/tmp/example-${name}.png`, fullPage: true });
    expect(faults).toEqual([]);
  });
});
