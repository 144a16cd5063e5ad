import fc from 'fast-check';
import { USE_FROM } from '../../domain/documents.ts';
import { moneyOf } from '../../domain/legacy/figures.ts';
import type { Page, Word } from '../../domain/legacy/page.ts';
import { AMOUNT_FIELDS, type Extraction } from '../../domain/legacy/reading.ts';
import { CERTIFICATES, PAYSLIPS, type TypedLayout } from '../helpers/legacy-layouts.ts';
import { changed, typed } from '../helpers/legacy-pages.ts';
import { withReader } from '../helpers/legacy-amounts.ts';

const { extractReading } = withReader();

const LAYOUTS = [...PAYSLIPS, ...CERTIFICATES];

function valuesOf(reading: Extraction | null): Record<string, unknown> | null {
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
  test.each(LAYOUTS)('reads the amounts of $name', async (layout) => {
    const reading = await extractReading([typed(layout.text)]);
    expect(valuesOf(reading)).toMatchObject(amountsOf(layout));
    expect(reading).toMatchObject({ document_type: layout.type ?? 'payslip' });
  });

  test.each(LAYOUTS)('reads the words of $name', async (layout) => {
    const wanted = {
      ...(layout.employer === undefined ? {} : { employer_name: layout.employer }),
      ...(layout.period === undefined ? {} : { pay_period: layout.period }),
      ...(layout.payDate === undefined ? {} : { pay_date: layout.payDate }),
      ...(layout.taxYear === undefined ? {} : { tax_year: layout.taxYear }),
      ...(layout.taxCode === undefined ? {} : { tax_code: layout.taxCode }),
    };
    expect(valuesOf(await extractReading([typed(layout.text)]))).toMatchObject(wanted);
  });

  test.each(PAYSLIPS)('arithmetic confirms $name', async (layout) => {
    const reading = (await extractReading([typed(layout.text)]))!;
    expect(reading.confidence).toBe(0.99);
    expect((await extractReading([typed(layout.text, { source: 'ocr', probability: 0.93 })]))!.confidence).toBe(0.97);
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
});

// Gross pay £2,150, tax £220.40, NI £88.16 and pension £86.
const plain = (
  labels: Partial<Record<'gross' | 'tax' | 'ni' | 'pension' | 'net', string>> = {},
  below = '',
): string => `
Penrose Garden Centres Ltd            Payslip           Pay date 31/05/2025

${(labels.gross ?? 'Gross Pay').padEnd(40)} 2,150.00

Deductions
${(labels.tax ?? 'PAYE Tax').padEnd(40)}   220.40
${(labels.ni ?? 'National Insurance').padEnd(40)}    88.16
${(labels.pension ?? 'Pension').padEnd(40)}    86.00

${(labels.net ?? 'Net Pay').padEnd(40)} 1,755.44

${below}`;
const PLAIN = {
  gross_pay: 215_000,
  net_pay: 175_544,
  tax_deducted: 22_040,
  ni_deducted: 8_816,
  pension_deducted: 8_600,
};
const readText = async (text: string): Promise<Extraction | null> => await extractReading([typed(text)]);

describe('the labels of a payslip', () => {
  const names = {
    gross: 'Total Pay|Total Gross Payments|Gross payment|Total earnings|Total pay and allowances',
    net: 'Net Pay This Period|Net amount|Amount paid into bank|Net pay for period|Total net pay|Pay now|Bank credit',
    tax: 'P.A.Y.E.|P. A. Y. E.|Income tax (PAYE)|Inc. tax',
    ni: "E'ee N.I.C.|Employees NI|Ee's NIC|EE NI|Nat. Ins.|N.I.|N. I.|N.1.|Employee's N.1.",
    pension:
      "GPP Employee Contribution|A.V.C.|A. V. C.|Pension EE|EE Pension 5%|Superannuation|Superann.|Group Personal Pension|Personal pension|Smart pension|Peoples Pension|NOW Pension|Stakeholder|Pens Conts|Add'l voluntary contributions|SUPN ADDL CONTS|Superan. contribs|SUPANN|Retirement Plan|Retirement savings",
  };
  const cases = Object.entries(names).flatMap(([field, list]) => list.split('|').map((label) => ({ field, label })));
  test.each(cases)('include $label for $field', async ({ field, label }) => {
    const reading = await readText(plain({ [field]: label }));
    expect(valuesOf(reading)).toMatchObject(PLAIN);
    expect(reading!.confidence).toBe(0.99);
  });

  test.each([
    "E'er N.I.C.",
    'Employers NI',
    'ER Pension',
    'E.R. Pension',
    'GPP Employer Contribution',
    'Co. Pension',
    'Co. NI',
  ])('assign %s to the employer', async (label) => {
    const reading = await readText(plain({ pension: label }).replace('1,755.44', '1,841.44'));
    expect(valuesOf(reading)).toMatchObject({ ...PLAIN, net_pay: 184_144, pension_deducted: null });
  });
});

describe('totals of the year', () => {
  const HEADINGS =
    'THIS EMPLOYMENT CUMULATIVES|Cumulatives|Cumulative totals|Totals to date|Tax year totals|Year totals|Balances to date|YTD balances|Earnings for the year|Totals for the tax year|Tax year 2025/26 to date'.split(
      '|',
    );
  const strip = `
   Gross Pay      Taxable Pay      Income Tax      NI           Pension      Employer NI
    4,300.00         4,214.00          440.80      176.32        172.00           350.00`;
  const withoutPension = plain()
    .replace(/Pension .*\n/, '')
    .replace('1,755.44', '1,841.44');

  test.each([...HEADINGS, 'Summary', ''])('are recognised in a strip under "%s"', async (heading) => {
    const reading = await readText(plain({}, heading + strip));
    expect(valuesOf(reading)).toMatchObject(PLAIN);
    expect(reading!.confidence).toBe(0.99);
  });

  test.each(HEADINGS)('give no pension if the period has none, under "%s"', async (heading) => {
    const read = async (pension: string) =>
      valuesOf(await readText(withoutPension + heading + strip.replace('172.00', pension)));
    for (const pension of ['  0.00', '172.00'])
      expect(await read(pension)).toMatchObject({ ...PLAIN, net_pay: 184_144, pension_deducted: null });
  });

  test.each([...HEADINGS, 'Summary', ''])(
    'never certainly replace tax that is not printed, under "%s"',
    async (heading) => {
      const text = plain({}, heading + strip);
      expect((await readText(text.replace(/PAYE Tax .*\n/, '')))!.tax_deducted?.confidence ?? 0).toBeLessThan(USE_FROM);
      expect((await readText(text.replace(/National Insurance .*\n/, '')))!.ni_deducted?.confidence ?? 0).toBeLessThan(
        USE_FROM,
      );
    },
  );

  test('may be in columns of pounds and pence', async () => {
    const split = plain(
      {},
      `Cumulatives
   Gross Pay      Taxable Pay      Income Tax      NI           Pension      Employer NI
    4,300 00         4,214 00          440 80      176 32        172 00           350 00`,
    ).replace(/(\d)\.(\d\d)$/gm, '$1  $2');
    const headed = split.replace('Deductions', 'Deductions                                   £    p');
    expect(valuesOf(await readText(headed))).toMatchObject(PLAIN);
  });

  test('may be in a list with an unknown heading', async () => {
    const list = `
Position at present
Gross pay      4,300.00
Tax              440.80
NI               176.32
Pension          172.00`;
    expect(valuesOf(await readText(plain({}, list)))).toMatchObject(PLAIN);
  });
});

describe('a pension in several lines', () => {
  const twoLines = (second: string): string =>
    plain()
      .replace(/(Pension .*)\n/, `$1\n${second.padEnd(40)}   148.00\n`)
      .replace('1,755.44', '1,607.44');

  test('is their sum', async () => {
    const reading = await readText(twoLines('A.V.C.'));
    expect(reading!.pension_deducted).toMatchObject({ value: 23_400, confidence: 0.99 });
  });

  test.each(['Blenheim Scheme'])('is uncertain while a line such as "%s" is unexplained', async (label) => {
    expect((await readText(twoLines(label)))!.pension_deducted!.confidence).toBeLessThan(0.9);
  });

  test.each(['Student Loan', 'Union subscription', 'Share save scheme'])('does not include a %s', async (label) => {
    expect((await readText(twoLines(label)))!.pension_deducted).toMatchObject({ value: 8_600, confidence: 0.99 });
  });
});

describe('tax without visible pence', () => {
  const split = (tax: string): string => `
Swift Retail Ltd            Payslip           Pay date 31/05/2025

PAYMENTS           £    p     DEDUCTIONS               £    p
Basic Pay         521   38    Income Tax               ${tax}
                              Employee's N.I.          22   35
                              Pension Contribution     26   07
                              Union Subs                2   68
Gross Pay         521   38    Total Deductions        100   10
                              NET PAY                 421   28`;

  test('is what the other deductions leave, if the pounds agree', async () => {
    const reading = await readText(split('49'));
    expect(valuesOf(reading)).toMatchObject({ gross_pay: 52_138, net_pay: 42_128, tax_deducted: 4_900 });
    expect(reading!.tax_deducted!.confidence).toBe(0.7);
  });

  test('is not given if the pounds differ', async () => {
    expect((await readText(split('48')))!.tax_deducted).toBeNull();
  });
});

describe('a P45', () => {
  const p45 = (totals: [string, string], here: [string, string], left = '22/01/2025'): string => `
P45 Part 1A   Details of employee leaving work
Employer PAYE reference               138/AB560
Leaving date                          ${left}
Tax code at leaving date              1257L
Total pay to date                     ${totals[0]}
Total tax to date                     ${totals[1]}
Total pay in this employment          ${here[0]}
Total tax in this employment          ${here[1]}
Employer name                         Pemberton Garden Centres Ltd`;

  test('gives the totals to date if both kinds of totals are filled in', async () => {
    const reading = await readText(p45(['34,472.78', '4,990.18'], ['32,547.48', '4,279.80']));
    expect(valuesOf(reading)).toMatchObject({ gross_pay: 3_447_278, tax_deducted: 499_018 });
  });

  test("gives this employment's totals if the totals to date are blank", async () => {
    const reading = await readText(p45(['', ''], ['32,547.48', '4,279.80']));
    expect(valuesOf(reading)).toMatchObject({ gross_pay: 3_254_748, tax_deducted: 427_980 });
  });

  test.each(['22 01 2025', '22012025', '2201 2025'])('reads a leaving date in boxes: %s', async (left) => {
    const reading = await readText(p45(['34,472.78', '4,990.18'], ['', ''], left));
    expect(valuesOf(reading)).toMatchObject({ pay_date: '2025-01-22', pay_period: '22 01 2025' });
  });
});

describe('OCR mistakes', () => {
  const read = async (text: string, doubtful = /^$/): Promise<Extraction | null> =>
    await extractReading([
      changed(typed(text, { source: 'ocr', probability: 0.97 }), (word) => ({
        ...word,
        probability: doubtful.test(word.text) ? 0.4 : word.probability,
      })),
    ]);

  test('a percent sign after a label is not a digit of an amount', async () => {
    const rate = plain({ pension: 'Pension 4.08' });
    expect(valuesOf(await read(rate, /^4\.08$/))).toMatchObject(PLAIN);
  });

  test('pounds and pence may run together in their columns', async () => {
    const columns = plain({ gross: 'Gross Pay                        £   p\nTotal Gross Pay' }).replace(
      /(\d)\.(\d\d)(?=\s)/g,
      '$1   $2',
    );
    const joined = columns.replace(/ {3}86 {3}00/, '      8600');
    expect(joined).not.toBe(columns);
    expect(valuesOf(await read(columns))).toMatchObject(PLAIN);
    expect(valuesOf(await read(joined))).toMatchObject(PLAIN);
  });

  test('a gap within a word of a name is ignored', async () => {
    const page = typed(plain(), { source: 'ocr', probability: 0.97 });
    const words = page.words.flatMap((word) =>
      word.text === 'Garden'
        ? [
            { ...word, text: 'Gar', width: 13.5 },
            { ...word, text: 'den', x: word.x + 15, width: 15 },
          ]
        : [word],
    );
    expect((await extractReading([{ ...page, words }]))!.employer_name!.value).toBe('Penrose Garden Centres Ltd');
  });
});

describe('a minus', () => {
  test('before all deductions is only their style', async () => {
    const minus = plain().replace(/ ( 220| 88| 86|220)(?=\.)/g, (amount) => amount.replace(/ (?=\d)/, '-'));
    expect(minus).toMatch(/-220\.40[^]*-88\.16[^]*-86\.00/);
    expect(valuesOf(await readText(minus))).toMatchObject(PLAIN);
  });

  test('before one deduction alone is a refund', async () => {
    const refund = plain().replace(' 220.40', '-220.40').replace('1,755.44', '2,196.24');
    expect(valuesOf(await readText(refund))).toMatchObject({ ...PLAIN, net_pay: 219_624, tax_deducted: -22_040 });
  });

  test.each(['-', 'CR'])('may follow the pence of a refund in their column: %s', async (sign) => {
    const refund = plain({ gross: 'Gross Pay                        £   p\nTotal Gross Pay' })
      .replace('1,755.44', '2,196.24')
      .replace(/(\d)\.(\d\d)(?=\s)/g, '$1   $2')
      .replace('220   40', `220   40${sign}`);
    expect(valuesOf(await readText(refund))).toMatchObject({ ...PLAIN, net_pay: 219_624, tax_deducted: -22_040 });
  });
});

describe('periods', () => {
  test.each([
    ['14 Jun 2025-27 Jun 2025', '14 Jun 2025 - 27 Jun 2025'],
    ['14 Jun 2025 – 27 Jun 2025', '14 Jun 2025 - 27 Jun 2025'],
    ['01/07/2025-31/07/2025', '01/07/2025 - 31/07/2025'],
    ['01-JAN-27 TO 31-JAN-27', '01-JAN-27 TO 31-JAN-27'],
    ['01-JAN-27 T0 31-JAN-27', '01-JAN-27 TO 31-JAN-27'],
    ['01/07/2025 to 31/07/2025', '01/07/2025 to 31/07/2025'],
  ])('%s is given as %s', async (printed, given) => {
    expect(valuesOf(await readText(plain({}, `Pay period:   ${printed}`)))).toMatchObject({ pay_period: given });
  });

  test('a sentence can give the pay date', async () => {
    const text = plain().replace('Pay date 31/05/2025', 'Mrs E Thornton, paid on 15 January 2027');
    expect(valuesOf(await readText(text))).toMatchObject({ pay_date: '2027-01-15' });
  });

  test('the tax year of a P60 is read even without the spaces of its title', async () => {
    const reading = await readText(`
P60 End of Year Certificate                    Tax Yearto 5 April 2027
Employer                                       Harrowbeck High School
                           Pay                 Tax deducted
In this employment         30,549.21           3,594.00
Total for year             30,549.21           3,594.00`);
    expect(valuesOf(reading)).toMatchObject({ tax_year: '2026-27', pay_period: 'Tax Year to 5 April 2027' });
  });
});

describe('an employer', () => {
  const headed = (top: string, table: string): string =>
    plain({}, table).replace('Penrose Garden Centres Ltd', top.padEnd(26));

  test.each(['Cumulative E', 'Cumulativ e', 'Year to date', 'Totals', 'Balances', 'Pay this year'])(
    'is never the heading "%s" of a column',
    async (heading) => {
      const table = `
                 Employer             Employer
                 ${heading.padEnd(20)} This Period
NI               2,428.15             369.01`;
      expect(valuesOf(await readText(headed('The Tea Rooms', table)))).toMatchObject({
        employer_name: 'The Tea Rooms',
      });
    },
  );

  test.each(['Customer Services', 'Teaching Assistant', 'Support Team', 'Finance Department'])(
    'is not the "%s" of the employee',
    async (work) => {
      const text = headed(work, '').replace('Payslip', 'The Tea Rooms      Payslip');
      expect(valuesOf(await readText(text))).toMatchObject({ employer_name: 'The Tea Rooms' });
    },
  );

  test('is not the town in two addresses', async () => {
    const address = `
Pay slip
The White Hart
19 High Street
Llanderyn
CF18 7RE

Mrs M Thornton
147 Albert Road
Llanderyn
CF1 2ZX
`;
    const text = address + plain().replace('Penrose Garden Centres Ltd            Payslip', '');
    expect(valuesOf(await readText(text))).toMatchObject({ employer_name: 'The White Hart' });
  });

  test.each(['Employee ID', 'Period End', 'Payroll Ref.', 'Works Number', 'Cost Code', 'Start Date', 'Job Title'])(
    'is not "%s", a label beside its own',
    async (caption) => {
      const row = `Company                       ${caption}\nTarrant's of Wexmoor          0041\n\n`;
      expect((await readText(row + plain().replace(/Penrose Garden Centres Ltd/, '')))!.employer_name).toMatchObject({
        value: "Tarrant's of Wexmoor",
        confidence: 0.95,
      });
    },
  );

  test.each(['From', 'Paid by', 'Payslip from', 'On behalf of', 'Employer:'])('is named without "%s"', async (lead) => {
    const reading = await readText(plain().replace('Penrose', `${lead} Penrose`));
    expect(reading!.employer_name).toMatchObject({ value: 'Penrose Garden Centres Ltd' });
  });

  test.each(['Sent out by Penrose Garden Centres Ltd'])('is named without the words before it: %s', async (text) => {
    const reading = await readText(plain().replace('Penrose Garden Centres Ltd', text));
    expect(reading!.employer_name!.value).toBe('Penrose Garden Centres Ltd');
  });

  test('is read in capitals that OCR joined', async () => {
    const text = headed('RAVENSHOLTUNIVERSITYHOSPITALSNHSFOUNDATIONTRUST', '').replace(
      'Deductions',
      'Department\nCustomer Services\n\nDeductions',
    );
    expect(valuesOf(await extractReading([typed(text, { source: 'ocr', probability: 0.97 })]))).toMatchObject({
      employer_name: 'RAVENSHOLT UNIVERSITY HOSPITALS NHS FOUNDATION TRUST',
    });
  });
});

const anyLayout = fc.constantFrom(...LAYOUTS);
const sources = fc.constantFrom('text' as const, 'ocr' as const);

describe("the positions of a page's words", () => {
  test('can all be shifted and scaled without effect', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyLayout,
        fc.double({ min: 0.2, max: 8, noNaN: true }),
        fc.integer({ min: -20, max: 200 }),
        async (layout, scale, shift) => {
          const page = typed(layout.text);
          const moved = changed(page, (word) => ({
            ...word,
            x: (word.x + shift) * scale,
            y: (word.y + shift) * scale,
            width: word.width * scale,
            height: word.height * scale,
          }));
          const sized = { ...moved, width: page.width * scale, height: page.height * scale };
          expect(valuesOf(await extractReading([sized]))).toEqual(valuesOf(await extractReading([page])));
        },
      ),
      { numRuns: 25 },
    );
  });

  test('can each differ by a tenth of their height', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyLayout,
        fc.infiniteStream(fc.double({ min: -0.09, max: 0.09, noNaN: true })),
        async (layout, offs) => {
          const page = typed(layout.text);
          const off = (): number => Number(offs.next().value);
          const jittered = changed(page, (word) => ({
            ...word,
            x: word.x + off() * word.height,
            y: word.y + off() * word.height,
          }));
          expect(valuesOf(await extractReading([jittered]))).toEqual(valuesOf(await extractReading([page])));
        },
      ),
      { numRuns: 40 },
    );
  });

  test('can be in any order', async () => {
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
        const read = valuesOf(await extractReading([askew]));
        for (const field of AMOUNT_FIELDS)
          expect(read?.[field]).toEqual(valuesOf(await extractReading([page]))?.[field]);
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
      const amounts = Object.values(amountsOf(layout)).filter((amount) => amount !== null && amount !== 0);
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
