import type { Page } from 'puppeteer-core';
import { startApi } from '../helpers/api.ts';
import { appearanceFaults } from '../helpers/appearance.ts';
import { lookAs, LOOKS, withBrowser } from '../helpers/browser.ts';

const api = startApi();
const browser = withBrowser();
const SHOTS = process.env.DOCS_SHOTS;
const PAY = '[id="operations-Payments-executePayment"]';
const STATUSES = `${PAY} .response-col_status`;

async function openReference(): Promise<Page> {
  const page = await browser.newPage();
  await page.setViewport({ width: 1_280, height: 800 });
  await page.goto(`${api.url}/docs/reference#/Payments/executePayment`);
  await page.waitForSelector(`${PAY} .responses-table`);
  return page;
}

const statuses = (page: Page) =>
  page.$$eval(STATUSES, (cells) => cells.map((cell) => cell.textContent).filter((text) => /^\d{3}$/.test(text)));

test('an operation shows what succeeds, and opens its errors on request', async () => {
  const page = await openReference();
  expect(await statuses(page)).toEqual(['201']);
  const summary = `${PAY} .errors > summary`;
  expect(await page.$eval(summary, (element) => element.textContent)).toMatch(/^Errors: 400, 401, .*503$/);
  await page.locator(summary).click();
  await page.waitForSelector(`${PAY} .errors .responses-table`);
  expect((await statuses(page)).length).toBeGreaterThan(5);
});

const STATES: readonly (readonly [state: string, open: (page: Page) => Promise<unknown>])[] = [
  ['at first', () => Promise.resolve()],
  [
    'with errors open',
    async (page) => {
      await page.locator(`${PAY} .errors > summary`).click();
      await page.waitForSelector(`${PAY} .errors .responses-table`);
    },
  ],
  [
    'while somebody tries an operation',
    async (page) => {
      await page.locator(`${PAY} .try-out__btn`).click();
      await page.waitForSelector(`${PAY} .execute`);
    },
  ],
  [
    'with a response',
    async (page) => {
      await page.locator(`${PAY} .try-out__btn`).click();
      await page.locator(`${PAY} .execute`).click();
      await page.waitForSelector(`${PAY} .live-responses-table`);
    },
  ],
  [
    'with the form for a credential',
    async (page) => {
      await page.locator('.btn.authorize').click();
      await page.waitForSelector('.modal-ux');
    },
  ],
  [
    'with a schema open',
    async (page) => {
      await page.locator(`${PAY} .opblock-section-request-body .tablinks[data-name=model]`).click();
      await page.waitForSelector(`${PAY} .opblock-section-request-body [class*=json-schema-2020-12]`);
    },
  ],
];

test.each(STATES)('%s, the reference has the colours of all pages', async (state, open) => {
  const page = await openReference();
  await open(page);
  const faults: string[] = [];
  for (const look of LOOKS) {
    await lookAs(page, look);
    faults.push(...(await appearanceFaults(page)).map((fault) => `${look.scheme} ${look.width}: ${fault}`));
    const name = `reference-${state.replaceAll(' ', '-')}-${look.scheme}-${look.width}`;
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png` });
  }
  expect(faults).toEqual([]);
});
