import type { P60Layout } from '../layout.ts';
import { row } from '../parts.ts';
import { A5_LANDSCAPE } from '../sheet.ts';
import { money } from '../words.ts';

export const p60Substitute: P60Layout = {
  name: 'p60-substitute',
  like: 'a substitute P60 of payroll software',
  type: 'p60',
  size: A5_LANDSCAPE,
  fonts: ['helvetica', 'lato', 'times'],
  fontSize: 8,
  draw(sheet, p60, random) {
    const { pay } = p60;
    const comma = random.chance(0.5);
    const amount = (value: number) => money(value, { comma });
    sheet.text(28, 36, 'P60 End of Year Certificate', { size: 13, bold: true });
    sheet.text(567, 36, `Tax Year to 5 April ${p60.endYear}`, { size: 10, bold: true, align: 'right' });
    sheet.line(28, 43, 567, 43, { thickness: 1 });
    sheet.text(28, 58, 'Employer', { bold: true });
    sheet.lines(28, 70, 10, [pay.employer.name, ...pay.employer.address]);
    sheet.text(28, 114, `PAYE Reference: ${pay.employer.payeReference}`);
    sheet.text(310, 58, 'Employee', { bold: true });
    sheet.lines(310, 70, 10, [`Surname: ${pay.employee.last}`, `Forenames: ${pay.employee.first}`, `NI Number: ${pay.employee.niNumber}`, `Payroll No: ${pay.employee.number}`]); // prettier-ignore
    sheet.box(28, 126, 539, 14, { fill: '#222222' });
    sheet.text(34, 136, 'Pay and Income Tax', { bold: true, colour: '#ffffff' });
    const columns = [{ x: 34 }, { x: 300, align: 'right' }, { x: 420, align: 'right' }, { x: 560, align: 'right' }] as const; // prettier-ignore
    row(sheet, 152, columns, ['', 'Pay £', 'Tax deducted £', 'Final tax code'], { bold: true });
    const rows: [string, string, string, string][] = [
      ['Previous employment(s)', p60.previous ? amount(p60.previous.pay) : '', p60.previous ? amount(p60.previous.tax) : '', ''],
      ['This employment', amount(p60.thisPay), amount(p60.thisTax), pay.taxCode],
      ['Total for year', amount(p60.thisPay + (p60.previous?.pay ?? 0)), amount(p60.thisTax + (p60.previous?.tax ?? 0)), ''],
    ]; // prettier-ignore
    rows.forEach((cells, n) => row(sheet, 167 + n * 13, columns, cells, { bold: n === 1 }));
    sheet.box(28, 202, 539, 14, { fill: '#222222' });
    sheet.text(34, 212, 'National Insurance contributions in this employment', { bold: true, colour: '#ffffff' });
    const ni = [{ x: 50, align: 'center' }, { x: 170, align: 'right' }, { x: 290, align: 'right' }, { x: 420, align: 'right' }, { x: 560, align: 'right' }] as const; // prettier-ignore
    row(
      sheet,
      228,
      ni,
      ['NIC', 'Earnings at the', 'Earnings above LEL', 'Earnings above PT', "Employee's contributions"],
      { size: 7 },
    );
    row(sheet, 237, ni, ['letter', 'LEL £', 'up to PT £', 'up to UEL £', 'above the PT £'], { size: 7 });
    row(sheet, 252, ni, [pay.niLetter, ...p60.niEarnings.map(String), amount(p60.ni)]);
    sheet.box(28, 262, 539, 14, { fill: '#222222' });
    sheet.text(34, 272, 'Other details', { bold: true, colour: '#ffffff' });
    sheet.text(34, 289, `Student Loan deductions: ${p60.studentLoan === null ? '0' : String(p60.studentLoan / 100)}`);
    sheet.text(310, 289, 'Statutory Maternity Pay: 0.00');
    sheet.lines(28, 316, 9, ['This form shows your total pay for Income Tax purposes in this employment for the year. Any overtime, bonus, commission etc,', 'Statutory Sick Pay, Statutory Maternity Pay or Statutory Adoption Pay is included.', 'Please keep this certificate in a safe place. You will need it if you have to fill in a tax return.'], { size: 7 }); // prettier-ignore
    sheet.lines(60, 358, 11, [
      `${pay.employee.title} ${pay.employee.first} ${pay.employee.last}`,
      ...pay.employee.address,
    ]);
    return {
      pay_period: `Tax Year to 5 April ${p60.endYear}`,
      pay_period_also: [`5 April ${p60.endYear}`, `Year to 5 April ${p60.endYear}`, `to 5 April ${p60.endYear}`, pay.taxYear],
      tax_year: pay.taxYear,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    }; // prettier-ignore
  },
};
