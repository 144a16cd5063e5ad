import { USE_FROM } from '../../domain/documents.ts';
import type { FieldReading } from '../../domain/legacy/reading.ts';
import { amountsOf, penceOf, withReader } from '../helpers/legacy-amounts.ts';

const { readSeen, readText } = withReader();

const ALL = '215000 175544 22040 8816 8600';
const NO_PENSION = '215000 184144 22040 8816 -';

interface Changes {
  employer?: string;
  top?: string;
  gross?: string;
  tax?: string;
  ni?: string;
  pension?: string;
  /** A deduction below the pension. */
  line?: string;
  net?: string;
  left?: string;
  below?: string;
}

const row = (label: string, amount: string): string => `${label.padEnd(40)}${amount.padStart(9)}`;
const page = (changes: Changes = {}): string => {
  const { employer = 'Penrose Garden Centres Ltd', top = 'Payslip           Pay date 31/05/2025' } = changes;
  const { gross = 'Gross Pay', tax = 'PAYE Tax', ni = 'National Insurance', pension = 'Pension', line = '' } = changes;
  const { net = 'Net Pay', left = line === '' ? '1,755.44' : '1,607.44', below = '' } = changes;
  return `
${employer.padEnd(37)} ${top}

${row(gross, '2,150.00')}

Deductions
${tax === '' ? '' : row(tax, '220.40')}
${ni === '' ? '' : row(ni, '88.16')}
${pension === '' ? '' : row(pension, '86.00')}${line === '' ? '' : `\n${row(line, '148.00')}`}

${row(net, left)}

${below}`;
};
const read = async (changes: Changes) => await readText(page(changes));
const sureness = (field: FieldReading<unknown> | null): number => field?.confidence ?? 0;
const each = (list: string): string[] => list.split('|');

describe('the labels of a payslip', () => {
  const NAMES: Record<string, string> = {
    gross:
      'Total Pay|Total Gross Payments|Gross payment|Total earnings|Total pay and allowances|Gross Pmts|Gross pay before deductions|Wages total|Total amount earned',
    net: 'Net Pay This Period|Net amount|Amount paid into bank|Net pay for period|Total net pay|Pay now|Bank credit|Left to pay|Amount due to you|Balance payable|You receive|You have been paid|What you take home|Pay after deductions|Net to pay|To be paid|Paid into your account|Sent to your bank|Final pay|Nett Pay|Pay after tax|We have paid you|Net amount due',
    tax: 'P.A.Y.E.|P. A. Y. E.|Income tax (PAYE)|Inc. tax|Taxation|Pay As You Earn',
    ni: "E'ee N.I.C.|Employees NI|Ee's NIC|EE NI|Nat. Ins.|N.I.|N. I.|N.1.|Employee's N.1.|Emp NI|Primary Class 1 NICs|National Insurance (NIC)|National Insurance Contributions (NICs)|National Insurance - NI",
    pension:
      "GPP Employee Contribution|A.V.C.|Pension EE|EE Pension 5%|Superannuation|Superann.|Group Personal Pension|Personal pension|Smart pension|Peoples Pension|NOW Pension|Pens Conts|Add'l voluntary contributions|SUPN ADDL CONTS|Superan. contribs|SUPANN|Retirement Plan|Retirement savings|PCSPS|SAUL|Cushon|Fidelity|Master Trust|Defined Contribution|Company Pension",
  };
  const cases = Object.entries(NAMES).flatMap(([field, list]) => each(list).map((label) => ({ field, label })));
  test.each(cases)('include $label for $field', async ({ field, label }) => {
    const reading = await read({ [field]: label });
    expect([amountsOf(reading), reading.confidence]).toEqual([ALL, 0.99]);
  });

  test.each(each('A. V. C.|Stakeholder|Zurich|Mercer|Alpha|Retirement|Super'))(
    'include %s for the pension if gross less net requires it',
    async (pension) => {
      expect(penceOf(await read({ pension }))).toBe(ALL);
    },
  );

  test.each(each("E'er N.I.C.|Employers NI|ER Pension|E.R. Pension|GPP Employer Contribution|Co. Pension|Co. NI"))(
    'assign %s to the employer',
    async (pension) => {
      expect(penceOf(await read({ pension, left: '1,841.44' }))).toBe(NO_PENSION);
    },
  );

  test('of a pension are not certain if the net pay is not reduced by it', async () => {
    expect((await read({ pension: 'Company Pension', left: '1,841.44' })).pension_deducted).toBeNull();
    expect(sureness((await read({ pension: 'Employer Pension' })).pension_deducted)).toBeLessThan(USE_FROM);
  });

  test("may be recognised by the employer's contribution of the same name", async () => {
    expect(sureness((await read({ pension: 'Collegium' })).pension_deducted)).toBeLessThan(USE_FROM);
    const below = row('Employer Collegium', '64.50');
    expect((await read({ pension: 'Collegium', below })).pension_deducted).toMatchObject({ value: 8_600 });
  });
});

