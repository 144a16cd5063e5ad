import { USE_FROM } from '../../domain/documents.ts';
import { amountsOf, sure, withReader } from '../helpers/legacy-amounts.ts';

const { readText } = withReader();

const payslip = (period: string, employer = '# Penrose Garden Centres Ltd', pension = 'Pension'): string => `
${employer}

${period}
Employee: Ms Bethan Hargreaves

                                             This period     Year to date
Gross pay                                       2,150.00         4,300.00
Income tax                                        220.40           440.80
National Insurance                                 88.16           176.32
${pension.padEnd(51)}86.00           172.00
Net pay                                         1,755.44         3,510.88
`;
const periodOf = async (text: string): Promise<string | undefined> =>
  (await readText(payslip(`${text}\nPaid on: 05/06/2025`))).pay_period?.value;

describe('a period', () => {
  test.each(['W/E', 'W/E:', 'WE', 'M/E', 'Wk Ending', 'Week Commencing', 'W/C', 'Week Ending:', 'Mth ended'])(
    'is the day after "%s", not the pay date',
    async (label) => {
      expect(await periodOf(`${label} 30/05/2025`)).toBe('30/05/2025');
    },
  );

  test.each([
    ['Pay Run Period: 01 May - 31 May 2025', '01 May - 31 May 2025'],
    ['1 May to 31 May 2025', '1 May to 31 May 2025'],
    ['Period: 01/05 - 31/05/2025', '01/05 - 31/05/2025'],
  ])('may state the year only at its last day: %s', async (text, period) => {
    expect(await periodOf(text)).toBe(period);
  });

  test.each(['Period: 05/2025', 'Payroll period: 2025/05', 'Pay Period: 05-2025'])(
    'may be a month with a year: %s',
    async (text) => {
      expect(await periodOf(text)).toBe(text.replace(/^.*: /, ''));
    },
  );

  test('is not a tax year', async () => {
    expect(await periodOf('Period: 2011/12')).not.toBe('2011/12');
  });

  test('may be the number after "Wage week"', async () => {
    expect(await periodOf('Wage week: 9')).toBe('Wage week 9');
  });
});

describe('an employer', () => {
  test.each(['Department for Transport', 'Office for Students', 'Ministry of Justice', 'The Crown'])(
    'may be called "%s"',
    async (name) => {
      for (const text of [`Employer name: ${name}`, `# ${name}`, `Employer\n${name}\n12 Mill Lane\nCastleton\nLS1 4AB`])
        expect((await readText(payslip('May 2025', text))).employer_name!.value).toBe(name);
    },
  );

  test("has no person's name in it", async () => {
    for (const name of ['Penrose NHS Foundation Trust G Hargreaves', 'Penrose NHS Foundation Trust Ms B J Hargreaves'])
      expect((await readText(payslip('May 2025', name))).employer_name!.value).toBe('Penrose NHS Foundation Trust');
  });

  test('is named by its own label if its contribution is a column', async () => {
    const text = `
# Penrose Academy Trust
Period Ending : 31/05/2025

Element               Employer Cumulative     Employer    Employee Cumulative     Employee
Total Pay                                                            4,300.00     2,150.00
Income Tax                                                             440.80       220.40
Nat. Insurance                   500.00         250.00                 176.32        88.16
USS Ees 4%                       860.00         430.00                 172.00        86.00
Net Pay                                                              3,510.88     1,755.44
`;
    expect(amountsOf(await readText(text))).toEqual(sure(215_000, 175_544, 22_040, 8_816, 8_600));
  });

  test('is never named "Paid by" or by its street', async () => {
    expect((await readText(payslip('May 2025', 'Paid by: Hollis & Sons'))).employer_name!.value).toBe('Hollis & Sons');
    const street = (await readText(payslip('May 2025', 'Employer\nxx\n12 Mill Lane\nCastleton\nLS1 4AB')))
      .employer_name;
    expect(street?.value).not.toBe('12 Mill Lane');
  });
});

