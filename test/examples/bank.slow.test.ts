import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { createClient } from '../../client/src/index.ts';
import { tlsFetch } from '../../client/src/node.ts';
import { londonDateOf } from '../../domain/dates.ts';
import { faultsInEachLook } from '../helpers/appearance.ts';
import { axeFaults, layoutFaults, withBrowser } from '../helpers/browser.ts';
import { startFaultStack } from '../helpers/faults.ts';
import { lookAs } from '../helpers/looks.ts';
import { freePort } from '../helpers/ports.ts';
import * as person from './person.ts';
import { register } from './picture.ts';
import { serveExample, type Served } from './serve.ts';

/* A person connects a bank: from the example page, over the service's page and the sandbox bank's, and back. */

const { press, shows } = person;
/** Set it to a folder, to look at the pages. */
const PICTURES = process.env.RINGFENCE_PICTURES;
const stack = startFaultStack();
const browser = withBrowser();
let origin: string;
let served: Served | undefined;
const faults: string[] = [];

beforeAll(async () => {
  origin = `http://localhost:${await freePort()}`;
  served = await serveExample(stack, origin);
});
afterAll(() => served?.end());
beforeEach(() => void faults.splice(0));

/** Measures a page in each look, and takes its picture on a phone and a desktop. The bank has colours of its own. */
async function look(page: Page, name: string): Promise<void> {
  const isOurs = !page.url().startsWith(stack.bankUrl);
  const seen = await faultsInEachLook(page, async ({ scheme, width }) => {
    const found = [...(await axeFaults(page)), ...(isOurs ? await layoutFaults(page) : [])];
    faults.push(...found.map((fault) => `${name} ${scheme} ${width}: ${fault}`));
    if (PICTURES === undefined || scheme !== 'light') return;
    mkdirSync(PICTURES, { recursive: true });
    await page.screenshot({ path: join(PICTURES, `${name}-${width}.png`), fullPage: true });
  });
  const own = seen.filter((fault) => isOurs || !fault.includes(': palette: '));
  faults.push(...own.filter((fault) => !/ 4\d\d for \S+\/api\/v1\//.test(fault)).map((fault) => `${name} ${fault}`));
  await lookAs(page, { scheme: 'light', width: 1_280 });
}

async function signedIn(email: string): Promise<Page> {
  await register(stack, email);
  const page = await browser.newPage();
  await lookAs(page, { scheme: 'light', width: 1_280 });
  await person.signIn(page, origin, email);
  return page;
}

/** Opens the service's page about a new connection. `purpose` is the option's text. */
async function connect(page: Page, purpose: string): Promise<void> {
  await page.click('#connecting summary');
  await person.valueOf(page, 'Sandbox bank');
  await page.select('#purpose', await person.valueOf(page, purpose));
  await press(page, '#connect');
  await page.waitForSelector('form[action*=authorise]');
}

async function credit(owner_id: string, amount = 12_345): Promise<void> {
  const body = JSON.stringify({ owner_id, amount, payer: 'Corner Shop Ltd', reference: 'REFUND' });
  const order = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  expect((await trusting()(new Request(`${stack.bankUrl}/sandbox/credits`, order))).status).toBe(201);
}

const trusting = () => tlsFetch({ ca: readFileSync(join(stack.env.RINGFENCE_DATA!, 'pki/ca.crt')) });

/** Says that the latest credit is a wage, as the person does on the service's page. */
async function nameWage(email: string): Promise<void> {
  const nobody = createClient({ baseUrl: stack.url, fetch: trusting() });
  const tokens = await nobody.login({ body: { email, password: person.PASSWORD } });
  const client = createClient({ baseUrl: stack.url, fetch: trusting(), credential: { tokens } });
  const { items } = await client.listTransactions({ query: { limit: 1 } });
  await client.confirmWage({ body: { transaction_id: items[0]!.transaction_id } });
}

/** Arrives at the bank, and is read there. */
async function receive(page: Page, customer: string, amount: number): Promise<void> {
  await credit(customer, amount);
  await page.reload();
  await pressNamed(page, 'Read now');
  await page.waitForFunction(`document.querySelector('#connections [aria-busy=true]') === null`);
}

const pressNamed = async (page: Page, name: string) => (await page.waitForSelector(`::-p-aria(${name})`))!.click();

const atBank = async (page: Page, customer: string) => {
  await page.waitForSelector('[name=customer]');
  await page.type('[name=customer]', customer);
  await page.click('button[type=submit]');
  await page.waitForSelector('button[value=approve]');
};

test('a person shows accounts to the service, lets it pay one payee, and names a wage, with pages that are sound in each look', async () => {
  const page = await signedIn('bank@example.org');
  await person.splitWage(page);
  await shows(page, '#connections', 'No bank is connected yet.');
  await page.click('#connecting summary');
  await look(page, 'example');
  await page.click('#connecting summary');
  await connect(page, 'Show my accounts');
  await look(page, 'authorise-accounts');
  await press(page, 'form[action*=authorise]');
  await page.waitForSelector('[name=customer]');
  await look(page, 'bank-customer');
  await atBank(page, 'bank-customer-1');
  await look(page, 'bank-accounts');
  await page.click('button[value=approve]');
  await page.waitForSelector('#board:not([hidden])');
  await shows(page, '#connections', 'Sandbox bank shows accounts');
  await shows(page, '#connections', 'Connected');
  await receive(page, 'bank-customer-1', 12_345);
  await shows(page, '#backing', 'Your bank accounts hold all that is set aside.');
  await shows(page, '#connections', '£1,123.45');
  await page.click('#connections details summary');
  await shows(page, '#connections', 'Corner Shop Ltd');
  await look(page, 'example-accounts');

  await connect(page, 'Pay Sandbox Instant Energy');
  await look(page, 'authorise-payments');
  await person.enter(page, 'per_payment', '9999');
  await press(page, 'form[action*=authorise]');
  await page.waitForSelector('#faults');
  await look(page, 'authorise-fault');
  await person.enter(page, 'per_payment', '120.50');
  await press(page, 'form[action*=authorise]');
  await atBank(page, 'bank-customer-1');
  await look(page, 'bank-payments');
  await page.click('button[value=approve]');
  await page.waitForSelector('#board:not([hidden])');
  await shows(page, '#connections', 'At most £120.50 at a time, and £950.00 a month.');
  await look(page, 'connected');

  await person.pay(page, 'Energy, £142.50', 'Sandbox Instant Energy');
  await shows(page, '#pay', 'Your limits at the bank leave £120.50 for this payment.');
  await look(page, 'beyond');

  await press(page, '#connections li');
  await shows(page, '#connections', 'Ended');
  await person.pay(page, 'Energy, £142.50', 'Sandbox Instant Energy');
  await shows(page, '#pay', 'Connect again under “Your bank”.');
  await pressNamed(page, 'Connect again');
  await page.waitForSelector('form[action*=authorise]');
  await person.enter(page, 'per_payment', '150');
  await press(page, 'form[action*=authorise]');
  await atBank(page, 'bank-customer-1');
  await page.click('button[value=approve]');
  await page.waitForSelector('#board:not([hidden])');
  await person.pay(page, 'Energy, £142.50', 'Sandbox Instant Energy');
  await shows(page, '#timeline', 'From your own bank.');
  await shows(page, '#timeline', 'The bank has paid it.');
  await shows(page, '#connections', 'Used this month: £142.50.');
  await look(page, 'paid');

  await page.click('#connections details summary');
  await pressNamed(page, 'It is my wage');
  await look(page, 'new-payer');
  await pressNamed(page, 'Confirm it there');
  await page.waitForSelector('form[action$=wage]');
  await look(page, 'wage');
  await press(page, 'form[action$=wage]');
  await shows(page, 'h1', 'This is your wage');
  await page.goto(origin);
  await shows(page, '#wages', 'Corner Shop Ltd\n£123.45');
  await shows(page, '#wages', 'Not split yet.');
  await page.click('#another summary');
  await page.select('#from-wage', await page.$eval('#from-wage option:last-child', (one) => one.getAttribute('value')));
  for (const bill of ['Rent', 'Energy', 'Council tax']) await person.enter(page, bill, '0');
  await look(page, 'wages');
  expect(faults).toEqual([]);
});

test('on payday a person reads what was paid, what was left out and why, and what will be safe to spend', async () => {
  const page = await signedIn('payday@example.org');
  await shows(page, '#entries', 'Nothing yet.');
  await shows(page, '#outlook', 'No wage and no bill is expected.');
  await connect(page, 'Show my accounts');
  await press(page, 'form[action*=authorise]');
  await atBank(page, 'bank-customer-3');
  await page.click('button[value=approve]');
  await page.waitForSelector('#board:not([hidden])');
  await receive(page, 'bank-customer-3', 200_000);
  await nameWage('payday@example.org');
  await page.reload();
  const payee = 'Sandbox Instant Energy';
  const today = Number(londonDateOf(new Date()).slice(8));
  await person.addEntry(page, 'Energy', '142.50', { payee, pay: '142.50', on: `On day ${today}` });
  await person.addEntry(page, 'Boiler', '40', { payee, pay: '80', on: 'When the wage arrives' });
  await person.addEntry(page, 'Holiday', '100');
  await shows(page, '#entries', 'Pays £80.00 to Sandbox Instant Energy when a wage arrives.');
  await look(page, 'split');

  await receive(page, 'bank-customer-3', 210_000);
  await shows(page, '#payday', '£2,100.00 on');
  await shows(page, '#payday', 'Sandbox Instant Energy\n£142.50');
  await shows(page, '#payday', 'Boiler\n£80.00\n\nNot enough is set aside for it yet. The next wage tries again.');
  await shows(page, '#outlook', 'You always have £1,465.00 or more to spend.');
  await shows(page, '#backing', 'Your bank accounts hold all that is set aside.');
  await look(page, 'payday');

  await pressNamed(page, 'Drop Boiler');
  await page.waitForFunction(`!document.getElementById('entries').textContent.includes('Boiler')`);
  await pressNamed(page, 'Pause all');
  await shows(page, '#entries', 'Paused. Wages are not split, and nothing is paid.');
  await look(page, 'paused');
  expect(faults).toEqual([]);
});

test('a person who refuses at the bank reads so on the page of the application', async () => {
  const page = await signedIn('refusing@example.org');
  await connect(page, 'Show my accounts');
  await press(page, 'form[action*=authorise]');
  await atBank(page, 'bank-customer-2');
  await page.click('button[value=refuse]');
  await page.waitForSelector('#board:not([hidden])');
  await shows(page, '#connections', 'You refused it at your bank.');
});
