import fc from 'fast-check';
import { moneyOf } from '../../domain/legacy/figures.ts';
import type { Page, Word } from '../../domain/legacy/page.ts';
import { AMOUNT_FIELDS, type Extraction } from '../../domain/legacy/reading.ts';
import { CERTIFICATES, layoutsIn, PAYSLIPS, type TypedLayout } from '../helpers/legacy-layouts.ts';
import { changed, typed } from '../helpers/legacy-pages.ts';
import { amountsOf, expectAmounts, withReader } from '../helpers/legacy-amounts.ts';

const { extractReading, readText } = withReader();

const LAYOUTS = [...PAYSLIPS, ...CERTIFICATES];

function valuesOf(reading: Extraction | null): Record<string, unknown> | null {
  if (reading === null) return null;
  const fields = Object.entries(reading).filter(
    ([, field]) => field === null || (typeof field === 'object' && 'value' in field),
  );
  return Object.fromEntries(fields.map(([name, field]) => [name, (field as { value: unknown } | null)?.value ?? null]));
}

function expectFacts(reading: Extraction, { type, amounts, ...layout }: TypedLayout): void {
  expectAmounts(reading, amounts);
  const { employer, period, payDate, taxYear, taxCode } = layout;
  const words = {
    employer_name: employer,
    pay_period: period,
    pay_date: payDate,
    tax_year: taxYear,
    tax_code: taxCode,
  };
  const known = Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined));
  expect({ ...valuesOf(reading), document_type: reading.document_type }).toMatchObject({
    ...known,
    document_type: type,
  });
}

describe('extractReading', () => {
  test.each(PAYSLIPS)('reads $name, and arithmetic confirms it', async (layout) => {
    const reading = await readText(layout.text);
    expectFacts(reading, layout);
    expect(reading.confidence).toBe(0.99);
    expect((await extractReading([typed(layout.text, { source: 'ocr', probability: 0.93 })]))!.confidence).toBe(0.97);
  });

  test.each([...CERTIFICATES, ...layoutsIn('legacy-tables.txt')])('reads $name', async (layout) => {
    expectFacts(await readText(layout.text), layout);
  });

  test.each([
    [
      'an invoice',
      'Acme Ltd\nINVOICE 1234     Date 01/05/2025\nItem      Net      VAT     Total\nWidgets   100.00   20.00   120.00\nTotal net   100.00\nTax   20.00\nAmount payable   120.00',
    ],
    [
      'a bank statement',
      'Bank statement\nDate     Description     Paid in     Balance\n02 May   ACME LTD SALARY   1,998.12   3,000.00\n04 May   PENSION   80.00   2,770.00',
    ],
    ['an empty page', ''],
  ])('does not accept %s as a payslip', async (_name, text) => {
    expect(await extractReading([typed(text)])).toBeNull();
  });

  test('takes numbers far from their pounds for pence only under a p, and also after pounds with a minus', async () => {
    const { text } = layoutsIn('legacy-tables.txt').find(({ name }) => name.startsWith('pence far'))!;
    const refund = text.replace(' 220        40', '-220        40').replace('1755        44', '2196        44');
    expect((await readText(refund)).tax_deducted).toMatchObject({ value: -22_040 });
    const without = await extractReading([typed(text.replace('£         p', ''))]);
    expect(without?.gross_pay ?? null).toBeNull();
  });
});

describe('columns of several periods', () => {
  // Both columns of the month add up.
  const page = (title: string, first: string, second: string, paid = ''): string => `
Penrose Garden Centres Ltd            ${title}
${paid}
                        ${first.padStart(12)}${second.padStart(14)}      Tax year
Earnings
Salary                      2,000.00      2,150.00     12,150.00
Gross pay                   2,000.00      2,150.00     12,150.00
Deductions
Income tax                    200.00        220.40      1,220.40
National Insurance             80.00         88.16        488.16
Pension                        80.00         86.00        486.00
Net pay                     1,640.00      1,755.44      9,955.44
`;
  const [FIRST, SECOND] = ['200000 164000 20000 8000 8000', '215000 175544 22040 8816 8600'];

  test.each([
    ['the title', page('Your August 2026 pay', 'July', 'August'), SECOND],
    ['the title, for the first', page('Your July 2026 pay', 'July', 'June'), FIRST],
    ['the title, in January', page('Your January 2027 pay', 'January', 'December'), FIRST],
    ['the labelled day of payment', page('Payslip', 'July', 'August', 'Pay date: 31/08/2026'), SECOND],
    ['a week in the title', page('Payslip for week 22', 'Week 21', 'Week 22'), SECOND],
    ['the period', page('Payslip', '31/07/2026', '31/08/2026', 'Period: 01/08/2026 - 31/08/2026'), SECOND],
    ['the words "last" and "this"', page('Payslip', 'Last month', 'This month'), SECOND],
    ['the word "previous" over the other', page('Payslip', 'Previous', 'August'), SECOND],
  ])('give the period that %s names', async (_by, text, amounts) => {
    const reading = await readText(text);
    expect(amountsOf(reading)).toBe(amounts);
    expect(reading.checks.find(({ name }) => name === 'year-to-date-covers-period')!.holds).not.toBe(false);
  });

  test.each([
    ['July', 'August'],
    ['Before', 'After'],
    ['Column A', 'Column B'],
    ['', ''],
  ])('give nothing certain under "%s" and "%s" if no text names the paid period', async (first, second) => {
    const reading = await readText(page('Payslip', first, second));
    expect(amountsOf(reading)).toMatch(/^((\d+\?|-) ?){5}$/);
    expect(reading.confidence).toBeLessThan(0.9);
  });
});

const anyLayout = fc.constantFrom(...LAYOUTS);
const offsets = fc.infiniteStream(fc.double({ min: -0.09, max: 0.09, noNaN: true }));

