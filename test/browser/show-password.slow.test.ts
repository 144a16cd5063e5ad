import type { Page } from 'puppeteer-core';
import { startApi } from '../helpers/api.ts';
import { faultsInEachLook } from '../helpers/appearance.ts';
import { axeFaults, layoutFaults, withBrowser } from '../helpers/browser.ts';
import { tabTo } from '../helpers/keyboard.ts';

const api = startApi();
const browser = withBrowser();
const PATH = '/api/v1/auth/create-account';

const types = (page: Page) =>
  page.$$eval('#password, #password_again', (fields) => fields.map((field) => field.getAttribute('type')));

test('a person shows and hides passwords with the keyboard', async () => {
  const page = await browser.newPage();
  await page.goto(`${api.url}${PATH}`);
  const [button] = await page.$$('::-p-aria([name="Show passwords"][role="button"])');
  const pressed = () => button!.evaluate((element) => element.getAttribute('aria-pressed'));
  expect([await pressed(), ...(await types(page))]).toEqual(['false', 'password', 'password']);
  await page.type('#password', 'nine quiet harbours');
  await tabTo(page, 'button Show passwords');
  await page.keyboard.press('Enter');
  expect([await pressed(), ...(await types(page))]).toEqual(['true', 'text', 'text']);
  expect(page.url()).toBe(`${api.url}${PATH}`);
  expect([await axeFaults(page), await layoutFaults(page), await faultsInEachLook(page)]).toEqual([[], [], []]);
  await page.keyboard.press('Space');
  expect([await pressed(), ...(await types(page))]).toEqual(['false', 'password', 'password']);
});

test('a shown password is a password again when the form is sent', async () => {
  const page = await browser.newPage();
  await page.goto(`${api.url}${PATH}`);
  await page.locator('.show').click();
  await page.evaluate(`document.forms[0].addEventListener('submit', (event) => {
    event.preventDefault();
    document.title = document.querySelector('#password').type;
  })`);
  await page.type('#email', 'a@example.org');
  for (const field of ['#password', '#password_again']) await page.type(field, 'nine quiet harbours');
  await page.keyboard.press('Enter');
  expect(await page.title()).toBe('password');
});

test('without JavaScript there is no button that does nothing', async () => {
  const page = await browser.newPage({ javaScript: false });
  await page.goto(`${api.url}${PATH}`);
  expect(await page.$$eval('button', (all) => all.map((one) => one.textContent))).toEqual(['Create the account']);
});

test.each([PATH, '/api/v1/auth/forgot-password'])('%s allows no script except its own, by its hash', async (path) => {
  const policy = String((await api.get(path)).headers['content-security-policy']);
  expect(policy).toMatch(/^default-src 'none';/);
  expect(policy).not.toMatch(/script-src[^;]*'(?:self|unsafe-inline|unsafe-eval)'/);
  expect(policy.includes('script-src')).toBe(path === PATH);
});
