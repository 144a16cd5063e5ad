import type { PayslipLayout } from '../layout.ts';
import { cell, niNumber, periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, periodWord, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Basic', hours: 'Basic Hours', overtime: 'Overtime', tax: 'Tax', ni: 'NI', pension: 'Pension (Employee)', avc: 'Pension AVC', sick: 'SSP', 'student-loan': 'Student Loan', holiday: 'Holiday' }); // prettier-ignore

export const iris: PayslipLayout = {
  name: 'iris',
  like: 'IRIS Payroll Professional',
  type: 'payslip',
  size: A4,
  fonts: ['helvetica', 'archivo-narrow'],
  fontSize: 9,
  draw(sheet, pay, random) {
    const word = periodWord(pay);
    sheet.box(36, 36, 523, 330, { thickness: 1 });
    sheet.text(44, 54, pay.employer.name, { bold: true, size: 12 });
    sheet.text(551, 54, `Page 1 of 1`, { size: 7, align: 'right' });
    const style = { label: { size: 7 } };
    cell(sheet, [36, 64, 170, 28], 'Employee', longName(pay), style);
    cell(sheet, [206, 64, 70, 28], 'Ref', pay.employee.number, style);
    cell(sheet, [276, 64, 70, 28], 'Tax Code', pay.taxCode, style);
    cell(sheet, [346, 64, 100, 28], 'NI No. & Letter', `${niNumber(pay, false)} ${pay.niLetter}`, style);
    cell(sheet, [446, 64, 113, 28], 'Date', date(pay.payDate, '31/10/2026'), style);
    const three = [[36, 190], [226, 165], [391, 168]] as const; // prettier-ignore
    for (const [x, width] of three) sheet.box(x, 92, width, 178);
    ['Pay Details', 'Deductions', 'Cumulative Totals'].forEach((title, n) => sheet.text(three[n]![0] + three[n]![1] / 2, 104, title, { bold: true, align: 'center' })); // prettier-ignore
    sheet.line(36, 109, 559, 109);
    pay.payments.forEach((line, n) => {
      row(sheet, 123 + n * 13, [{ x: 42 }, { x: 136, align: 'right' }, { x: 172, align: 'right' }, { x: 221, align: 'right' }], [LABELS[line.kind], units(line), rate(line, 2), money(line.amount)]); // prettier-ignore
    });
    pay.deductions.forEach((line, n) => row(sheet, 123 + n * 13, [{ x: 232 }, { x: 386, align: 'right' }], [LABELS[line.kind], money(line.amount)])); // prettier-ignore
    const totals: [string, number][] = [['Gross Pay', pay.ytd.gross], ['Taxable Gross', pay.ytd.taxable], ['Tax', pay.ytd.tax], ['NI', pay.ytd.ni], ['Pension (Employee)', pay.ytd.pension], ['Pension (Employer)', pay.ytd.employerPension], ['NI (Employer)', pay.ytd.employerNi]]; // prettier-ignore
    totals.forEach(([label, amount], n) => row(sheet, 123 + n * 13, [{ x: 397 }, { x: 553, align: 'right' }], [label, money(amount)])); // prettier-ignore
    const boxes: [string, string, string][] = [
      ['Total', 'Gross Pay', money(pay.gross)],
      ['Taxable', 'Pay', money(pay.taxable)],
      ["Employer's", 'NI', money(pay.employerNi)],
      ["Employer's", 'Pension', pay.pension === null ? '0.00' : money(pay.employerPension)],
      ['Total', 'Deductions', money(pay.totalDeductions)],
      ['Net', 'Pay', money(pay.net)],
    ];
    boxes.forEach(([first, second, value], n) => {
      const x = 36 + n * 87.17;
      sheet.box(x, 270, 87.17, 46, n === 5 ? { fill: '#e9e9e9', stroke: '#000000' } : {});
      sheet.text(x + 43, 280, first, { align: 'center', size: 7.5 });
      sheet.text(x + 43, 289, second, { align: 'center', size: 7.5 });
      sheet.text(x + 80, 308, value, { align: 'right', bold: n === 5, size: n === 5 ? 11 : 9 });
    });
    const details: [string, string][] = [['Tax Period', `${word} ${pay.period}`], ['Department', pay.employee.department], ['Payment Method', random.pick(['BACS', 'Cheque', 'Cash'])], ['PAYE Reference', pay.employer.payeReference]]; // prettier-ignore
    details.forEach(([label, value], n) => {
      sheet.text(44 + n * 130, 331, label, { size: 7 });
      sheet.text(44 + n * 130, 345, value);
    });
    sheet.lines(60, 410, 12, [longName(pay), ...pay.employee.address]);
    return {
      pay_period: `${word} ${pay.period}`,
      pay_period_also: periodNames(pay),
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
