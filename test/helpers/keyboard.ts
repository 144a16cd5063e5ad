import type { Page } from 'puppeteer-core';
import { until } from './until.ts';

export const heading = (page: Page) => page.$eval('h1', (element) => element.textContent);
const focused = (page: Page) =>
  page.evaluate(`(({ tagName, id, name, value, textContent }) =>
    [tagName.toLowerCase(), id || name || '', tagName === 'BUTTON' ? value || textContent : tagName === 'A' ? textContent : ''].filter(Boolean).join(' '))(document.activeElement)`) as Promise<string>;

// A browser applies autofocus a moment after the page has loaded.
export async function expectFocus(page: Page, wanted: string): Promise<void> {
  await until(async () => (await focused(page)) === wanted, `the focus on ${wanted}`);
}

/** Expects a visible outline. */
export async function tabTo(page: Page, wanted: string): Promise<void> {
  const passed: string[] = [];
  for (let i = 0; i < 20; i += 1) {
    await page.keyboard.press('Tab');
    const now = await focused(page);
    if (now === wanted) {
      expect(await page.evaluate(`getComputedStyle(document.activeElement).outlineStyle`)).toBe('solid');
      return;
    }
    passed.push(now);
  }
  throw new Error(`Tab never reached ${wanted}, only ${passed.join(', ')}`);
}

export async function enter(page: Page): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
}