describe("the positions of a page's words", () => {
  test('can all be shifted and scaled, or each differ by a tenth of their height, without effect', async () => {
    const moves = fc.record({
      layout: anyLayout,
      scale: fc.double({ min: 0.2, max: 8, noNaN: true }),
      shift: fc.integer({ min: -20, max: 200 }),
      offs: fc.option(offsets),
    });
    await fc.assert(
      fc.asyncProperty(moves, async ({ layout, scale, shift, offs }) => {
        const page = typed(layout.text);
        const off = (): number => (offs === null ? shift : Number(offs.next().value) * 10);
        const by = offs === null ? scale : 1;
        const moved = changed(page, (word) => ({
          ...word,
          x: (word.x + off()) * by,
          y: (word.y + off()) * by,
          width: word.width * by,
          height: word.height * by,
        }));
        const sized = { ...moved, width: page.width * by, height: page.height * by };
        expect(valuesOf(await extractReading([sized]))).toEqual(valuesOf(await extractReading([page])));
      }),
      { numRuns: 50 },
    );
  });

  test('can be in any order', async () => {
    const sources = fc.constantFrom('text' as const, 'ocr' as const);
    await fc.assert(
      fc.asyncProperty(anyLayout, fc.infiniteStream(fc.nat()), sources, async (layout, keys, source) => {
        const page = typed(layout.text, { source });
        const keyed = page.words.map((word) => ({ word, key: keys.next().value as number }));
        const shuffled = keyed.toSorted((a, b) => a.key - b.key).map(({ word }) => word);
        expect(await extractReading([{ ...page, words: shuffled }])).toEqual(await extractReading([page]));
      }),
      { numRuns: 25 },
    );
  });

  test('can be rotated by a degree in a picture', async () => {
    await fc.assert(
      fc.asyncProperty(anyLayout, fc.double({ min: -0.02, max: 0.02, noNaN: true }), async (layout, slope) => {
        const page = typed(layout.text, { source: 'ocr', probability: 0.95 });
        const askew = changed(page, (word) => ({ ...word, y: word.y + slope * word.x }));
        const [read, straight] = [valuesOf(await extractReading([askew])), valuesOf(await extractReading([page]))];
        for (const field of AMOUNT_FIELDS) expect(read?.[field]).toEqual(straight?.[field]);
      }),
      { numRuns: 20 },
    );
  });
});

const VOCABULARY =
  'Gross Pay|Net Pay|PAYE Tax|Tax|National Insurance|NI|Pension|AVC|Total Deductions|Total|Year to Date|This Period|Employer NI|Deductions|Payments|Amount|Payslip|Tax Code|1257L|Holiday|Basic|Rate|Ltd|Period|Balance|Student Loan|Lorem|Ipsum|P60|P45|in this employment|Total for year|Pay|Tax deducted';
const randomWord = (page: { x: number; y: number; text: string }): Word => ({
  ...page,
  width: page.text.length * 5,
  height: 10,
  probability: 1,
  source: 'text',
});
const randomPage = fc
  .array(
    fc.record({
      x: fc.integer({ min: 0, max: 55 }).map((column) => column * 10),
      y: fc.integer({ min: 0, max: 40 }).map((row) => row * 15),
      text: fc.oneof(
        fc.constantFrom(...VOCABULARY.split('|')),
        fc.integer({ min: 1, max: 999_999 }).map((pence) => (pence / 100).toFixed(2)),
        fc.stringMatching(/^[a-z]{1,9}$/),
      ),
    }),
    { minLength: 10, maxLength: 90 },
  )
  .map((words): Page => ({ number: 1, width: 600, height: 640, words: words.map(randomWord) }));

describe('prohibited results', () => {
  test('a page of random words and amounts is never read with a confidence of 0.9', async () => {
    await fc.assert(
      fc.asyncProperty(randomPage, async (page) => {
        const reading = await extractReading([page]);
        expect(reading?.confidence ?? 0).toBeLessThan(0.9);
      }),
      { numRuns: 300 },
    );
  });

  test('every given amount is printed on the page', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          randomPage,
          anyLayout.map((layout) => typed(layout.text)),
        ),
        async (page) => {
          const reading = await extractReading([page]);
          const texts = page.words.map((word) => word.text);
          const pairs = texts.map((text, at) => `${text}.${texts[at + 1] ?? ''}`);
          const printed = [...texts, ...pairs].flatMap((text) =>
            text === '-' ? 0 : Math.abs(moneyOf(text)?.pence ?? NaN),
          );
          for (const field of ['gross_pay', 'net_pay', 'tax_deducted'] as const)
            if (reading?.[field]) expect(printed).toContain(Math.abs(reading[field].value));
        },
      ),
      { numRuns: 80 },
    );
  });

  test('an amount of the year to date is never given as the amount of the period', async () => {
    for (const layout of PAYSLIPS.filter(({ text }) => /year to date|ytd/i.test(text))) {
      const amounts = [layout.gross, layout.net, layout.tax, layout.ni, layout.pension].filter((amount) => amount);
      const asPrinted = new Set(amounts.map((amount) => Math.abs(amount!)));
      const page = typed(layout.text);
      const without = {
        ...page,
        words: page.words.filter((word) => !asPrinted.has(Math.abs(moneyOf(word.text)?.pence ?? 0))),
      };
      const read = valuesOf(await extractReading([without]));
      const ytd = page.words
        .flatMap((word) => moneyOf(word.text)?.pence ?? [])
        .filter((pence) => !asPrinted.has(pence) && pence > 100_000);
      for (const field of AMOUNT_FIELDS) expect(ytd).not.toContain(read?.[field]);
    }
  });
});
