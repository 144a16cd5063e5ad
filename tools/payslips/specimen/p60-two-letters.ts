import type { P60Layout } from '../layout.ts';
import { cell, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { money } from '../words.ts';

export const p60TwoLetters: P60Layout = {
  name: 'p60-two-letters',
  like: 'a substitute P60 of payroll software for somebody whose NI letter changed during the year',
  type: 'p60',
  size: A4,
  fonts: ['helvetica', 'roboto', 'times'],
  fontSize: 9.5,
  draw(sheet, p60, random) {
    const { pay } = p60;
    const blue = random.pick(['#1d4e89', '#4b5d16', '#333333']);
    const style = { label: { size: 7.5, colour: blue }, border: blue };
    const pounds = (pence: number | null) => (pence === null ? '' : money(pence));
    sheet.text(40, 60, 'P60 End of Year Certificate', { size: 18, bold: true, colour: blue });
    sheet.text(555, 60, `Tax year to 5 April ${p60.endYear}`, { size: 12, bold: true, align: 'right' });
    sheet.text(40, 76, 'This is a printed copy of an eP60. Please keep it: it is the only proof of the tax you have paid.', { size: 8 }); // prettier-ignore
    cell(sheet, [40, 90, 175, 30], 'Surname', pay.employee.last, style);
    cell(sheet, [215, 90, 170, 30], 'Forenames or initials', `${pay.employee.first} ${pay.employee.middle}`.trim(), style); // prettier-ignore
    cell(sheet, [385, 90, 170, 30], 'National Insurance number', pay.employee.niNumber, style);
    cell(sheet, [40, 120, 175, 30], 'Works/payroll number', pay.employee.number, style);
    cell(sheet, [215, 120, 170, 30], 'Final tax code', pay.taxCode, style);
    cell(sheet, [385, 120, 170, 30], 'Employer PAYE reference', pay.employer.payeReference, style);
    sheet.text(40, 182, 'Pay and Income Tax details', { bold: true, size: 11, colour: blue });
    const columns = [{ x: 46 }, { x: 400, align: 'right' }, { x: 549, align: 'right' }] as const;
    sheet.box(40, 190, 515, 80, { stroke: blue });
    row(sheet, 203, columns, ['', 'Pay £', 'Tax deducted £'], { bold: true, size: 8.5 });
    const { previous } = p60;
    const rows: [string, number | null, number | null][] = [['In previous employment(s)', previous?.pay ?? null, previous?.tax ?? null], ['In this employment', p60.thisPay, p60.thisTax], ['Total for year', p60.thisPay + (previous?.pay ?? 0), p60.thisTax + (previous?.tax ?? 0)]]; // prettier-ignore
    rows.forEach(([label, paid, tax], n) => {
      sheet.line(40, 209 + n * 20, 555, 209 + n * 20, { stroke: blue, thickness: 0.4 });
      row(sheet, 223 + n * 20, columns, [label, pounds(paid), pounds(tax)], { bold: n === 1 });
    });
    sheet.text(40, 302, 'National Insurance contributions in this employment', { bold: true, size: 11, colour: blue });
    sheet.box(40, 310, 515, 88, { stroke: blue });
    const heads = ['NIC table|letter', 'Earnings at the|LEL £', 'Earnings above LEL|to PT £', 'Earnings above PT|to UEL £', "Employee's contributions|due above PT £"]; // prettier-ignore
    const at = [{ x: 70, align: 'center' }, { x: 190, align: 'right' }, { x: 300, align: 'right' }, { x: 410, align: 'right' }, { x: 549, align: 'right' }] as const; // prettier-ignore
    [0, 1].forEach((n) => row(sheet, 323 + n * 11, at, heads.map((head) => head.split('|')[n]!), { size: 7.5, colour: blue })); // prettier-ignore
    sheet.line(40, 342, 555, 342, { stroke: blue, thickness: 0.4 });
    const part = 0.4;
    const first = Math.round(p60.ni * part);
    const letter = pay.niLetter === 'C' ? 'A' : pay.niLetter;
    const two = p60.niEarnings.map((earned) => Math.floor(earned * part));
    row(sheet, 358, at, [letter, ...two.map(String), money(first)]);
    row(sheet, 378, at, [letter === 'A' ? 'B' : 'A', ...p60.niEarnings.map((earned, n) => `${earned - two[n]!}`), money(p60.ni - first)]); // prettier-ignore
    cell(sheet, [40, 420, 250, 30], 'Student Loan deductions £', p60.studentLoan === null ? '' : `${p60.studentLoan / 100}`, style); // prettier-ignore
    cell(sheet, [305, 420, 250, 30], 'Statutory Maternity Pay £', '', style);
    sheet.box(40, 470, 515, 76, { stroke: blue });
    sheet.text(46, 482, "Employer's full name and address (including postcode)", { size: 7.5, colour: blue });
    sheet.lines(46, 498, 13, [pay.employer.name, ...pay.employer.address]);
    sheet.text(40, 566, 'Certificate by Employer/Paying Office: this form shows your total pay for Income Tax purposes in this employment for the year.', { size: 8 }); // prettier-ignore
    return {
      pay_period: `Tax year to 5 April ${p60.endYear}`,
      pay_period_also: [`5 April ${p60.endYear}`, `Year to 5 April ${p60.endYear}`, `to 5 April ${p60.endYear}`, pay.taxYear], // prettier-ignore
      tax_year: pay.taxYear,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
