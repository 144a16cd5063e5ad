import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';

/* A person at the keyboard of a real browser. */

/** What a page is headed with. */
export const heading = (page: Page) => page.$eval('h1', (element) => element.textContent);
const focused = (page: Page) =>
  page.evaluate(`(({ tagName, id, name, value, textContent }) =>
    [tagName.toLowerCase(), id || name || '', tagName === 'BUTTON' ? value || textContent : tagName === 'A' ? textContent : ''].filter(Boolean).join(' '))(document.activeElement)`) as Promise<string>;

/** A browser gives the focus to what asks for it with the first picture of a page, a moment after it was loaded. */
export async function expectFocus(page: Page, wanted: string): Promise<void> {
  for (let tries = 0; tries < 100 && (await focused(page)) !== wanted; tries += 1) await sleep(50);
  expect(await focused(page)).toBe(wanted);
}

/** Presses Tab until that has the focus, and is seen to have it. */
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
  throw new Error(`Tab never came to ${wanted}, but to ${passed.join(', ')}`);
}

/** Presses Enter, and waits for the page that follows. */
export async function enter(page: Page): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
}
