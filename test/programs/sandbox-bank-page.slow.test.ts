import type { Page } from 'puppeteer-core';
import { bankClient, PAYING, READING } from '../helpers/bank-customer.ts';
import { axeFaults, lookAs, LOOKS, withBrowser, withOtherSite } from '../helpers/browser.ts';
import { newBankFolder, startSandboxBank, type SandboxBankProcess } from '../helpers/sandbox-bank.ts';

const dataDir = await newBankFolder();
const SHOTS = process.env.DOCS_SHOTS;
const browser = withBrowser();
const service = withOtherSite();
let bank: SandboxBankProcess;
let client: Awaited<ReturnType<typeof bankClient>>;

beforeAll(async () => {
  bank = await startSandboxBank(dataDir, { env: { RINGFENCE_PUBLIC_URL: service.origin } });
  client = await bankClient(dataDir, bank.config.url, { redirectUri: `${service.origin}/api/v1/bank/callback` });
});
afterAll(async () => {
  await client.close();
  await bank.stop();
});

async function expectSoundInEachLook(page: Page, name: string): Promise<void> {
  for (const look of LOOKS) {
    await lookAs(page, look);
    expect({ ...look, faults: await axeFaults(page) }).toEqual({ ...look, faults: [] });
    const path = `${SHOTS}/bank-${name}-${look.scheme}-${look.width}.png` as const;
    if (SHOTS !== undefined) await page.screenshot({ path, fullPage: true });
  }
  await lookAs(page, { scheme: 'light', width: 320 });
  expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
}

const press = (page: Page, selector: string) => Promise.all([page.waitForNavigation(), page.click(selector)]);

test.each([
  ['accounts', '/account-access-consents', READING, 3],
  ['payments', '/domestic-vrp-consents', PAYING, 2],
] as const)('a customer approves %s on pages that are accessible in each look', async (scope, path, body, choices) => {
  const consent = await client.call('POST', path, await client.token(scope), body);
  const { url } = await client.begin({ consentId: consent.body.Data.ConsentId as string, scope, customer: '' });
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  await page.goto(url.href);
  await expectSoundInEachLook(page, 'sign-in');
  await page.type('#customer', 'no customer');
  await press(page, 'button');
  expect(await page.$eval('[role=alert]', ({ textContent }) => textContent)).toBe('Enter your customer number.');
  await expectSoundInEachLook(page, 'fault');
  await page.type('#customer', 'usr_browser');
  await press(page, 'button');
  expect(await page.$$eval('input[name=account]', (inputs) => inputs.length)).toBe(choices);
  await expectSoundInEachLook(page, scope);
  await press(page, 'button[value=approve]');
  expect(page.url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1\/bank\/callback#code=/);
  expect(complaints).toEqual([]);
});
