import type { P60Layout } from '../layout.ts';
import { A4 } from '../sheet.ts';
import { money } from '../words.ts';

export const p60List: P60Layout = {
  name: 'p60-list',
  like: 'the P60 in the employee portal of a payroll service (Cascade, Employment Hero), printed from the browser',
  type: 'p60',
  size: A4,
  fonts: ['inter', 'lato', 'roboto'],
  fontSize: 10,
  draw(sheet, p60, random) {
    const { pay } = p60;
    const accent = random.pick(['#1d70b8', '#00703c', '#4c2c92']);
    const pounds = (value: number) => money(value, { pound: true });
    sheet.text(50, 58, 'P60 End of Year Certificate', { size: 20, bold: true });
    sheet.text(50, 78, `Tax year ${p60.endYear - 1} to ${p60.endYear} (ended 5 April ${p60.endYear})`, { size: 11, colour: '#505a5f' }); // prettier-ignore
    let y = 112;
    const title = (text: string) => {
      sheet.text(50, y, text, { size: 12, bold: true, colour: accent });
      sheet.line(50, y + 7, 545, y + 7, { stroke: accent, thickness: 1 });
      y += 26;
    };
    const entry = (label: string, value: string) => {
      sheet.text(50, y, label);
      sheet.text(330, y, value, { bold: true });
      sheet.line(50, y + 7, 545, y + 7, { stroke: '#d0d4d8', thickness: 0.5 });
      y += 22;
    };
    title('Employee');
    entry('Name', `${pay.employee.first} ${pay.employee.last}`);
    entry('National Insurance number', pay.employee.niNumber);
    entry('Payroll number', pay.employee.number);
    y += 8;
    title('Pay and Income Tax');
    entry('Pay in previous employments', pounds(p60.previous?.pay ?? 0));
    entry('Tax deducted in previous employments', pounds(p60.previous?.tax ?? 0));
    entry('Pay in this employment', pounds(p60.thisPay));
    entry('Tax deducted in this employment', pounds(p60.thisTax));
    entry('Total pay for the year', pounds(p60.thisPay + (p60.previous?.pay ?? 0)));
    entry('Total tax for the year', pounds(p60.thisTax + (p60.previous?.tax ?? 0)));
    entry('Final tax code', pay.taxCode);
    y += 8;
    title('National Insurance contributions');
    entry('NIC table letter', pay.niLetter);
    entry('Earnings at the Lower Earnings Limit', pounds(p60.niEarnings[0] * 100));
    entry('Earnings above the LEL up to the PT', pounds(p60.niEarnings[1] * 100));
    entry('Earnings above the PT up to the UEL', pounds(p60.niEarnings[2] * 100));
    entry('Employee contributions payable', pounds(p60.ni));
    if (p60.studentLoan !== null) entry('Student loan deductions', pounds(p60.studentLoan));
    y += 8;
    title('Employer');
    entry('Employer name', pay.employer.name);
    entry('Address', pay.employer.address.join(', '));
    entry('PAYE reference', pay.employer.payeReference);
    return {
      pay_period: `Tax year ${p60.endYear - 1} to ${p60.endYear}`,
      pay_period_also: [`${p60.endYear - 1} to ${p60.endYear}`, `5 April ${p60.endYear}`, `ended 5 April ${p60.endYear}`, `Tax year ${p60.endYear - 1} to ${p60.endYear} (ended 5 April ${p60.endYear})`, pay.taxYear], // prettier-ignore
      tax_year: pay.taxYear,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
