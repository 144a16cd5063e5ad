import { extractReading } from '../../domain/legacy/extract.ts';
import type { Reading } from '../../domain/legacy/reading.ts';
import { typed } from '../helpers/legacy-pages.ts';

const readText = (text: string): Reading => extractReading([typed(text)])!;

/** The five amounts in pence, each with whether it is sure. */
const amountsOf = ({ gross_pay, net_pay, tax_deducted, ni_deducted, pension_deducted }: Reading) =>
  [gross_pay, net_pay, tax_deducted, ni_deducted, pension_deducted].map((field) => [
    field?.value ?? null,
    (field?.confidence ?? 0) >= 0.9,
  ]);
const sure = (...pence: number[]) => pence.map((one) => [one, true]);

describe('what a deduction was worked out on', () => {
  test.each(['Worked out on', 'Due on', 'Based on'])('is no deduction under "%s"', (on) => {
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
    expect(amountsOf(readText(text))).toEqual(sure(215_000, 175_544, 22_040, 8_816, 8_600));
  });
});

describe('a page in cards', () => {
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

  test('gives deductions that are printed with a minus as what they are', () => {
    expect(amountsOf(readText(cards('-£220.40', '-£394.56', '£1,755.44')))).toEqual(
      sure(215_000, 175_544, 22_040, 8_816, 8_600),
    );
  });

  test('gives tax that is paid back with a plus as less than nothing', () => {
    expect(amountsOf(readText(cards('+£20.40', '-£153.76', '£1,996.24')))).toEqual(
      sure(215_000, 199_624, -2_040, 8_816, 8_600),
    );
  });

  test('names its employer beside the word, which is no heading of what an employer pays', () => {
    expect(readText(cards('-£220.40', '-£394.56', '£1,755.44')).employer_name).toMatchObject({
      value: 'Penrose Garden Centres Ltd',
      confidence: 0.95,
    });
  });
});