describe('a pension', () => {
  test.each(['PCSPS', 'SAUL', 'Cushon', 'Fidelity', 'Master Trust', 'Defined Contribution'])(
    'may be called "%s"',
    async (name) => {
      expect(amountsOf(await readText(payslip('May 2025', undefined, name)))).toEqual(
        sure(215_000, 175_544, 22_040, 8_816, 8_600),
      );
    },
  );

  test.each(['Zurich', 'Mercer', 'Alpha', 'Retirement'])(
    'that is called "%s" counts if gross less net requires it',
    async (name) => {
      const { pension_deducted } = await readText(payslip('May 2025', undefined, name));
      expect(pension_deducted).toMatchObject({ value: 8_600 });
    },
  );

  test("may be recognised by the employer's contribution of the same name", async () => {
    const own = payslip('May 2025', undefined, 'Collegium');
    expect((await readText(own)).pension_deducted?.confidence ?? 0).toBeLessThan(USE_FROM);
    expect(
      (await readText(`${own}\nEmployer Collegium                                 64.50\n`)).pension_deducted,
    ).toMatchObject({ value: 8_600 });
  });

  test.each(['Company Pension', 'Zurich', 'Voluntary deductions'])(
    'does not include lines that are not deducted: "%s"',
    async (name) => {
      const text = `${payslip('May 2025', undefined, 'Union')}${name.padEnd(51)}64.50           129.00\n`;
      expect((await readText(text)).pension_deducted).toBeNull();
    },
  );

  test('of the employer does not affect the row above', async () => {
    expect((await readText(payslip('May 2025', undefined, "Employer's Pension"))).ni_deducted).toMatchObject({
      value: 8_816,
    });
  });
});

describe('other labels for totals', () => {
  const inPlace = (text: string, label: string, other: string): string =>
    text.replace(label.padEnd(30), other.padEnd(30));
  const WORDS = [['Gross Pmts', 'Nett Pay'], ['Gross pay before deductions', 'Pay after tax'], ['Wages total', 'We have paid you'], ['Total amount earned', 'Net amount due']] as const; // prettier-ignore
  test.each(WORDS)('are "%s" and "%s"', async (gross, net) => {
    const text = inPlace(inPlace(payslip('May 2025'), 'Gross pay', gross), 'Net pay', net);
    expect(amountsOf(await readText(text))).toEqual(sure(215_000, 175_544, 22_040, 8_816, 8_600));
  });

  test.each(['Taxation', 'Pay As You Earn'])('are "%s" for tax', async (tax) => {
    expect((await readText(inPlace(payslip('May 2025'), 'Income tax', tax))).tax_deducted).toMatchObject({
      value: 22_040,
    });
  });

  test.each(['Emp NI', 'Primary Class 1 NICs'])('are "%s" for National Insurance', async (ni) => {
    const text = inPlace(payslip('May 2025'), 'National Insurance', ni);
    expect((await readText(text)).ni_deducted).toMatchObject({ value: 8_816 });
  });

  test('are distinguished if one line ends as another begins', async () => {
    const { ni_deducted, pension_deducted } = await readText(payslip('May 2025', undefined, 'Super'));
    expect([ni_deducted!.value, pension_deducted!.value]).toEqual([8_816, 8_600]);
  });
});

describe('a P60 of one employment', () => {
  test.each([
    ['Total pay for tax year', 'Total tax deducted'],
    ['Pay for the year', 'Tax for the year'],
    ['Pay in this employment', 'Tax deducted in this employment'],
  ])('gives "%s" and "%s"', async (pay, tax) => {
    const text = `
Your P60 for 2024-25                    Tax year to 5 April 2025
Employer: Penrose Garden Centres Ltd
${pay.padEnd(40)}27,621.00
${tax.padEnd(40)}3,008.40
Employee's NIC                          1,204.08
Employer's NIC                          2,880.15
Final tax code                          1257L
`;
    expect(await readText(text)).toMatchObject({
      document_type: 'p60',
      gross_pay: { value: 2_762_100 },
      tax_deducted: { value: 300_840 },
      ni_deducted: { value: 120_408 },
    });
  });
});

describe('a P45', () => {
  const TO_DATE = { document_type: 'p45', gross_pay: { value: 4_052_344 }, tax_deducted: { value: 442_781 } };

  test('may have its pay and tax as columns', async () => {
    const text = `
P45 Part 1A                              Details of employee leaving work

                         Pay             Tax
Total to date            40,523.44       4,427.81
This employment          33,608.46       4,309.00

Leaving date: 20/12/2025
Employer: Penrose Garden Centres Ltd
`;
    expect(await readText(text)).toMatchObject(TO_DATE);
  });

  test('of week 1 or month 1 may name this employment before a colon', async () => {
    const text = `
P45 Part 1A              Details of employee leaving work
Leaving date: 20/12/2025                Tax code at leaving date: 1257L
7 Total pay to date                     7 Total tax to date


8 This employment: total pay            8 This employment: total tax
£33,608.46                              £4,309.00
`;
    const own = { document_type: 'p45', gross_pay: { value: 3_360_846 }, tax_deducted: { value: 430_900 } };
    expect(await readText(text)).toMatchObject(own);
  });

  test('may have a p after its pence', async () => {
    const text = `
P45 Part 1A - Details of employee leaving work
4   Leaving date                  20 December 2025
7   Total pay to date             £ 40,523.44 p
    Total tax to date             £ 4,427.81 p
8   Total pay in this employment  £ 33,608.46 p
    Total tax in this employment  £ 4,309.00 p
`;
    expect(await readText(text)).toMatchObject(TO_DATE);
  });
});
