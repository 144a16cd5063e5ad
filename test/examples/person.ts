import { join, resolve } from 'node:path';
import type { Page } from 'puppeteer-core';
import { until } from '../helpers/until.ts';

/* What a person does on the example page. */

export const PASSWORD = 'correct horse battery';
const PAYSLIP = resolve(import.meta.dirname, '../..', join('programs', 'demo', 'payslip.pdf'));

export const press = (page: Page, within: string) => page.locator(`${within} button`).click();

/** Returns an empty text while the page navigates. */
export const textOf = (page: Page, selector: string) =>
  page.$eval(selector, (element) => (element as unknown as { innerText: string }).innerText).catch(() => '');

export async function shows(page: Page, selector: string, words: string): Promise<void> {
  let text = '';
  const isShown = async () => (text = await textOf(page, selector)).includes(words);
  await until(isShown, words).catch(() => {
    throw new Error(`${selector} does not show "${words}", but "${text}"`);
  });
}

/** Enters the account on the service's page, which then asks for consent. */
export async function enterAccount(page: Page, email: string, password: string): Promise<void> {
  await page.waitForSelector('input[name=password]');
  await page.type('input[name=email]', email);
  await page.type('input[name=password]', password);
  await page.click('button[type=submit]');
  await page.waitForSelector('button[value=allow]');
}

export async function signIn(page: Page, origin: string, email: string, password = PASSWORD): Promise<void> {
  await page.goto(origin);
  await press(page, '#sign-in');
  await enterAccount(page, email, password);
  await page.click('button[value=allow]');
  await page.waitForSelector('#board:not([hidden])');
}

export async function readPayslip(page: Page, file = PAYSLIP): Promise<void> {
  const [chooser] = await Promise.all([page.waitForFileChooser(), page.click('[name=file]')]);
  await chooser.accept([file]);
  await press(page, '#payslip');
}

/** Replaces the text of a field. */
export async function enter(page: Page, name: string, text: string): Promise<void> {
  await page.locator(`[name="${name}"]`).fill(text);
}

export async function splitWage(page: Page): Promise<void> {
  await press(page, '#split');
  await shows(page, '#picture', '£1,307.11');
}

/** `bill` is the option's text, and `payee` is a name. */
export async function pay(page: Page, bill: string, payee: string): Promise<void> {
  await page.select('#bill', await valueOf(page, bill));
  await page.select('#payee', await valueOf(page, payee));
  await press(page, '#pay');
}

export async function addPayee(page: Page, name: string, sortCode: string, account: string): Promise<void> {
  await page.click('#new-payee summary');
  await enter(page, 'name', name);
  await enter(page, 'sort_code', sortCode);
  await enter(page, 'account_number', account);
  await press(page, '#add-payee');
}

/** `payee` is a name, `pay` an amount in pounds, and `on` the text of an option. */
export async function addEntry(page: Page, type: string, aside: string, bill?: Record<'payee' | 'pay' | 'on', string>) {
  await page.waitForSelector('#board:not([hidden])');
  if ((await page.$('#adding[open]')) === null) await page.click('#adding summary');
  await enter(page, 'type', type);
  await enter(page, 'aside', aside);
  if (bill !== undefined) {
    await page.select('#entry-payee', await valueOf(page, bill.payee));
    await page.select('#pay-on', await valueOf(page, bill.on));
    await enter(page, 'pay_amount', bill.pay);
  }
  await press(page, '#entry');
  await shows(page, '#entries', `Drop ${type}`);
}

export async function valueOf(page: Page, words: string): Promise<string> {
  let value: string | null | undefined;
  const find = async () => {
    value = await page.$$eval(
      'option',
      (all, text) => all.find((one) => one.textContent === text)?.getAttribute('value'),
      words,
    );
    return typeof value === 'string';
  };
  await until(find, `the option ${words}`);
  return value!;
}
