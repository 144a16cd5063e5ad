import { amountsOf, sure, withReader } from '../helpers/legacy-amounts.ts';

const { readText } = withReader();

describe('the base of a deduction', () => {
  test.each(['Worked out on', 'Due on', 'Based on'])('is not a deduction under "%s"', async (on) => {
    const text = `
Penrose Academy Trust            Payslip           Pay date 31/05/2025

Payments                                                This period       To date
Post 1: Teaching Assistant
Salary                                                     1,400.00      2,800.00
Sub-total post 1                                           1,400.00      2,800.00
Post 2: Midday Supervisor
Salary                                                       750.00      1,500.00
Sub-total post 2                                             750.00      1,500.00
Gross pay, all posts                                       2,150.00      4,300.00

Deductions                       ${on.padStart(13)}         This period       To date
PAYE Tax                              2,064.00               220.40        440.80
National Insurance                    2,150.00                88.16        176.32
LGPS contribution post 1              1,400.00                56.00        112.00
LGPS contribution post 2                750.00                30.00         60.00
Total deductions                                             394.56        789.12

Net pay                                                    1,755.44

Employer's contributions                                This period       To date
National Insurance                                           170.00        340.00
LGPS, both posts                                             400.00        800.00
`;
    expect(amountsOf(await readText(text))).toEqual(sure(215_000, 175_544, 22_040, 8_816, 8_600));
  });
});

describe('a page of cards', () => {
  const cards = (tax: string, off: string, net: string): string => `
Your take-home pay
# ${net}

Employer                    Penrose Garden Centres Ltd
Pay period                  1 May 2025 to 31 May 2025
Tax code                                         1257L

# What you earned
Salary                                       £2,000.00
Overtime                                       £150.00
10.00 hours at £15.00
Total before deductions                      £2,150.00

# What was taken off
Income tax                                    ${tax}
National Insurance                             -£88.16
Pension (your part)                            -£86.00
Total taken off                               ${off}

# What your employer adds
National Insurance                             £170.00
Pension                                        £129.00
`;

  test('gives deductions printed with a minus as deductions', async () => {
    expect(amountsOf(await readText(cards('-£220.40', '-£394.56', '£1,755.44')))).toEqual(
      sure(215_000, 175_544, 22_040, 8_816, 8_600),
    );
  });

  test('gives a tax refund printed with a plus as negative tax', async () => {
    expect(amountsOf(await readText(cards('+£20.40', '-£153.76', '£1,996.24')))).toEqual(
      sure(215_000, 199_624, -2_040, 8_816, 8_600),
    );
  });

  test("has its employer beside the label, which is not a heading of the employer's costs", async () => {
    expect((await readText(cards('-£220.40', '-£394.56', '£1,755.44'))).employer_name).toMatchObject({
      value: 'Penrose Garden Centres Ltd',
      confidence: 0.95,
    });
  });
});

describe('a table with elements of pay as columns', () => {
  const strip = (amount: string, loan = '   18.00'): string => `
Penrose Garden Centres Ltd                              4 weeks ended 26/07/24

                   Basic   Overtime      Gross       PAYE     E'ee       E'ee    Student      Total        Net
                    Wage      x 1.5        Pay        Tax   Nat Ins   Pension       Loan   Deducted        Pay
Units                          8.25
Rate                         18.182
${amount.padEnd(14)}  2,000.00   150.00   2,150.00     220.40     88.16     86.00    ${loan}     412.56   1,737.44
Year to date    8,000.00   300.00   8,300.00     860.00    330.00    320.00      36.00   1,546.00   6,754.00

Taxable         2,064.00    Taxable to date   7,980.00    E'er Nat Ins   170.00
`;

  test.each(['Amount', 'This period', 'Current'])('gives the row "%s"', async (amount) => {
    expect(amountsOf(await readText(strip(amount)))).toEqual(sure(215_000, 173_744, 22_040, 8_816, 8_600));
  });

  test('gives the period of its title', async () => {
    expect((await readText(strip('Amount'))).pay_period!.value).toBe('26/07/24');
  });
});

describe('an employer who is a person', () => {
  const letter = (line: string): string => `
# Payslip
For Ms Bethan Hargreaves, 1 May 2025 to 31 May 2025
${line}
Tax code: 1257L    Tax month 2

Gross pay                 2,150.00
Income tax                  220.40
National Insurance           88.16
Pension, NEST                86.00
Net pay                   1,755.44
`;

  test.each([
    ['Employed by: Mrs D Penrose, 12 Mill Lane, Castleton, LS1 4AB', 'Mrs D Penrose'],
    ['Employed by Mr & Mrs J van der Berg, 12 Mill Lane, Castleton', 'Mr & Mrs J van der Berg'],
    ['Employer: Dr M Hollis', 'Dr M Hollis'],
    ['Employed by: Penrose Garden Centres Ltd, 12 Mill Lane', 'Penrose Garden Centres Ltd'],
  ])('follows the label: %s', async (line, name) => {
    expect((await readText(letter(line))).employer_name!.value).toBe(name);
  });

  test('is never the employee', async () => {
    expect((await readText(letter('12 Mill Lane'))).employer_name?.value ?? '').not.toContain('Hargreaves');
  });
});

describe('an address block', () => {
  test('never gives a town as the employer, even with text beside its postcode', async () => {
    const text = `
The Old Bakery                           Earnings Statement
96 Orchard Close
Thornley                  Pay Date:      27/12/2024
DL17 1SY                  Tax Code:      1257L

Miss A Fairclough
Flat 3, Canal Wharf
Stonebridge
DL26 1WP                  PAYE Ref:      464/AB08288

Gross pay                 2,150.00
Income tax                  220.40
National Insurance           88.16
Net pay                   1,841.44
`;
    expect((await readText(text)).employer_name!.value).toBe('The Old Bakery');
  });
});
