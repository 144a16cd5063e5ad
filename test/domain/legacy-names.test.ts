import { USE_FROM } from '../../domain/documents.ts';
import { amountsOf, sure, withReader } from '../helpers/legacy-amounts.ts';

const { readText } = withReader();

const ALL = sure(215_000, 175_544, 22_040, 8_816, 8_600);

// The gross pay is £2,150.
const plain = (net = 'Net pay', line = '', left = '1,755.44'): string => `
Penrose Garden Centres Ltd            Payslip           Pay date 31/05/2025

Gross pay                                2,150.00
PAYE tax                                   220.40
National Insurance                          88.16
Pension                                     86.00
${line}
${net.padEnd(40)} ${left}`;

describe('net pay', () => {
  test.each(
    'Left to pay|Amount due to you|Balance payable|You receive|You have been paid|What you take home|Pay after deductions|Net to pay|To be paid|Paid into your account|Sent to your bank|Final pay'.split(
      '|',
    ),
  )('may be called "%s"', async (name) => {
    expect(amountsOf(await readText(plain(name)))).toEqual(ALL);
  });

  test('with an unknown label is gross pay less deductions if that amount is printed, and otherwise uncertain', async () => {
    expect((await readText(plain('Banked'))).net_pay).toMatchObject({ value: 175_544 });
    expect((await readText(plain('Banked', '', '1,755.43'))).net_pay?.confidence ?? 0).toBeLessThan(USE_FROM);
  });

  test('is never certainly an amount that the employee paid', async () => {
    expect((await readText(plain('You paid', '', '1,755.43'))).net_pay?.confidence ?? 0).toBeLessThan(USE_FROM);
  });
});

describe('a line beside the pension', () => {
  const withLine = async (name: string) => await readText(plain('Net pay', `${name.padEnd(40)}   148.00`, '1,607.44'));

  test.each(['CSAVC', 'FSAVC', 'AVC 2', 'Added pension', 'Added Yrs', 'Alpha EPA', 'LGPS APC', 'Add Vol Pension'])(
    'is part of the pension if it is called "%s"',
    async (name) => {
      expect((await withLine(name)).pension_deducted).toMatchObject({ value: 23_400, confidence: 0.99 });
    },
  );

  test.each(['Zeta plan', 'Vantage 40', 'X9130'])('makes the pension uncertain if it is called "%s"', async (name) => {
    expect((await withLine(name)).pension_deducted!.confidence).toBeLessThan(0.9);
    expect((await withLine(name)).tax_deducted!.confidence).toBe(0.99);
  });

  test.each(['Benenden', 'Season ticket', 'Attachment of earnings', 'Meals on duty', 'Give As You Earn'])(
    'is not part of the pension if it is called "%s"',
    async (name) => {
      expect((await withLine(name)).pension_deducted).toMatchObject({ value: 8_600, confidence: 0.99 });
    },
  );
});

describe('columns of a payslip', () => {
  const table = (headings: string, order: (base: string, own: string, other: string) => string): string => `
Penrose Garden Centres Ltd            Payslip           Pay date 31/05/2025

                              ${headings}
Gross pay                     ${order('          ', '2,150.00', '          ')}
Income tax                    ${order('  2,064.00', '  220.40', '          ')}
National Insurance            ${order('  2,150.00', '   88.16', '    176.32')}
Pension                       ${order('  2,150.00', '   86.00', '    107.50')}
Net pay                       ${order('          ', '1,755.44', '          ')}`;

  test.each(['Base', 'Basis', 'Calculated on'])('give no deduction under "%s"', async (base) => {
    const headings = `${base.padStart(10)}          Employee            Employer`;
    const text = table(headings, (under, own, other) => `${under}          ${own}          ${other}`);
    expect(amountsOf(await readText(text))).toEqual(ALL);
  });

  test("may have the employer's share before the employee's", async () => {
    const headings = `   Base         Employer          Employee`;
    const text = table(headings, (under, own, other) => `${under}     ${other}          ${own}`);
    expect(amountsOf(await readText(text))).toEqual(ALL);
  });

  test.each(['Year to date', 'Brought forward', 'Previous period', 'Since 6 April'])(
    'give no amount of the period under "%s", although it is first',
    async (heading) => {
      const row = (label: string, before: string, now: string): string =>
        `${label.padEnd(30)}${before.padStart(15)}${now.padStart(20)}\n`;
      const text =
        'Penrose Garden Centres Ltd            Payslip           Pay date 31/07/2025\n\n' +
        row('', heading, 'This month') +
        row('Gross pay', '4,300.00', '2,150.00') +
        row('Income tax', '440.80', '220.40') +
        row('National Insurance', '176.32', '88.16') +
        row('Pension', '172.00', '86.00') +
        row('Net pay', '3,510.88', '1,755.44');
      expect(amountsOf(await readText(text))).toEqual(ALL);
    },
  );
});

describe('a heading of the year', () => {
  test.each(['Year to date', 'Since 6 April', 'Cumulative'])('may be left of its labels: "%s"', async (title) => {
    const strip = `
${title.padEnd(16)}  Gross pay      Tax       NI       Pension
Totals            4,300.00    440.80   176.32       172.00`;
    expect(amountsOf(await readText(plain() + strip))).toEqual(ALL);
    const none = plain('Net pay', '', '1,841.44').replace(/Pension .*\n/, '');
    expect((await readText(none + strip)).pension_deducted).toBeNull();
  });

  test('may be "Since the beginning of the tax year" over its labels', async () => {
    const strip = `

Since the beginning of the tax year
Gross pay      Taxable pay      Income tax      Employee NI      Net pay
4,300.00          4,128.00          440.80           176.32     3,682.88`;
    expect(amountsOf(await readText(plain() + strip))).toEqual(ALL);
  });
});

describe('a P60 in sentences', () => {
  const p60 = (previous: string): string => `
P60 End of Year Certificate            Tax year to 5 April 2026
Employer's name                        Northern Star Services Ltd
${previous}Pay in this employment ..........................    28,109.31
Tax deducted in this employment .................     5,621.80
Total for year: pay .............................    28,109.31
Total for year: tax deducted ....................     5,621.80`;

  test('gives pay and tax of this employment', async () => {
    const previous = `Pay in previous employment ......................     1,000.00
Tax deducted in previous employment .............       100.00
`;
    for (const text of [p60(''), p60(previous)])
      expect(await readText(text)).toMatchObject({
        document_type: 'p60',
        gross_pay: { value: 2_810_931 },
        tax_deducted: { value: 562_180 },
      });
  });
});

describe('an employer without a label', () => {
  const page = (title: string): string => `
# ${title}
Jane Smith                     Month 2 2025/26

Gross pay                 2,150.00
PAYE tax                    220.40
National Insurance           88.16
Pension                      86.00
Net pay                   1,755.44

Harrow Bakery
12 Mill Lane, Castleton, LS1 4AB     Employer's PAYE reference 123/AB45`;

  test.each(['My payslip', 'Your pay statement', 'Your payslip for May', 'Payslip'])(
    'may be above its address at the foot of a page, and "%s" is not an employer',
    async (title) => {
      expect((await readText(page(title))).employer_name!.value).toBe('Harrow Bakery');
    },
  );
});