describe('net pay', () => {
  test('with an unknown label is gross pay less deductions if that amount is printed, and otherwise uncertain', async () => {
    expect((await read({ net: 'Banked' })).net_pay).toMatchObject({ value: 175_544 });
    expect(sureness((await read({ net: 'Banked', left: '1,755.43' })).net_pay)).toBeLessThan(USE_FROM);
  });

  test('is never certainly an amount that the employee paid', async () => {
    expect(sureness((await read({ net: 'You paid', left: '1,755.43' })).net_pay)).toBeLessThan(USE_FROM);
  });
});

describe('a line beside the pension', () => {
  test.each(each('A.V.C.|CSAVC|FSAVC|AVC 2|Added pension|Added Yrs|Alpha EPA|LGPS APC|Add Vol Pension'))(
    'is part of the pension if it is called "%s"',
    async (line) => {
      expect((await read({ line })).pension_deducted).toMatchObject({ value: 23_400, confidence: 0.99 });
    },
  );

  test.each(each('Blenheim Scheme|Zeta plan|Vantage 40|X9130'))(
    'makes the pension uncertain if it is called "%s"',
    async (line) => {
      const { pension_deducted, tax_deducted } = await read({ line });
      expect([sureness(pension_deducted) < 0.9, tax_deducted!.confidence]).toEqual([true, 0.99]);
    },
  );

  test.each(
    each(
      'Benenden|Season ticket|Attachment of earnings|Meals on duty|Give As You Earn|Student Loan|Union subscription|Share save scheme',
    ),
  )('is not part of the pension if it is called "%s"', async (line) => {
    expect((await read({ line })).pension_deducted).toMatchObject({ value: 8_600, confidence: 0.99 });
  });

  test.each(each('Company Pension|Zurich|Voluntary deductions'))(
    'is no pension if it is not deducted: "%s"',
    async (name) => {
      expect((await read({ pension: 'Union', below: row(name, '64.50') })).pension_deducted).toBeNull();
    },
  );
});

describe('pay that is sacrificed', () => {
  const exchanged = async (name: string) =>
    await read({ gross: `${row('Salary', '2,236.00')}\n${row(name, '-86.00')}\n${'Gross pay'.padEnd(40)}`, pension: '', left: '1,841.44' }); // prettier-ignore

  test.each(each('Salary Sacrifice Pension|Pension Salary Exchange|Pension Sal Sac'))(
    'for a pension ("%s") is given as the pension, but uncertain',
    async (name) => {
      expect(amountsOf(await exchanged(name))).toBe('215000 184144 22040 8816 8600?');
    },
  );

  test.each(each('Salary Sacrifice Car|Cycle to Work|Unpaid leave'))(
    'for anything else is no pension: "%s"',
    async (name) => {
      expect((await exchanged(name)).pension_deducted).toBeNull();
    },
  );
});

