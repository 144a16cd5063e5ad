import type { PayslipLayout } from '../layout.ts';
import { niNumber, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Salary', hours: 'Hourly Pay', overtime: 'Overtime Pay', tax: 'PAYE', ni: 'Employee National Insurance', pension: 'Employee Pension Contribution', avc: 'Additional Pension Contribution', sick: 'Sick Pay (SSP)', 'student-loan': 'Student Loan Plan 2' }); // prettier-ignore

export const quickbooks: PayslipLayout = {
  name: 'quickbooks',
  like: 'QuickBooks Payroll',
  type: 'payslip',
  size: A4,
  fonts: ['roboto', 'helvetica'],
  fontSize: 8.5,
  pay: { rows: 9 },
  draw(sheet, pay, random) {
    const style = random.pick(['31/10/2026', '31 Oct 2026'] as const);
    const span = `${date(pay.from, style)} - ${date(pay.to, style)}`;
    sheet.lines(40, 60, 12, [pay.employer.name, ...pay.employer.address]);
    sheet.text(555, 60, 'Pay slip', { size: 18, align: 'right', colour: '#2ca01c', bold: true });
    sheet.line(40, 112, 555, 112, { stroke: '#cccccc' });
    sheet.text(40, 130, 'EMPLOYEE', { size: 7.5, colour: '#6b6c72', bold: true });
    sheet.lines(40, 144, 12, [longName(pay), ...pay.employee.address]);
    const facts: [string, string][] = [['PAYE Ref.', pay.employer.payeReference], ['NI No.', niNumber(pay, false)], ['NI Table', pay.niLetter], ['Tax Code', pay.taxCode], ['Period', span], ['Pay Date', date(pay.payDate, style)]]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      sheet.text(330, 130 + n * 13, label, { colour: '#6b6c72' });
      sheet.text(400, 130 + n * 13, value);
    });
    const left = [{ x: 40 }, { x: 140, align: 'right' }, { x: 178, align: 'right' }, { x: 232, align: 'right' }, { x: 287, align: 'right' }] as const; // prettier-ignore
    const right = [{ x: 305 }, { x: 500, align: 'right' }, { x: 555, align: 'right' }] as const;
    const head = { bold: true, size: 7.5, colour: '#393a3d' };
    sheet.box(40, 222, 247, 16, { fill: '#ececec' });
    sheet.box(305, 222, 250, 16, { fill: '#ececec' });
    row(sheet, 233, left, ['PAY', 'Hours', 'Rate', 'Current', 'YTD'], head);
    row(sheet, 233, right, ['DEDUCTIONS', 'Current', 'YTD'], head);
    pay.payments.forEach((line, n) => row(sheet, 253 + n * 15, left, [LABELS[line.kind], units(line), rate(line, 2), money(line.amount), money(line.ytd)])); // prettier-ignore
    pay.deductions.forEach((line, n) => row(sheet, 253 + n * 15, right, [LABELS[line.kind], money(line.amount), money(line.ytd)])); // prettier-ignore
    const y = 253 + 15 * Math.max(pay.payments.length, pay.deductions.length) + 20;
    sheet.box(305, y - 11, 250, 16, { fill: '#ececec' });
    row(sheet, y, right, ['EMPLOYER CONTRIBUTIONS', 'Current', 'YTD'], head);
    row(sheet, y + 19, right, ['Employer National Insurance', money(pay.employerNi), money(pay.ytd.employerNi)]);
    if (pay.pension !== null) row(sheet, y + 34, right, ['Employer Pension Contribution', money(pay.employerPension), money(pay.ytd.employerPension)]); // prettier-ignore
    const sums = y + 66;
    sheet.box(40, sums - 11, 515, 16, { fill: '#ececec' });
    const summary = [{ x: 46 }, { x: 430, align: 'right' }, { x: 549, align: 'right' }] as const;
    row(sheet, sums, summary, ['SUMMARY', 'Current', 'YTD'], head);
    row(sheet, sums + 19, summary, [
      'Total Pay',
      money(pay.gross, { pound: true }),
      money(pay.ytd.gross, { pound: true }),
    ]);
    row(sheet, sums + 34, summary, ['Total Deductions', money(pay.totalDeductions, { pound: true }), money(pay.ytd.deductions, { pound: true })]); // prettier-ignore
    sheet.line(40, sums + 41, 555, sums + 41);
    row(sheet, sums + 56, summary, ['Net Pay', money(pay.net, { pound: true }), money(pay.ytd.net, { pound: true })], { bold: true, size: 11 }); // prettier-ignore
    return {
      pay_period: span,
      pay_period_also: [span.replace(' - ', ' to ')],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
