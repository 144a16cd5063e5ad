import type { Page } from 'puppeteer-core';
import { startApi } from '../helpers/api.ts';
import { faultsInEachLook } from '../helpers/appearance.ts';
import { axeFaults, layoutFaults, lookAs, withBrowser } from '../helpers/browser.ts';

const api = startApi();
const browser = withBrowser();

async function openGuide(chapter: string, options?: { javaScript: boolean }): Promise<Page> {
  const page = await browser.newPage(options);
  await page.goto(`${api.url}/docs/guide/${chapter}`);
  return page;
}

/** The languages of the samples that are visible, without repetition. */
const shown = (page: Page) =>
  page.$$eval('.samples figure', (all) => [
    ...new Set(
      all
        .filter((figure) => figure.checkVisibility())
        .map((figure) => figure.querySelector('figcaption')!.firstChild!.textContent),
    ),
  ]);
const focusedTab = (page: Page) => page.evaluate('document.activeElement.textContent');

test('one language is shown, and the arrow keys choose another one for all steps', async () => {
  const page = await openGuide('payments');
  expect(await shown(page)).toEqual(['curl']);
  await page.focus('.samples [aria-selected=true]');
  await page.keyboard.press('ArrowRight');
  expect([await focusedTab(page), await shown(page)]).toEqual(['TypeScript', ['TypeScript']]);
  await page.keyboard.press('End');
  expect([await focusedTab(page), await shown(page)]).toEqual(['Python', ['Python']]);
  await page.keyboard.press('ArrowRight');
  expect(await shown(page)).toEqual(['curl']);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Home');
  expect(await shown(page)).toEqual(['curl']);
});

test('the choice is kept on other pages, and the chosen tab stays where it was', async () => {
  const page = await openGuide('payments');
  const [tab] = (await page.$$('::-p-aria([name="Python"][role="tab"])')).slice(-1);
  await tab!.scrollIntoView();
  const top = () => tab!.evaluate((element) => Math.round(element.getBoundingClientRect().top));
  const before = await top();
  await tab!.click();
  expect(Math.abs((await top()) - before)).toBeLessThanOrEqual(2);
  await page.goto(`${api.url}/docs/guide/paycheck`);
  expect(await shown(page)).toEqual(['Python']);
});

test('without JavaScript all samples are shown, and nothing looks like a tab', async () => {
  const page = await openGuide('payments', { javaScript: false });
  expect(await shown(page)).toEqual(['curl', 'TypeScript', 'Python']);
  expect(await page.$$('[role=tab]')).toEqual([]);
});

test.each(['TypeScript', 'Python'])('with %s chosen, a page is accessible and has good looks', async (language) => {
  const page = await openGuide('payments');
  await page.locator(`::-p-aria([name="${language}"][role="tab"])`).click();
  expect([await axeFaults(page), await layoutFaults(page), await faultsInEachLook(page)]).toEqual([[], [], []]);
});

test.each([true, false])(
  'on a phone the chapters are in a menu above the text (JavaScript: %p)',
  async (javaScript) => {
    const page = await openGuide('payments', { javaScript });
    await lookAs(page, { scheme: 'light', width: 375 });
    const place = (selector: string) => page.$eval(selector, (element) => element.getBoundingClientRect().top);
    expect(await place('.chapters-menu summary')).toBeLessThan(await place('h1'));
    expect(await place('.chapters-menu summary')).toBeLessThan(400);
    const link = '.chapters-menu a[href="/docs/guide/vault"]';
    expect(await page.$eval(link, (element) => element.checkVisibility())).toBe(false);
    await page.click('.chapters-menu summary');
    // axe cannot run in a page without JavaScript.
    expect([javaScript ? await axeFaults(page) : [], await layoutFaults(page)]).toEqual([[], []]);
    await Promise.all([page.waitForNavigation(), page.click(link)]);
    expect(page.url()).toBe(`${api.url}/docs/guide/vault`);
  },
);

test('on a desktop the chapters stand beside the text', async () => {
  const page = await openGuide('payments');
  await lookAs(page, { scheme: 'light', width: 1_280 });
  const seen = (selector: string) => page.$eval(selector, (element) => element.checkVisibility());
  expect([await seen('nav.chapters'), await seen('.chapters-menu')]).toEqual([true, false]);
});