describe('totals of the year', () => {
  const HEADINGS = each(
    'THIS EMPLOYMENT CUMULATIVES|Cumulatives|Cumulative totals|Totals to date|Tax year totals|Year totals|Balances to date|YTD balances|Earnings for the year|Totals for the tax year|Tax year 2025/26 to date|Since the beginning of the tax year',
  );
  const strip = (heading: string, pension = '172.00'): string => `${heading}
   Gross Pay      Taxable Pay      Income Tax      NI           Pension      Employer NI
    4,300.00         4,214.00          440.80      176.32      ${pension}           350.00`;

  test.each([...HEADINGS, 'Summary', ''])(
    'are recognised in a strip under "%s", and never certainly replace tax that is not printed',
    async (heading) => {
      const below = strip(heading);
      expect(amountsOf(await read({ below }))).toBe(ALL);
      expect(sureness((await read({ below, tax: '' })).tax_deducted)).toBeLessThan(USE_FROM);
      expect(sureness((await read({ below, ni: '' })).ni_deducted)).toBeLessThan(USE_FROM);
    },
  );

  test.each(HEADINGS)('give no pension if the period has none, under "%s"', async (heading) => {
    for (const pension of ['  0.00', '172.00'])
      expect(penceOf(await read({ pension: '', left: '1,841.44', below: strip(heading, pension) }))).toBe(NO_PENSION);
  });

  test.each(each('Year to date|Since 6 April|Cumulative'))(
    'may have their heading left of them: "%s"',
    async (title) => {
      const below = `
${title.padEnd(16)}  Gross pay      Tax       NI       Pension
Totals            4,300.00    440.80   176.32       172.00`;
      expect(amountsOf(await read({ below }))).toBe(ALL);
      expect((await read({ below, pension: '', left: '1,841.44' })).pension_deducted).toBeNull();
    },
  );

  test.each(each('Year to date:|YTD:|Cumulative:'))('may follow "%s" in one line', async (title) => {
    const below = `${title} Gross pay 4,300.00 Income tax 440.80 National Insurance 176.32 Pension 172.00`;
    const minus = page({ below }).replace(/ (?=(220\.40|88\.16|86\.00)$)/gm, '-');
    expect(minus).toMatch(/-220\.40[^]*-88\.16[^]*-86\.00/);
    expect(amountsOf(await readText(minus))).toBe(ALL);
  });

  test('may be in a list with an unknown heading', async () => {
    const amounts = [
      'Gross pay      4,300.00',
      'Tax              440.80',
      'NI               176.32',
      'Pension          172.00',
    ];
    expect(penceOf(await read({ below: ['Position at present', ...amounts].join('\n') }))).toBe(ALL);
  });

  test('may be in columns of pounds and pence', async () => {
    const below = `Cumulatives
   Gross Pay      Taxable Pay      Income Tax      NI           Pension      Employer NI
    4,300 00         4,214 00          440 80      176 32        172 00           350 00`;
    const split = page({ below }).replace(/(\d)\.(\d\d)$/gm, '$1  $2');
    const headed = split.replace('Deductions', 'Deductions                                   £    p');
    expect(penceOf(await readText(headed))).toBe(ALL);
  });
});

/** The amounts of the period in columns of pounds and pence. */
const inColumns = (left?: string): string =>
  page({
    gross: 'Gross Pay                        £   p\nTotal Gross Pay',
    ...(left !== undefined && { left }),
  }).replace(/(\d)\.(\d\d)(?=\s)/g, '$1   $2');

test('pounds and pence may run together in their columns', async () => {
  const joined = inColumns().replace(/ {3}86 {3}00/, '      8600');
  expect(joined).not.toBe(inColumns());
  for (const text of [inColumns(), joined]) expect(penceOf(await readSeen(text))).toBe(ALL);
});

describe('a minus', () => {
  test('before all deductions is only their style', async () => {
    const minus = page().replace(/ (?=(220\.40|88\.16|86\.00)$)/gm, '-');
    expect(minus).toMatch(/-220\.40[^]*-88\.16[^]*-86\.00/);
    expect(penceOf(await readText(minus))).toBe(ALL);
  });

  const REFUND = '215000 219624 -22040 8816 8600';
  test('before one deduction alone is a refund', async () => {
    expect(penceOf(await readText(page({ left: '2,196.24' }).replace(' 220.40', '-220.40')))).toBe(REFUND);
  });

  test.each(['-', 'CR'])('may follow the pence of a refund in their column: %s', async (sign) => {
    const refund = inColumns('2,196.24').replace('220   40', `220   40${sign}`);
    expect(refund).toContain(`40${sign}`);
    expect(penceOf(await readText(refund))).toBe(REFUND);
  });
});

