import { amountsOf, sure, withReader } from '../helpers/legacy-amounts.ts';
import { changed, typed } from '../helpers/legacy-pages.ts';

const { extractReading, readText } = withReader();

const NOW = sure(215_000, 172_744, 22_040, 8_816, 11_400);

describe('boxes side by side', () => {
  const over = (title: string) => ' '.repeat(32 - Math.ceil(title.length / 2)) + title;
  const boxes = (employer: string, title: string): string => `
PENROSE BUILDERS LTD                  W/E 10/01/25                     PAYSLIP

              PAY                              DEDUCTIONS${over(title)}
Basic Hours     80.00  2,000.00     P.A.Y.E.              (220.40)     Gross                      38,700.00
Time & Half     10.00    150.00     N.I. (EES)             (88.16)     Taxable                    38,700.00
                                    People's Pension       (86.00)     P.A.Y.E.                    3,967.20
                                    People's Pens AVC      (28.00)     N.I. (EES)                  1,586.88
                                                                       Pension                     2,052.00
                                    ${employer} N.I.                170.00
                                    ${employer} People's Pension     64.50

Gross                  2,150.00     Total Deds            (422.56)

                                                                       NET                 1,727.44
`;

  test.each(['E/R', 'E/ER', 'E.R.', 'Er', "E'er"])(
    "assign the employer's contributions to the employer: %s",
    async (employer) => {
      expect(amountsOf(await readText(boxes(employer, 'YEAR TO DATE')))).toEqual(NOW);
    },
  );

  test.each(['Totals', ''])('do not add the year’s box under "%s" to the pension', async (title) => {
    expect(amountsOf(await readText(boxes('Er', title)))).toEqual(NOW);
  });

  test.each(['YEAR TO DATE', 'CUMULATIVE', 'THIS YEAR'])('are named by a centred title: %s', async (title) => {
    expect(amountsOf(await readText(boxes('Er', title)))).toEqual(NOW);
    const text = `
PENROSE BUILDERS LTD                  W/E 10/01/25                     PAYSLIP

              PAY                              DEDUCTIONS${over(title)}
Basic Hours     80.00  2,150.00     P.A.Y.E.              (220.40)     Taxable                    38,700.00
                                    N.I.                   (88.16)     Pension                     2,052.00

                                                                       NET                 1,841.44
`;
    expect(await readText(text)).toMatchObject({ tax_deducted: { value: 22_040 }, pension_deducted: null });
  });
});

describe('the gross pay above a table of deductions', () => {
  test("is not the heading of one of the table's columns", async () => {
    const text = `
Penrose Community Health NHS Trust        Temporary Staffing Payslip

Shift date     Reference      Description              Hours       Rate       Amount
01/06/26       46291368       Bank Shift               80.00      25.00     2,000.00
05/06/26       83107774       Enhancement                                     150.00
                              Gross pay                                     2,150.00

Deductions                          PAYE     National Ins.     NHS Pension     Total
This week                         220.40             88.16          114.00    422.56
Year to date                      881.60            352.64          456.00  1,690.24

                                                              Net pay       1,727.44
`;
    expect(amountsOf(await readText(text))).toEqual(NOW);
  });
});

describe('a P60 in two columns', () => {
  const p60 = (contributions: string): string => `
P60     End of Year Certificate                            Tax year to 5 April 2025

Employee's details                            Pay
Surname       Hargreaves                      In previous employment(s)
                                              In this employment           27,621.00
                                              Total for year               27,621.00
National Insurance contributions in this employment
NIC table letter                       A      Tax deducted
Earnings at LEL                     6500      In this employment            3,008.40
Earnings above LEL to PT            6070      Total for year                3,008.40
${contributions}      Final tax code                   1257L

Employer's details                            Other deductions
Penrose Garden Centres Ltd                    Student Loan deductions         412.00
`;

  test.each(["Employee's contributions", 'Employee NI', "Employee's NICs due", 'Employee contributions (above PT)'])(
    'gives the contributions beside "%s"',
    async (label) => {
      const { gross_pay, tax_deducted, ni_deducted } = await readText(p60(`${label.padEnd(35)}1,204.08`));
      expect([gross_pay?.value, tax_deducted?.value, ni_deducted?.value]).toEqual([2_762_100, 300_840, 120_408]);
    },
  );
});

describe('a period of several weeks in a title', () => {
  test.each([
    ['Payslip for the two weeks ended 26 October 2025', '26 October 2025'],
    ['Payslip for the 4 weeks ending 26/10/2025', '26/10/2025'],
    ['Pay advice for the fortnight ended 26 October 2025', '26 October 2025'],
    ['Four weeks ended 26 October 2025', '26 October 2025'],
  ])('ends on its last day, not on the pay date: %s', async (title, period) => {
    const text = `
# Penrose Garden Centres Ltd
${title}

Paid on:                  31 October 2025
Gross pay                 2,150.00
Income tax                  220.40
National Insurance           88.16
Net pay                   1,841.44
`;
    expect((await readText(text)).pay_period).toMatchObject({ value: period, confidence: 0.95 });
  });
});

// OCR's words are narrower, with more space on both sides.
const seen = async (text: string) =>
  (await extractReading([
    changed(typed(text, { source: 'ocr', probability: 0.97 }), (word) => ({ ...word, x: word.x + 1, width: word.width - 2 })),
  ]))!; // prettier-ignore

describe('wide spaces', () => {
  const payslip = (employer: string, ni: string): string => `
${employer}

                                             This period     Year to date
Gross pay                                       2,150.00        38,700.00
P.A.Y.E.                                          220.40         3,967.20
${ni.padEnd(48)}88.16         1,586.88
Pension                                           114.00         2,052.00
Net pay                                         1,727.44        31,093.92
`;

  test.each(['N.I.  (EES)', 'National Insurance  (Employee)', 'NI  (A)'])(
    'do not separate brackets from a label: %s',
    async (ni) => {
      expect(amountsOf(await seen(payslip('Penrose Builders Ltd', ni)))).toEqual(NOW);
    },
  );

  test.each(['PENROSE  BUILDERS  LTD', 'PENROSE  LOGI STICS  LTD', 'Penrose  Builders  plc'])(
    "do not separate a company's suffix: %s",
    async (name) => {
      const whole = name.replace('LOGI STICS', 'LOGISTICS').replace(/ +/g, ' ');
      const page = changed(typed(payslip(name, 'N.I.'), { source: 'ocr', probability: 0.97 }), (word) =>
        /^(ltd|plc|stics)$/i.test(word.text) ? { ...word, x: word.x + (word.text === 'STICS' ? -1 : 2) } : word,
      );
      expect((await extractReading([page]))!.employer_name!.value).toBe(whole);
    },
  );

  test("do not end columns within an amount's label", async () => {
    const text = `
P45 Part 1A               Details of employee leaving work

4   Leaving date                          20/12/2025
7   Total pay to date                     40523.44
    Total tax to date                     4427.81
13  Employer name                         Penrose Builders Ltd
`;
    expect(await seen(text)).toMatchObject({ gross_pay: { value: 4_052_344 }, tax_deducted: { value: 442_781 } });
  });
});
