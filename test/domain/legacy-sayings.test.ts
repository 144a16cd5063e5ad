import { amountsOf, sure, withReader } from '../helpers/legacy-amounts.ts';
import { typed } from '../helpers/legacy-pages.ts';

const { extractReading, readText } = withReader();

const ALL = sure(215_000, 175_544, 22_040, 8_816, 8_600);

const payslip = (lines: string, employer = '# Penrose Garden Centres Ltd'): string => `
${employer}
Payslip for May 2025
Employee: Ms Bethan Hargreaves

${lines}
`;
const DEDUCTIONS = `Income tax                                   220.40
National Insurance                            88.16
Pension                                       86.00`;
const plain = (payments: string, deductions = DEDUCTIONS, net = '1,755.44', employer?: string): string =>
  payslip(
    `${payments}\nGross pay                                  2,150.00\n\n${deductions}\n\nNet pay                                    ${net}`,
    employer,
  );

describe('text right after an amount', () => {
  const cards = (said: string): string =>
    payslip(`Payments                                  Deductions
Salary                      2,150.00      Income tax                    220.40
               4,300.00 ${said}                      440.80 ${said}
                                          National Insurance             88.16
                                                      176.32 ${said}
                                          Pension                        86.00
                                                      172.00 ${said}

Total payments              2,150.00      Total deductions              394.56
Net pay                     1,755.44`);

  test.each(['year to date', 'YTD', 'to date'])('("%s") belongs to this amount and to none below', async (said) => {
    expect(amountsOf(await readText(cards(said)))).toEqual(ALL);
  });
});

describe('a line with several labels, each before its amount', () => {
  const YEAR = 'Gross pay 4,300.00 Income tax 440.80 National Insurance 176.32 Pension 172.00';

  test.each(['Year to date:', 'YTD:', 'Cumulative:'])('belongs to the year if it begins with "%s"', async (title) => {
    const taken = DEDUCTIONS.replace(/\d+\.\d\d$/gm, '-$&');
    expect(amountsOf(await readText(`${plain('', taken)}\n${title} ${YEAR}`))).toEqual(ALL);
  });
});

describe('a name followed by its abbreviation', () => {
  test.each(['National Insurance (NIC)', 'National Insurance Contributions (NICs)', 'National Insurance - NI'])(
    'is one label: "%s"',
    async (name) => {
      const text = plain('', DEDUCTIONS.replace('National Insurance'.padEnd(44), name.padEnd(44)));
      expect(text).toContain(name);
      expect(amountsOf(await readText(text))).toEqual(ALL);
    },
  );
});

describe('pence far from their pounds', () => {
  const form = (head: string, tax = '220        40', net = '1755        44'): string => `
Employer Penrose Garden Centres Ltd
Name Ms Bethan Hargreaves       Works No. 417
Week No. 9                      Tax Code 1257L
N.I. Number JA 12 34 56 A
EARNINGS                                   ${head}
Basic wage      34.00 hrs @ 22.55        2150        00
GROSS WAGE                               2150        00
Tax (P.A.Y.E.)                        ${tax.padStart(17)}
Nat. Insurance                             88        16
Pension                                    86        00
AMOUNT PAYABLE                        ${net.padStart(17)}
`;

  test('belong to them if a p is above their column', async () => {
    expect(amountsOf(await readText(form('£         p')))).toEqual(ALL);
  });

  test('belong to pounds with a minus as well', async () => {
    const { tax_deducted } = await readText(form('£         p', '-220        40', '2196        24'));
    expect(tax_deducted).toMatchObject({ value: -22_040 });
  });

  test('are not pence without the p', async () => {
    expect((await extractReading([typed(form(''))]))?.gross_pay ?? null).toBeNull();
  });

  test("leave the employer's name complete if values directly follow labels", async () => {
    expect((await readText(form('£         p'))).employer_name).toMatchObject({ value: 'Penrose Garden Centres Ltd' });
  });
});

describe('a pension', () => {
  const exchange = (name: string): string =>
    plain(`Salary                                     2,236.00\n${name.padEnd(45)}-86.00`, DEDUCTIONS.replace(/\nPension.*/, ''), '1,841.44'); // prettier-ignore

  test.each(['Salary Sacrifice Pension', 'Pension Salary Exchange', 'Pension Sal Sac'])(
    'for which pay is sacrificed ("%s") is given, but uncertain',
    async (name) => {
      const reading = await readText(exchange(name));
      expect(reading.pension_deducted).toMatchObject({ value: 8_600 });
      expect(reading.pension_deducted!.confidence).toBeLessThan(0.9);
      expect(amountsOf(reading).slice(0, 4)).toEqual(sure(215_000, 184_144, 22_040, 8_816));
    },
  );

  test.each(['Salary Sacrifice Car', 'Cycle to Work', 'Unpaid leave'])(
    'is not another sacrifice of pay: "%s"',
    async (name) => {
      expect((await readText(exchange(name))).pension_deducted).toBeNull();
    },
  );

  test("in the company's scheme is the employee's if net pay is reduced by it", async () => {
    const own = DEDUCTIONS.replace('Pension        ', 'Company Pension');
    expect(amountsOf(await readText(plain('', own)))).toEqual(ALL);
    expect((await readText(plain('', own, '1,841.44'))).pension_deducted).toBeNull();
    const employers = own.replace('Company Pension ', 'Employer Pension');
    expect((await readText(plain('', employers))).pension_deducted).toBeNull();
  });
});

describe('a name with capitals inside', () => {
  test.each(['BrightPath Ltd', 'CareFirst Homes Limited', 'PenroseWorks'])('is given as printed: %s', async (name) => {
    expect((await readText(plain('', undefined, undefined, `# ${name}`))).employer_name!.value).toBe(name);
    expect((await readText(plain('', undefined, undefined, `Employer name: ${name}`))).employer_name!.value).toBe(name);
  });
});

describe('the year of a P60', () => {
  test.each(['Tax year 2025 to 2026', 'Tax year to 5 April 2026', 'Tax year ended 5 April 2026', '2025/26'])(
    'is given by "%s"',
    async (year) => {
      const reading = await readText(`
P60 End of Year Certificate
${year.startsWith('20') ? 'Tax year ' : ''}${year} (certificate for the employee)
Pay in this employment                        27,621.00
Tax deducted in this employment                3,008.40
Employee contributions payable                 1,204.08
Final tax code                                 1257L
Employer name: Penrose Garden Centres Ltd
`);
      expect(reading).toMatchObject({ document_type: 'p60', tax_year: { value: '2025-26' } });
      expect(reading.pay_period!.value).toContain(year);
    },
  );
});
