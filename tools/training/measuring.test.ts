import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { AMOUNT_FIELDS } from '../../domain/legacy/reading.ts';
import { ALL_LAYOUTS, drawn, type Truth } from '../payslips/index.ts';
import { newSheet } from '../payslips/sheet.ts';
import { date, money, type DateStyle } from '../payslips/words.ts';
import { MEASURING } from './measuring/index.ts';
import { makeNegative, NEGATIVES } from './measuring/negatives.ts';
import { noting } from './measuring/placed.ts';

type OneLayout = (typeof MEASURING)[number];

describe('the layouts for measuring', () => {
  test('at least 30 payslips, 6 P60s and 6 P45s have names that no other layout has', () => {
    const count = (type: string) => MEASURING.filter((layout) => layout.type === type).length;
    expect(count('payslip')).toBeGreaterThanOrEqual(30);
    expect(count('p60')).toBeGreaterThanOrEqual(6);
    expect(count('p45')).toBeGreaterThanOrEqual(6);
    const names = [...ALL_LAYOUTS, ...MEASURING].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(MEASURING)(
    '$name prints its exact content, without overlaps, and the same bytes for the same seed',
    async (layout) => {
      const first = await paper(layout, 1);
      const again = await paper(layout, 1);
      expect(again.pdf.equals(first.pdf)).toBe(true);
      expect(again.truth).toEqual(first.truth);
      const other = await paper(layout, 2);
      expect(other.pdf.equals(first.pdf)).toBe(false);
      expect([...first.faults, ...other.faults]).toEqual([]);
      expect(notPrinted(first.truth, await textOf(first.pdf))).toEqual([]);
    },
  );
});

test('a file that is not one payslip is the same for the same seed', async () => {
  for (const negative of NEGATIVES.slice(-4)) {
    const first = await makeNegative(negative, 1);
    expect((await makeNegative(negative, 1)).bytes.equals(first.bytes)).toBe(true);
  }
});

// Loading other than the standard PDF fonts would take most of the time.
async function paper(layout: OneLayout, seed: number) {
  const name = `${layout.name}:${seed}`;
  const { size, fontSize } = layout;
  const font = layout.fonts.find((each) => ['helvetica', 'times', 'courier'].includes(each)) ?? 'helvetica';
  const { sheet, faults } = noting(newSheet({ size, fontSize, font }), fontSize);
  const truth = drawn(layout, sheet, name);
  return { truth, pdf: await sheet.finish(), faults: faults() };
}

const HOME = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));

async function textOf(pdf: Buffer): Promise<string> {
  const task = getDocument({ data: new Uint8Array(pdf), standardFontDataUrl: `${join(HOME, 'standard_fonts')}/`, verbosity: 0 }); // prettier-ignore
  const page = await (await task.promise).getPage(1);
  const { items } = await page.getTextContent();
  await task.destroy();
  return items.map((item) => ('str' in item ? item.str : '')).join(' ').replace(/\s+/g, ' '); // prettier-ignore
}

const DATES: readonly DateStyle[] = ['31/10/2026', '31.10.2026', '31-Oct-2026', '31-OCT-26', '31-Oct-26', '31 October 2026', '31 Oct 2026', '31-10-26', '31/10/26']; // prettier-ignore

function notPrinted(truth: Truth, text: string): string[] {
  const missing = AMOUNT_FIELDS.filter((field) => truth[field] !== null && !hasAmount(text, truth[field], field === 'pension_deducted')); // prettier-ignore
  const has = (value: string | null) => value === null || squeezed(text).includes(squeezed(value));
  const period = truth.pay_period?.split(/ (?:-|to) /).every(has) ?? true;
  const words = (['employer_name', 'tax_code', 'paye_reference', 'ni_number'] as const).filter((field) => !has(truth[field])); // prettier-ignore
  const day = truth.pay_date;
  const isDated = day === null || DATES.some((style) => text.includes(date(day, style)));
  return [...missing, ...words, ...(period ? [] : ['pay_period']), ...(isDated ? [] : ['pay_date'])];
}

const squeezed = (text: string) => text.replaceAll(' ', '');

/** Pounds and pence may be separate. With `inTwo`, the amount may also be the sum of two printed amounts. */
function hasAmount(text: string, pence: number, inTwo: boolean): boolean {
  const wanted = money(Math.abs(pence), { comma: false });
  const all = [...text.replaceAll(',', '').matchAll(/(?<![\d.])(\d+)[. ]+(\d\d)(?!\d)/g)].map(([, pounds, rest]) => `${pounds}.${rest}`); // prettier-ignore
  if (squeezed(text).replaceAll(',', '').includes(wanted) || all.includes(wanted)) return true;
  const amounts = all.map((amount) => Math.round(Number(amount) * 100));
  return inTwo && amounts.some((one) => amounts.includes(pence - one));
}
