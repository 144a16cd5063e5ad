import type { P60Layout } from '../layout.ts';
import { cell } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { money, poundsAndPence } from '../words.ts';

export const p60Laser: P60Layout = {
  name: 'p60-laser',
  like: 'P60 of payroll software on laser stationery, two columns',
  type: 'p60',
  size: A4,
  fonts: ['helvetica', 'archivo-narrow', 'roboto'],
  fontSize: 9,
  draw(sheet, p60, random) {
    const { pay } = p60;
    const ink = random.pick(['#7a1f3d', '#1f3d7a', '#333333']);
    const label = { label: { size: 7, colour: ink }, border: ink };
    const year = `Tax year to 5 April ${p60.endYear}`;
    sheet.box(30, 30, 535, 34, { fill: ink });
    sheet.text(40, 53, 'P60', { size: 20, bold: true, colour: '#ffffff' });
    sheet.text(100, 51, 'End of Year Certificate', { size: 12, colour: '#ffffff' });
    sheet.text(555, 51, year, { size: 12, bold: true, colour: '#ffffff', align: 'right' });
    sheet.text(30, 80, 'To the employee: please keep this certificate in a safe place. You will need it if you fill in a tax return.', { size: 7.5 }); // prettier-ignore
    const title = (x: number, y: number, text: string) => sheet.text(x, y, text, { bold: true, colour: ink });
    title(30, 104, "Employee's details");
    cell(sheet, [30, 110, 255, 28], 'Surname', pay.employee.last, label);
    cell(sheet, [30, 138, 255, 28], 'First two forenames', `${pay.employee.first} ${pay.employee.middle}`.trim(), label); // prettier-ignore
    cell(sheet, [30, 166, 140, 28], 'National Insurance number', pay.employee.niNumber, label);
    cell(sheet, [170, 166, 115, 28], 'Works/payroll number', pay.employee.number, label);
    title(30, 216, 'National Insurance contributions in this employment');
    const rows: [string, string][] = [['NIC table letter', pay.niLetter], ['Earnings at LEL (£)', `${p60.niEarnings[0]}`], ['Earnings above LEL to PT (£)', `${p60.niEarnings[1]}`], ['Earnings above PT to UEL (£)', `${p60.niEarnings[2]}`]]; // prettier-ignore
    rows.forEach(([text, value], n) => {
      sheet.box(30, 222 + n * 20, 255, 20, { stroke: ink });
      sheet.text(35, 235 + n * 20, text, { size: 8 });
      sheet.text(278, 235 + n * 20, value, { align: 'right' });
    });
    sheet.box(30, 302, 255, 22, { stroke: ink, thickness: 1.2 });
    sheet.text(35, 316, "Employee's contributions (above PT)", { size: 8, bold: true });
    sheet.text(278, 316, money(p60.ni, { comma: false, pound: true }), { align: 'right', bold: true });
    title(30, 350, "Employer's details");
    sheet.box(30, 356, 255, 92, { stroke: ink });
    sheet.text(35, 366, 'Employer name and address', { size: 7, colour: ink });
    sheet.lines(40, 382, 13, [pay.employer.name, ...pay.employer.address]);
    cell(sheet, [30, 448, 255, 28], 'Employer PAYE reference', pay.employer.payeReference, label);
    const box = (y: number, text: string, pence: number | null) => {
      sheet.box(310, y, 255, 24, { stroke: ink });
      sheet.line(450, y, 450, y + 24, { stroke: ink });
      sheet.line(530, y, 530, y + 24, { stroke: ink });
      sheet.text(315, y + 15, text, { size: 8 });
      if (pence === null) return;
      const [pounds, rest] = poundsAndPence(pence);
      sheet.text(526, y + 16, pounds, { align: 'right' });
      sheet.text(547, y + 16, rest, { align: 'center' });
    };
    title(310, 104, 'Pay');
    sheet.text(526, 104, '£', { align: 'right', size: 8 });
    sheet.text(547, 104, 'p', { align: 'center', size: 8 });
    const tax = (of: 'pay' | 'tax', own: number) => [p60.previous?.[of] ?? null, own, own + (p60.previous?.[of] ?? 0)] as const; // prettier-ignore
    const names = ['In previous employment(s)', 'In this employment *', 'Total for year'];
    tax('pay', p60.thisPay).forEach((value, n) => box(110 + n * 24, names[n]!, value));
    title(310, 204, 'Tax deducted');
    tax('tax', p60.thisTax).forEach((value, n) => box(210 + n * 24, names[n]!, value));
    cell(sheet, [310, 290, 255, 28], 'Final tax code', pay.taxCode, label);
    title(310, 350, 'Included in the pay above, and other deductions');
    box(356, 'Statutory Maternity Pay', null);
    box(380, 'Statutory Paternity Pay', null);
    box(404, 'Student Loan deductions', p60.studentLoan);
    box(428, 'Postgraduate Loan', null);
    sheet.text(310, 466, '* Figures to be used for your tax return, if you get one.', { size: 7.5 });
    sheet.text(30, 500, 'Certificate by employer: this form shows your total pay for Income Tax purposes in this employment for the year.', { size: 7.5 }); // prettier-ignore
    return {
      pay_period: year,
      pay_period_also: [`5 April ${p60.endYear}`, `Year to 5 April ${p60.endYear}`, `to 5 April ${p60.endYear}`, pay.taxYear], // prettier-ignore
      tax_year: pay.taxYear,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
