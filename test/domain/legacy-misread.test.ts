import { amountsOf, sure, withReader } from '../helpers/legacy-amounts.ts';
import { changed, typed } from '../helpers/legacy-pages.ts';

const { extractReading, readText } = withReader();

const NOW = sure(215_000, 172_744, 22_040, 8_816, 11_400);
const AMOUNTS = NOW.map(([pence]) => pence);

const payslip = (period = 'Payslip for May 2025'): string => `
Penrose Builders Ltd
${period}

Gross pay                                       2,150.00
P.A.Y.E.                                          220.40
N.I.                                               88.16
Pension                                           114.00
Net pay                                         1,727.44
`;

// OCR is unsure of the words in `doubted`.
const seen = async (text: string, doubted: readonly string[] = []) =>
  (await extractReading([
    changed(typed(text, { source: 'ocr' }), (word) => ({ ...word, probability: doubted.includes(word.text) ? 0.6 : 0.97 })),
  ]))!; // prettier-ignore

describe('an amount whose currency, bracket or point OCR misread', () => {
  test.each([
    ['a pound sign as a dollar', (amount: string) => `$${amount}`],
    ['dirt before it', (amount: string) => `.${amount}`],
    ['round brackets as square ones', (amount: string) => `[${amount})`],
    ['a point as a hyphen, before a minus', (amount: string) => `${amount.replace('.', '-')}-`],
  ])('is read: %s', async (_, misread) => {
    const text = payslip().replace(/(220|88|114)\.\d\d/g, misread);
    const { tax_deducted, pension_deducted, net_pay } = await seen(text.replace(/ {2}(?=[$.[]|\d+-)/g, ' '));
    expect([tax_deducted, pension_deducted, net_pay].map((one) => one!.value)).toEqual([22_040, 11_400, 172_744]);
  });

  test('is not an amount in a text that has a dollar sign', async () => {
    expect((await readText(payslip().replace('220.40', '$220.40'))).tax_deducted).toBeNull();
  });
});

describe('a digit that OCR misread', () => {
  test.each([
    ['tax', '220.40', '226.40', 22_040],
    ['NI', '88.16', '83.16', 8_816],
    ['pension', '114.00', '174.00', 11_400],
    ['an amount with a digit too many', '88.16', '888.16', 8_816],
  ])('is corrected by the sums, and the amount is not certain: %s', async (_, printed, misread, pence) => {
    const reading = await seen(payslip().replace(printed.padStart(misread.length), misread), [misread]);
    expect(amountsOf(reading).map(([value]) => value)).toEqual(AMOUNTS);
    const fields = [reading.tax_deducted, reading.ni_deducted, reading.pension_deducted];
    expect(fields.find((field) => field!.value === pence)).toMatchObject({ confidence: 0.7 });
  });

  test.each([
    ['OCR is sure of all digits', '226.40', []],
    ['two digits are different', '236.40', ['236.40']],
  ])('stays as it was read if %s, and the amount is not certain', async (_, misread, doubted) => {
    const { tax_deducted } = await seen(payslip().replace('220.40', misread), doubted);
    expect(tax_deducted!.value).toBe(Math.round(Number(misread) * 100));
    expect(tax_deducted!.confidence).toBeLessThan(0.9);
  });
});

describe('deductions whose minus OCR lost', () => {
  test('are deductions, but not certain', async () => {
    const reading = await seen(payslip().replace(' 220.40', '-220.40').replace(' 114.00', '-114.00'));
    expect(amountsOf(reading).map(([value]) => value)).toEqual(AMOUNTS);
    expect(reading.tax_deducted!.confidence).toBeLessThan(0.9);
  });
});

describe('a period', () => {
  test.each([
    ['Tax week: 14/52', 'Tax week 14'],
    ['Pay period: 2 of 12', 'Pay period 2'],
    ['Pay period: 1 May - 31 May', '1 May - 31 May'],
    ['Hours worked between 28/04/2025 and 25/05/2025', '28/04/2025 - 25/05/2025'],
    ['Period start: 01/05/2025     Period end: 31/05/2025', '01/05/2025 - 31/05/2025'],
  ])('is read from %s', async (title, period) => {
    expect((await readText(payslip(title))).pay_period!.value).toBe(period);
  });

  test.each([
    ['Week ending 11/07/2025 -', '11/07/2025'],
    ['Pay period: 1 Septembcr 2024 - 30 September 2024', '1 September 2024 - 30 September 2024'],
    ['Pay period: 01/05/2025to31/05/2025', '01/05/2025 to 31/05/2025'],
  ])('is read from what OCR makes of it: %s', async (title, period) => {
    expect((await seen(payslip(title))).pay_period!.value).toBe(period);
  });
});
