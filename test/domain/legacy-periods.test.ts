import { amountsOf, sure, withReader } from '../helpers/legacy-amounts.ts';

const { readText } = withReader();

// The gross pay is £2,000 in the first column and £2,150 in the second. Both columns add up.
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
const NOW = sure(215_000, 175_544, 22_040, 8_816, 8_600);
const BEFORE = sure(200_000, 164_000, 20_000, 8_000, 8_000);

describe('columns of several periods', () => {
  test.each([
    ['the title', page('Your August 2026 pay', 'July', 'August')],
    ['the labelled day of payment', page('Payslip', 'July', 'August', 'Pay date: 31/08/2026')],
    ['a week in the title', page('Payslip for week 22', 'Week 21', 'Week 22')],
    ['the period', page('Payslip', '31/07/2026', '31/08/2026', 'Period: 01/08/2026 - 31/08/2026')],
    ['the words "last" and "this"', page('Payslip', 'Last month', 'This month')],
    ['the word "previous" over the other', page('Payslip', 'Previous', 'August')],
  ])('give the period that %s names', async (_by, text) => {
    expect(amountsOf(await readText(text))).toEqual(NOW);
  });

  test('may begin with the paid period', async () => {
    expect(amountsOf(await readText(page('Your July 2026 pay', 'July', 'June')))).toEqual(BEFORE);
    expect(amountsOf(await readText(page('Your January 2027 pay', 'January', 'December')))).toEqual(BEFORE);
  });

  test('give nothing certain if no text names the paid period', async () => {
    const reading = await readText(page('Payslip', 'July', 'August'));
    expect(amountsOf(reading).filter(([, isSure]) => isSure)).toEqual([]);
    expect(reading.confidence).toBeLessThan(0.9);
  });

  test.each([
    ['Before', 'After'],
    ['Column A', 'Column B'],
    ['', ''],
  ])('give nothing certain under "%s" and "%s"', async (first, second) => {
    expect(amountsOf(await readText(page('Payslip', first, second))).filter(([, isSure]) => isSure)).toEqual([]);
  });

  test('do not count in the comparison with the year', async () => {
    const { checks } = await readText(page('Your August 2026 pay', 'July', 'August'));
    expect(checks.find(({ name }) => name === 'year-to-date-covers-period')!.holds).toBe(true);
  });
});
