import type { Word } from '../../domain/legacy/page.ts';
import { amountsOf, penceOf, withReader } from '../helpers/legacy-amounts.ts';
import { typed } from '../helpers/legacy-pages.ts';

const { extractReading, readSeen, readText } = withReader();

const ALL = '215000 172744 22040 8816 11400';

const payslip = ({
  name = 'Penrose Builders Ltd',
  title = 'Payslip for May 2025',
  gross = 'Gross pay',
  under = '',
  ni = 'N.I.',
} = {}): string => `
${name}
${title}

${gross.padEnd(48)}2,150.00
${under.padStart(56)}
P.A.Y.E.                                          220.40
${ni.padEnd(48)}  88.16
Pension                                           114.00
Net pay                                         1,727.44
`;

/** `_` stands for a space that OCR missed. OCR is unsure of the words in `doubted`. */
const seen = (text: string, doubted: readonly string[] = []) =>
  readSeen(text, (word) => ({
    ...word,
    text: word.text.replaceAll('_', ' '),
    probability: doubted.includes(word.text) ? 0.6 : 0.97,
  }));
/** Shifts the words that are `moved`. */
const shifted = (text: string, moved: RegExp, by: number) =>
  readSeen(text, (word) => (moved.test(word.text) ? { ...word, x: word.x + by } : word));
const narrower = (word: Word): Word => ({ ...word, x: word.x + 1, width: word.width - 2 });