describe('a period', () => {
  const periodOf = async (line: string) =>
    (await read({ top: `Payslip\n${line}\nPaid on: 05/06/2025` })).pay_period?.value;

  test.each([
    ['Pay period:   14 Jun 2025-27 Jun 2025', '14 Jun 2025 - 27 Jun 2025'],
    ['Pay period:   14 Jun 2025 – 27 Jun 2025', '14 Jun 2025 - 27 Jun 2025'],
    ['Pay period:   01/07/2025-31/07/2025', '01/07/2025 - 31/07/2025'],
    ['Pay period:   01-JAN-27 TO 31-JAN-27', '01-JAN-27 TO 31-JAN-27'],
    ['Pay period:   01-JAN-27 T0 31-JAN-27', '01-JAN-27 TO 31-JAN-27'],
    ['Pay period:   01/07/2025 to 31/07/2025', '01/07/2025 to 31/07/2025'],
    ['Payslip for the two weeks ended 26 October 2025', '26 October 2025'],
    ['Payslip for the 4 weeks ending 26/10/2025', '26/10/2025'],
    ['Pay advice for the fortnight ended 26 October 2025', '26 October 2025'],
    ['Four weeks ended 26 October 2025', '26 October 2025'],
    ['Tax week: 14/52', 'Tax week 14'],
    ['Wage week: 9', 'Wage week 9'],
    ['Pay period: 2 of 12', 'Pay period 2'],
    ['Pay period: 1 May - 31 May', '1 May - 31 May'],
    ['Hours worked between 28/04/2025 and 25/05/2025', '28/04/2025 - 25/05/2025'],
    ['Period start: 01/05/2025     Period end: 31/05/2025', '01/05/2025 - 31/05/2025'],
    ['Pay Run Period: 01 May - 31 May 2025', '01 May - 31 May 2025'],
    ['1 May to 31 May 2025', '1 May to 31 May 2025'],
    ['Period: 01/05 - 31/05/2025', '01/05 - 31/05/2025'],
    ['Period: 05/2025', '05/2025'],
    ['Payroll period: 2025/05', '2025/05'],
    ['Pay Period: 05-2025', '05-2025'],
  ])('is read from "%s": %s', async (line, period) => {
    expect(await periodOf(line)).toBe(period);
  });

  test.each(each('W/E|W/E:|WE|M/E|Wk Ending|Week Commencing|W/C|Week Ending:|Mth ended'))(
    'is the day after "%s", not the pay date',
    async (label) => {
      expect(await periodOf(`${label} 30/05/2025`)).toBe('30/05/2025');
    },
  );

  test('is not a tax year', async () => {
    expect(await periodOf('Period: 2011/12')).not.toBe('2011/12');
  });
});

test('a sentence can give the pay date', async () => {
  const reading = await read({ top: 'Mrs E Thornton, paid on 15 January 2027' });
  expect(reading.pay_date!.value).toBe('2027-01-15');
});

describe('an employer', () => {
  const NAMES = each('Department for Transport|Office for Students|Ministry of Justice|The Crown|BrightPath Ltd|CareFirst Homes Limited|PenroseWorks'); // prettier-ignore
  test.each(NAMES)('may be called "%s"', async (name) => {
    for (const employer of [
      `Employer name: ${name}\n`,
      `# ${name}\n`,
      `Employer\n${name}\n12 Mill Lane\nCastleton\nLS1 4AB\n`,
    ])
      expect((await read({ employer })).employer_name!.value).toBe(name);
  });

  test.each([
    ...each('From|Paid by|Payslip from|On behalf of|Employer:|Sent out by').map(
      (lead) => `${lead} Penrose Garden Centres Ltd`,
    ),
    'Penrose Garden Centres Ltd G Hargreaves',
    'Penrose Garden Centres Ltd Ms B J Hargreaves',
  ])('is named without the words beside its name: %s', async (employer) => {
    expect((await read({ employer })).employer_name!.value).toBe('Penrose Garden Centres Ltd');
  });

  test.each(each('Cumulative E|Cumulativ e|Year to date|Totals|Balances|Pay this year'))(
    'is never the heading "%s" of a column',
    async (heading) => {
      const below = `
                 Employer             Employer
                 ${heading.padEnd(20)} This Period
NI               2,428.15             369.01`;
      expect((await read({ employer: 'The Tea Rooms', below })).employer_name!.value).toBe('The Tea Rooms');
    },
  );

  test.each(each('Customer Services|Teaching Assistant|Support Team|Finance Department'))(
    'is not the "%s" of the employee',
    async (work) => {
      const reading = await read({ employer: work, top: 'The Tea Rooms      Payslip           Pay date 31/05/2025' });
      expect(reading.employer_name!.value).toBe('The Tea Rooms');
    },
  );

  test.each(each('Employee ID|Period End|Payroll Ref.|Works Number|Cost Code|Start Date|Job Title'))(
    'is not "%s", a label beside its own',
    async (caption) => {
      const employer = `Company                       ${caption}\nTarrant's of Wexmoor          0041\n\n`;
      const { employer_name } = await read({ employer });
      expect(employer_name).toMatchObject({ value: "Tarrant's of Wexmoor", confidence: 0.95 });
    },
  );

  test('is never its street, and never the employee', async () => {
    const street = await read({ employer: 'Employer\nxx\n12 Mill Lane\nCastleton\nLS1 4AB\n' });
    expect(street.employer_name?.value).not.toBe('12 Mill Lane');
    const person = await read({
      employer: '12 Mill Lane',
      top: '\nFor Ms Bethan Hargreaves, 1 May 2025 to 31 May 2025',
    });
    expect(person.employer_name?.value ?? '').not.toContain('Hargreaves');
  });
});
