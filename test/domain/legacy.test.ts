import fc from 'fast-check';
import { extractReading } from '../../domain/legacy/extract.ts';
import { moneyOf } from '../../domain/legacy/figures.ts';
import type { Page, Word } from '../../domain/legacy/page.ts';
import { AMOUNT_FIELDS, type Reading } from '../../domain/legacy/reading.ts';
import { CERTIFICATES, PAYSLIPS, type TypedLayout } from '../helpers/legacy-layouts.ts';
import { changed, typed } from '../helpers/legacy-pages.ts';

const LAYOUTS = [...PAYSLIPS, ...CERTIFICATES];

/** The values alone. */
function valuesOf(reading: Reading | null): Record<string, unknown> | null {
  if (reading === null) return null;
  const fields = Object.entries(reading).filter(
    ([, field]) => field === null || (typeof field === 'object' && 'value' in field),
  );
  return Object.fromEntries(fields.map(([name, field]) => [name, (field as { value: unknown } | null)?.value ?? null]));
}

const amountsOf = (layout: TypedLayout) => ({
  gross_pay: layout.gross,
  net_pay: layout.net ?? null,
  tax_deducted: layout.tax,
  ni_deducted: layout.ni ?? null,
  pension_deducted: layout.pension ?? null,
});

describe('extractReading', () => {
  test.each(LAYOUTS)('reads the amounts of $name', (layout) => {
    const reading = extractReading([typed(layout.text)]);
    expect(valuesOf(reading)).toMatchObject(amountsOf(layout));
    expect(reading).toMatchObject({ document_type: layout.type ?? 'payslip' });
  });

  test.each(LAYOUTS)('reads the words of $name', (layout) => {
    const wanted = {
      ...(layout.employer === undefined ? {} : { employer_name: layout.employer }),
      ...(layout.period === undefined ? {} : { pay_period: layout.period }),
      ...(layout.payDate === undefined ? {} : { pay_date: layout.payDate }),
      ...(layout.taxYear === undefined ? {} : { tax_year: layout.taxYear }),
      ...(layout.taxCode === undefined ? {} : { tax_code: layout.taxCode }),
    };
    expect(valuesOf(extractReading([typed(layout.text)]))).toMatchObject(wanted);
  });

  test.each(PAYSLIPS)('arithmetic confirms $name', (layout) => {
    const reading = extractReading([typed(layout.text)])!;
    expect(reading.confidence).toBe(0.99);
    expect(extractReading([typed(layout.text, { source: 'ocr', probability: 0.93 })])!.confidence).toBe(0.97);
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
  ])('takes %s for no payslip', (_name, text) => {
    expect(extractReading([typed(text)])).toBeNull();
  });
});

const anyLayout = fc.constantFrom(...LAYOUTS);
const sources = fc.constantFrom('text' as const, 'ocr' as const);

describe("what the place of a page's words decides", () => {
  test('shifting and scaling all of them changes nothing', () => {
    fc.assert(
      fc.property(
        anyLayout,
        fc.double({ min: 0.2, max: 8, noNaN: true }),
        fc.integer({ min: -20, max: 200 }),
        (layout, scale, shift) => {
          const page = typed(layout.text);
          const moved = changed(page, (word) => ({
            ...word,
            x: (word.x + shift) * scale,
            y: (word.y + shift) * scale,
            width: word.width * scale,
            height: word.height * scale,
          }));
          const sized = { ...moved, width: page.width * scale, height: page.height * scale };
          expect(valuesOf(extractReading([sized]))).toEqual(valuesOf(extractReading([page])));
        },
      ),
      { numRuns: 25 },
    );
  });

  test('each of them may lie a tenth of its height off', () => {
    fc.assert(
      fc.property(anyLayout, fc.infiniteStream(fc.double({ min: -0.09, max: 0.09, noNaN: true })), (layout, offs) => {
        const page = typed(layout.text);
        const off = (): number => Number(offs.next().value);
        const jittered = changed(page, (word) => ({
          ...word,
          x: word.x + off() * word.height,
          y: word.y + off() * word.height,
        }));
        expect(valuesOf(extractReading([jittered]))).toEqual(valuesOf(extractReading([page])));
      }),
      { numRuns: 40 },
    );
  });

  test('the order in which they come changes nothing', () => {
    fc.assert(
      fc.property(anyLayout, fc.infiniteStream(fc.nat()), sources, (layout, keys, source) => {
        const page = typed(layout.text, { source });
        const keyed = page.words.map((word) => ({ word, key: keys.next().value as number }));
        const shuffled = keyed.toSorted((a, b) => a.key - b.key).map(({ word }) => word);
        expect(extractReading([{ ...page, words: shuffled }])).toEqual(extractReading([page]));
      }),
      { numRuns: 25 },
    );
  });

  test('a picture whose rows run askew by a degree reads like a level one', () => {
    fc.assert(
      fc.property(anyLayout, fc.double({ min: -0.02, max: 0.02, noNaN: true }), (layout, slope) => {
        const page = typed(layout.text, { source: 'ocr', probability: 0.95 });
        const askew = changed(page, (word) => ({ ...word, y: word.y + slope * word.x }));
        const read = valuesOf(extractReading([askew]));
        for (const field of AMOUNT_FIELDS) expect(read?.[field]).toEqual(valuesOf(extractReading([page]))?.[field]);
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

describe('what is never done', () => {
  test('a page of words and amounts at random is never read with a confidence of 0.9', () => {
    fc.assert(
      fc.property(randomPage, (page) => {
        const reading = extractReading([page]);
        for (const field of AMOUNT_FIELDS) expect(reading?.[field]?.confidence ?? 0).toBeLessThan(0.9);
        expect(reading?.confidence ?? 0).toBeLessThan(0.9);
      }),
      { numRuns: 300 },
    );
  });

  test('an amount that is given stands printed on the page, or is a sum of some that do', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          randomPage,
          anyLayout.map((layout) => typed(layout.text)),
        ),
        (page) => {
          const reading = extractReading([page]);
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

  test('a figure of the year to date does not answer for the period', () => {
    for (const layout of PAYSLIPS.filter(({ text }) => /year to date|ytd/i.test(text))) {
      const amounts = Object.values(amountsOf(layout)).filter((amount) => amount !== null && amount !== 0);
      const asPrinted = new Set(amounts.map((amount) => Math.abs(amount!)));
      const page = typed(layout.text);
      const without = {
        ...page,
        words: page.words.filter((word) => !asPrinted.has(Math.abs(moneyOf(word.text)?.pence ?? 0))),
      };
      const read = valuesOf(extractReading([without]));
      const ytd = page.words
        .flatMap((word) => moneyOf(word.text)?.pence ?? [])
        .filter((pence) => !asPrinted.has(pence) && pence > 100_000);
      for (const field of AMOUNT_FIELDS) expect(ytd).not.toContain(read?.[field]);
    }
  });
});
