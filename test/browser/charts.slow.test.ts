import type { Page } from 'puppeteer-core';
import { balanceAndInterest } from '../../infra/charts/balance-and-interest.ts';
import { bars, stackedArea, withOthers, type MonthlyChart } from '../../infra/charts/index.ts';
import { withBrowser } from '../helpers/browser.ts';
import { FONT_NAMES, loadFonts } from '../helpers/fonts.ts';

const browser = withBrowser();

interface Word {
  text: string;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const falling = (from: number, months: number) =>
  Array.from({ length: months + 1 }, (_, month) => Math.round(from * (1 - month / months)));
const LONG = 'A name with many wide letters WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW';
const monthly = (months: number, count: number, from: number): MonthlyChart => ({
  title: `${LONG} ${LONG}`,
  subtitle: 'Avalanche, £300.00 a month: debt-free on 21 September 2028, £870.83 of interest',
  description: 'It falls.',
  start: '2026-09-30',
  yLabel: 'Still owed',
  series: Array.from({ length: count }, (_, index) => ({ name: `${index} ${LONG}`, values: falling(from, months) })),
});

const charts: readonly (readonly [string, string])[] = [
  ...[1, 5, 7, 13, 14, 17, 21, 41, 42, 43, 100, 300, 1_200].map(
    (months) => [`layers over ${months} months`, stackedArea(monthly(months, 3, 300_000))] as const,
  ),
  ...[1, 99, 499, 500, 12_345, 99_999_999, 999_999_999, 1_000_000_000, 1e14].map(
    (pence) => [`layers up to ${pence} pence`, stackedArea(monthly(24, 1, pence))] as const,
  ),
  [
    'eight layers of fifty',
    stackedArea({
      ...monthly(100, 1, 1),
      series: withOthers(monthly(100, 50, 1e9).series, 8, (count) => `${count} other debts`),
    }),
  ],
  ...[1, 7, 12, 24, 120].flatMap((months) =>
    [100, 12_345_678, 999_999_999].map(
      (pence) =>
        [
          `the balance of ${pence} pence over ${months} months`,
          balanceAndInterest({
            title: `${LONG} ${LONG}`,
            subtitle: `${LONG} ${LONG}`,
            description: 'It grows.',
            start: '2026-09-30',
            balances: falling(pence, months).toReversed(),
            interest: falling(pence, months - 1),
          }),
        ] as const,
    ),
  ),
  ...[1, 59, 740_000_000, 590_000_000, 999_999_999, 1e11, 1e14].map(
    (most) =>
      [
        `bars up to ${most} pence`,
        bars({
          title: LONG,
          description: 'x',
          xLabel: 'Pounds',
          bars: Array.from({ length: 14 }, (_, index) => ({ label: `${index} ${LONG}`, amount: most / 10 ** index })),
        }),
      ] as const,
  ),
];

test.each(charts)(
  '%s: in each usual font, every word is inside the chart, and no words overlap',
  async (_name, svg) => {
    const page = await browser.newPage();
    await page.setViewport({ width: 800, height: 450 });
    await page.goto(`data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`);
    expect(await page.evaluate(`document.querySelector('parsererror') === null`)).toBe(true);
    await loadFonts(page);
    const shown = [];
    for (const font of FONT_NAMES) shown.push({ font, words: await wordsIn(page, font) });
    for (const { words } of shown) expect(words.length).toBeGreaterThan(4);
    // No two fonts need the same room, if the browser really uses them.
    expect(new Set(shown.map(({ words }) => areaOf(words))).size).toBe(FONT_NAMES.length);
    const faults = shown.map(({ font, words }) => ({ font, faults: [...outside(words), ...overlapping(words)] }));
    expect(faults.filter(({ faults }) => faults.length > 0)).toEqual([]);
  },
);

async function wordsIn(page: Page, font: string): Promise<Word[]> {
  return (await page.evaluate(`[...document.querySelectorAll('text')].map((text) => {
    text.style.fontFamily = "'test ${font}'";
    const { left, top, right, bottom } = text.getBoundingClientRect();
    return { text: text.textContent, left, top, right, bottom };
  })`)) as Word[];
}

function areaOf(words: readonly Word[]): number {
  return words.reduce((sum, { left, top, right, bottom }) => sum + (right - left) * (bottom - top), 0);
}

function outside(words: readonly Word[]): string[] {
  return words
    .filter(({ left, top, right, bottom }) => left < 0 || top < 0 || right > 800 || bottom > 450)
    .map(({ text }) => `${text} is outside`);
}

function overlapping(words: readonly Word[]): string[] {
  return words.flatMap((one, index) =>
    words.slice(index + 1).flatMap((other) => {
      const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      return across > 0 && down > 0 ? [`${one.text} and ${other.text} overlap`] : [];
    }),
  );
}

test('a browser shows names as text, and executes nothing in them', async () => {
  const page = await browser.newPage();
  const name = '</text><script>window.top.ran = true</script>';
  const svg = stackedArea({ ...monthly(20, 1, 100), title: name, series: [{ name, values: falling(100, 20) }] });
  await page.goto(`data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`);
  const shown = (await page.evaluate(`({
    ran: 'ran' in window,
    label: document.documentElement.querySelector('title').textContent,
    texts: [...document.querySelectorAll('text')].map((text) => text.textContent),
  })`)) as { ran: boolean; label: string; texts: string[] };
  expect(shown.ran).toBe(false);
  expect(shown.label).toBe(name);
  expect(shown.texts).toContain(name);
});