describe('an amount', () => {
  test.each([
    ['a pound sign as a dollar', (amount: string) => `$${amount}`],
    ['dirt before it', (amount: string) => `.${amount}`],
    ['round brackets as square ones', (amount: string) => `[${amount})`],
    ['a point as a hyphen, before a minus', (amount: string) => `${amount.replace('.', '-')}-`],
  ])('is read if OCR misread its currency, bracket or point: %s', async (_, misread) => {
    const text = payslip().replace(/(220|88|114)\.\d\d/g, misread);
    const { tax_deducted, pension_deducted, net_pay } = await seen(text.replace(/ {2}(?=[$.[]|\d+-)/g, ' '));
    expect([tax_deducted, pension_deducted, net_pay].map((one) => one!.value)).toEqual([22_040, 11_400, 172_744]);
  });

  test('is none in a text that has a dollar sign', async () => {
    expect((await readText(payslip().replace('220.40', '$220.40'))).tax_deducted).toBeNull();
  });

  test('is read without the dots before it, by its comma alone, and beside a currency that touches it', async () => {
    for (const text of [
      payslip().replace(' 2,150.00', '.2,150.00').replace(' 220.40', '.220.40').replace('  88.16', '..88.16'),
      payslip().replace('2,150.00', '2,15000').replace('1,727.44', '1,72744'),
      payslip().replaceAll(/ {4}(?=[\d,]+\.\d\d)/g, ' GBP'),
    ])
      expect(amountsOf(await seen(text))).toBe(ALL);
  });

  test.each(['YTD 38,700.00', 'YTD 38,70000', 'YTD38,700.00', 'YTD 38,700,0O'])(
    'is not under a column heading if the year is below it, even misread: %s',
    async (under) => {
      expect(amountsOf(await seen(payslip({ under })))).toBe(ALL);
    },
  );

  test('does not change if the year below it lost all its punctuation', async () => {
    expect(penceOf(await seen(payslip({ under: 'YTD 3870000' })))).toBe(ALL);
  });

  test.each([
    ['pension_deducted', '114.00', '11400', 11_400],
    ['ni_deducted', '88.16', '8816', 8_816],
  ] as const)(
    'without its point is what the totals leave, if the digits agree: %s',
    async (field, printed, read, pence) => {
      const total = 'Total deductions                                  422.56';
      const text = payslip().replace('\nNet pay', `\n${total}\nNet pay`);
      const found = async (figures: string) => (await seen(text.replace(printed, figures)))[field];
      expect(await found(read)).toMatchObject({ value: pence, confidence: 0.7 });
      expect(await found(read.replace(/.$/, '7'))).toBeNull();
    },
  );

  test('has no digit from a percent sign after its label', async () => {
    const reading = await readSeen(payslip().replace('Pension     ', 'Pension 4.08'), (word) =>
      word.text === '4.08' ? { ...word, probability: 0.4 } : word,
    );
    expect(penceOf(reading)).toBe(ALL);
  });
});

describe('a digit that OCR misread', () => {
  test.each([
    ['tax_deducted', '220.40', '226.40', 22_040],
    ['ni_deducted', '88.16', '83.16', 8_816],
    ['pension_deducted', '114.00', '174.00', 11_400],
    ['ni_deducted', '88.16', '888.16', 8_816],
  ] as const)('is corrected by the sums, and the amount is not certain: %s', async (field, printed, misread, pence) => {
    const reading = await seen(payslip().replace(printed.padStart(misread.length), misread), [misread]);
    expect(penceOf(reading)).toBe(ALL);
    expect(reading[field]).toMatchObject({ value: pence, confidence: 0.7 });
  });

  test.each([
    ['OCR is sure of all digits', '226.40', []],
    ['two digits are different', '236.40', ['236.40']],
  ])('stays as it was read if %s, and the amount is not certain', async (_, misread, doubted) => {
    const { tax_deducted } = await seen(payslip().replace('220.40', misread), doubted);
    expect(tax_deducted!.value).toBe(Math.round(Number(misread) * 100));
    expect(tax_deducted!.confidence).toBeLessThan(0.9);
  });

  test('or a minus that it lost makes deductions uncertain', async () => {
    const reading = await seen(payslip().replace(' 220.40', '-220.40').replace(' 114.00', '-114.00'));
    expect(penceOf(reading)).toBe(ALL);
    expect(reading.tax_deducted!.confidence).toBeLessThan(0.9);
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
    const { gross_pay, net_pay, tax_deducted } = await readText(split('49'));
    expect([gross_pay!.value, net_pay!.value]).toEqual([52_138, 42_128]);
    expect(tax_deducted).toMatchObject({ value: 4_900, confidence: 0.7 });
    expect((await readText(split('48'))).tax_deducted).toBeNull();
  });
});

describe('words that OCR joined, split or misread', () => {
  test.each([
    ['Payslip forMay 2025', 'May 2025'],
    ['Payslip for_May 2025', 'May 2025'],
    ['Payslip for 0ctober 2O25', 'October 2025'],
    ['Month: APRI1 2025', 'APRIL 2025'],
    ['Period: 1 Ju|y 2025 - 31 Ju|y 2025', '1 July 2025 - 31 July 2025'],
    ['Period: 01.1l.2024 - 3O.11.2024', '01.11.2024 - 30.11.2024'],
    ['Period: 01/05/2025 T0 31/05/2025', '01/05/2025 TO 31/05/2025'],
    ['Week ending 11/07/2025 -', '11/07/2025'],
    ['Pay period: 1 Septembcr 2024 - 30 September 2024', '1 September 2024 - 30 September 2024'],
    ['Pay period: 01/05/2025to31/05/2025', '01/05/2025 to 31/05/2025'],
    ['PER IOD NO   9', 'PERIOD 9'],
    ['TAX PERI00   9', 'TAX PERIOD 9'],
    ['Tax Peri0d   9', 'Tax Period 9'],
    ['Tax Mth   9', 'Tax Mth 9'],
  ])('are a period: %s', async (title, period) => {
    expect((await seen(payslip({ title }))).pay_period!.value).toBe(period);
  });

  test('name a period no more certainly than they were read', async () => {
    const { pay_period } = await seen(payslip({ title: 'Tax Period   9' }), ['Period']);
    expect(pay_period!.confidence).toBeLessThan(0.6);
  });

  test.each(["E'ee N..C.", 'Nationa l Insuranc e'])('are still labels: %s', async (ni) => {
    expect(amountsOf(await seen(payslip({ ni })))).toBe(ALL);
  });

  test.each([
    ['Citizens of Penrose Cic', 'Citizens of Penrose CIC'],
    ['Citizens of Penrose CiC', 'Citizens of Penrose CIC'],
    ['Citizens of Penrose ClC', 'Citizens of Penrose CIC'],
    ['Penrose Software (Uk) Ltd', 'Penrose Software (UK) Ltd'],
    ['Penrose Nhs Trust', 'Penrose NHS Trust'],
    ['Penrose Builders LTd', 'Penrose Builders Ltd'],
    ['PENROSE & SONSLTD', 'PENROSE & SONS LTD'],
    ['PENROSE BUILDERS LTd', 'PENROSE BUILDERS LTD'],
    ['Penrose&Hollis LLP', 'Penrose & Hollis LLP'],
    ['Penrose Buildersplc', 'Penrose Builders plc'],
    ['M&P Builders Ltd', 'M&P Builders Ltd'],
    ['McPenrose Builders Ltd', 'McPenrose Builders Ltd'],
    ['Penrose Builders Plc', 'Penrose Builders Plc'],
    [
      'RAVENSHOLTUNIVERSITYHOSPITALSNHSFOUNDATIONTRUST\nDepartment\nCustomer Services',
      'RAVENSHOLT UNIVERSITY HOSPITALS NHS FOUNDATION TRUST',
    ],
    ['Pay Group:   Monthly\n\nThe Old Penrose Bakery', 'The Old Penrose Bakery'],
    ['Staff Association:   Monthly\n\nThe Old Penrose Bakery', 'The Old Penrose Bakery'],
    ['Payroll Services:   Monthly\n\nThe Old Penrose Bakery', 'The Old Penrose Bakery'],
  ])('are written like names of organisations: %s', async (name, mended) => {
    expect((await seen(payslip({ name }))).employer_name!.value).toBe(mended);
  });

  test('may overlap, or repeat a letter, which then counts once', async () => {
    const employer = async (name: string, moved: RegExp, by: number) =>
      (await shifted(payslip({ name }), moved, by)).employer_name!.value;
    expect(await employer('StP Penrose Ltd', /^Penrose$/, -9)).toBe('St Penrose Ltd');
    expect(await employer('PENROSE ACADEMY', /^ACADEMY$/, -6)).toBe('PENROSE ACADEMY');
    expect(amountsOf(await shifted(payslip({ ni: 'N N.I.' }), /^N$/, 10))).toBe(ALL);
  });
});

describe('wide spaces', () => {
  test.each(['N.I.  (EES)', 'National Insurance  (Employee)', 'NI  (A)'])(
    'do not separate brackets from a label: %s',
    async (ni) => {
      expect(amountsOf(await readSeen(payslip({ ni }), narrower))).toBe(ALL);
    },
  );

  test.each(['PENROSE  BUILDERS  LTD', 'PENROSE  LOGI STICS  LTD', 'Penrose  Builders  plc'])(
    "do not separate a company's suffix, or a word: %s",
    async (name) => {
      const reading = await readSeen(payslip({ name }), (word) =>
        /^(ltd|plc|stics)$/i.test(word.text) ? { ...word, x: word.x + (word.text === 'STICS' ? -1 : 2) } : word,
      );
      expect(reading.employer_name!.value).toBe(name.replace('LOGI STICS', 'LOGISTICS').replace(/ +/g, ' '));
    },
  );

  test('do not split a label, or one between two columns', async () => {
    const wider = (word: Word): Word => ({ ...word, x: word.x * 1.6, width: word.width * 1.6 - 1.5 });
    expect(amountsOf(await readSeen(payslip({ gross: 'TOTAL PAY' }), wider))).toBe(ALL);
    expect(amountsOf(await shifted(payslip({ ni: 'Nat.     Insurance' }), /^Insurance$/, -11))).toBe(ALL);
  });

  test("do not end columns within an amount's label", async () => {
    const text = `
P45 Part 1A               Details of employee leaving work

4   Leaving date                          20/12/2025
7   Total pay to date                     40523.44
    Total tax to date                     4427.81
13  Employer name                         Penrose Builders Ltd
`;
    const reading = await readSeen(text, narrower);
    expect(reading).toMatchObject({ gross_pay: { value: 4_052_344 }, tax_deducted: { value: 442_781 } });
  });
});

describe('a box of pounds and pence of a P60', () => {
  const p60 = (second: string): string => `
P60 End of Year Certificate                   TAX YEAR T0 5 APRIL 2026

                              Pay               Tax deducted
                                £  p                 £  p
In this employment          27621  00             3008  40
Total for year              27621  00             3008  40

National Insurance contributions in this employment
NIC letter                                  Employee's contributions
                                                     £  p
A              6500      6070      1856           1204  08
H              2048      1214       988           ${second}

Employer's full name
Penrose Garden Centres Ltd
`;

  test.each([
    ['whole', ' 360  74', 156_482],
    ['as one number', '36074', 156_482],
    ['with its line as a letter', '360l 74', 156_482],
    ['as nothing', '0  00', 120_408],
    ['as nothing, misread', 'ol 00', 120_408],
    ['as nothing, misread', 'o 00', 120_408],
    ['as nothing, misread', '0l00', 120_408],
  ])('is read %s: %s', async (_, second, ni) => {
    const reading = await readSeen(p60(second), (word) =>
      word.text === '36074' ? { ...word, x: word.x + 1, width: word.width + 14 } : word,
    );
    expect(reading).toMatchObject({
      gross_pay: { value: 2_762_100 },
      ni_deducted: { value: ni },
      pay_period: { value: 'TAX YEAR TO 5 APRIL 2026' },
    });
  });
});

test('a gap within a word of a name is ignored', async () => {
  const page = typed(payslip({ name: 'Penrose Garden Centres Ltd' }), { source: 'ocr', probability: 0.97 });
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
