import { amountsOf, sure, withReader } from '../helpers/legacy-amounts.ts';

const { readText } = withReader();

describe('a payslip in two languages', () => {
  const payslip = (parted: string): string => `
# Cyngor Penrose Council

Diwedd Cyfnod${parted}Period Ending: 31/05/2025       Cod Treth${parted}Tax Code: 1257L

Taliadau${parted}Payments            Swm${parted}Amount      Didyniadau${parted}Deductions      Swm${parted}Amount
Cyflog${parted}Salary                      2,150.00          Treth${parted}Tax                           220.40
                                                    Yswiriant Gwladol${parted}Nat. Ins.          88.16
                                                    Pensiwn${parted}Pension                      86.00

Cyfanswm${parted}Gross Pay      2,150.00        Cyfanswm${parted}Total Deductions   394.56

                                            Cyflog Net${parted}Net Pay      1,755.44

Blwyddyn hyd yma${parted}Year to date
Gros${parted}Gross           Treth${parted}Tax         Pensiwn${parted}Pension
4,300.00               440.80               172.00
`;

  test.each([' / ', '/ '])('is read by its English labels after "%s"', async (parted) => {
    const reading = await readText(payslip(parted));
    expect(amountsOf(reading)).toEqual(sure(215_000, 175_544, 22_040, 8_816, 8_600));
    expect(reading.pay_period!.value).toBe('31/05/2025');
  });
});

describe("a pensioner's payslip", () => {
  test('has its pension as gross and net pay, and no pension deducted', async () => {
    const text = `
# Penrose Pension Fund
Pension payslip
Payment date: 31/05/2025                 Tax code 1257L

Pension                        This month     Tax year to date
Annual pension / 12              2,050.00             4,100.00
Pensions increase                  100.00               200.00
Gross pension                    2,150.00             4,300.00

Deductions                     This month     Tax year to date
Income tax                         220.40               440.80
Total deductions                   220.40               440.80

Net pension paid                                      £1,929.60
`;
    const none = [null, false];
    expect(amountsOf(await readText(text))).toEqual([...sure(215_000, 192_960, 22_040), none, none]);
  });
});

describe('a line with its dates', () => {
  test.each(['01-MAY-25 TO 31-MAY-25', '1 May 2025 - 31 May 2025', '31 May 2025', '(01 May 25 to 31 May 25)'])(
    'has its amount after %s',
    async (days) => {
      const text = `
# Penrose Borough Council
MONTH ENDING: 31-MAY-25
CODE   PAYMENTS               PERIOD                         AMOUNT
0012   BASIC PAY              ${days}       2,150.00
       TOTAL PAYMENTS                                      2,150.00
CODE   DEDUCTIONS             PERIOD                         AMOUNT
1201   INCOME TAX             ${days}         220.40
1202   NATIONAL INSURANCE     ${days}          88.16
1203   PENSION CONTRIBUTION   ${days}          86.00
       TOTAL DEDUCTIONS                                      394.56
       AMOUNT PAID TO BANK                                 1,755.44
`;
      const amounts = amountsOf(await readText(text)).map(([pence]) => pence);
      expect(amounts).toEqual([215_000, 175_544, 22_040, 8_816, 8_600]);
    },
  );
});

describe('the gross pay in a single list of pay and deductions', () => {
  test.each(['Gross for the month', 'Gross for month', 'Gross this month', 'Gross for the week'])(
    'may be called "%s"',
    async (label) => {
      const text = `
# Penrose Design Ltd
Payment date    31 May 2025
Description                    Amount
Basic pay                    2,150.00
${label.padEnd(29)}2,150.00
PAYE                          -220.40
Employee NIC                   -88.16
Employee pension               -86.00
Net payable                 £1,755.44
`;
      expect(amountsOf(await readText(text))).toEqual(sure(215_000, 175_544, 22_040, 8_816, 8_600));
    },
  );
});

test('lines above the gross pay in a single list are payments, not deductions', async () => {
  const text = `
# Penrose Design Ltd
Payment date    31 May 2025
Description                    Amount
Basic pay                    1,900.00
Statutory sick pay             118.75
London weighting               120.00
On call                         60.00
Cycle scheme                   -48.75
Gross pay                    2,150.00
PAYE                          -220.40
Employee NIC                   -88.16
Employee pension               -86.00
Loan repayment                 -26.00
Net payable                 £1,729.44
`;
  expect(amountsOf(await readText(text))).toEqual(sure(215_000, 172_944, 22_040, 8_816, 8_600));
});

test("a P60's labels may be split by OCR", async () => {
  const text = `
P60    END OF YEAR CERTIFICATE                       YEAR TO 5 APRIL 2025
PAY AND INCOME TAX                         NATIONAL INSURANCE IN THI S EMPLOYMENT
                           PAY         TAX      TABLE LETTER                    A
TOTAL FOR THE YEAR       46233.98     6009.77   EARNINGS AT LEL              6500
PREVIOUS EMPLOYMENT       7982.33      875.37   LEL TO PT                    6070
THI S EMPLOYMENT         38251.65     5134.40   EMPLOYEE ' S CONTRIBUTIONS   2054.53
`;
  expect(await readText(text)).toMatchObject({
    document_type: 'p60',
    gross_pay: { value: 3_825_165 },
    tax_deducted: { value: 513_440 },
    ni_deducted: { value: 205_453 },
  });
});

describe('a tax refund', () => {
  test.each([
    ['-', '', ' 21.84'],
    ['', '-', '-21.84'],
  ])('is recognised by the sign of NI if nothing adds up: minus "%s" for deductions', async (taken, back, total) => {
    const text = `
# Penrose Design Ltd
Payment date    31 May 2025
Description                    Amount
Gross pay                    1,275.74
PAYE                         ${`${back}40.06`.padStart(8)}
Employee NIC                 ${`${taken}18.22`.padStart(8)}
Total deductions             ${total.padStart(8)}
Net payable                  1,290.00
`;
    expect(await readText(text)).toMatchObject({ tax_deducted: { value: -4_006 }, ni_deducted: { value: 1_822 } });
  });
});

describe('a P45 on the official form', () => {
  test('has its amounts in boxes below their labels and further to the right', async () => {
    const text = `
P45 Part 1A                              Details of employee leaving work
4 Leaving date DD MM YYYY           7 Last entries on Payroll record/Deductions Working Sheet
   20 12 2025                         Month number     9
5 Student Loan deductions             Total pay to date
                                                        £     40523 | 44
6 Tax code at leaving date            Total tax to date
   1257L                                                £      4427 | 81
                                    8 This employment pay and tax
                                      Total pay in this employment
                                                        £     33608 | 46
                                      Total tax in this employment
                                                        £      4309 | 00
`;
    expect(await readText(text)).toMatchObject({
      document_type: 'p45',
      gross_pay: { value: 4_052_344 },
      tax_deducted: { value: 442_781 },
    });
  });
});
