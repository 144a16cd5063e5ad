import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, frequencyWord, longName, money, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Salary', hours: 'Hourly Rate', overtime: 'Overtime', holiday: 'Holiday Pay', sick: 'Statutory Sick Pay', tax: 'PAYE Tax', ni: 'National Insurance', pension: 'Pension', avc: 'AVC', 'student-loan': 'Student Loan', attachment: 'Attachment of Earnings', sacrifice: 'Cycle to Work (SS)' }); // prettier-ignore

export const sageCloud: PayslipLayout = {
  name: 'sage-cloud',
  like: 'Sage Payroll (online)',
  type: 'payslip',
  size: A4,
  fonts: ['roboto', 'lato', 'helvetica'],
  fontSize: 8.5,
  pay: { rows: 9 },
  draw(sheet, pay, random) {
    const [dark, pale] = random.pick([['#cfe3d4', '#f3f8f4'], ['#d5dbe6', '#f4f6fa'], ['#e0e0e0', '#f7f7f7']] as const); // prettier-ignore
    const pound = random.chance(0.6);
    const amount = (value: number) => money(value, { pound, negative: 'minus' });
    const panel = (x: number, y: number, width: number, height: number, title: string) => {
      sheet.box(x, y, width, 18, { fill: dark });
      sheet.box(x, y + 18, width, height - 18, { fill: pale });
      sheet.text(x + 7, y + 12.5, title, { bold: true });
    };
    sheet.lines(60, 66, 12.5, [longName(pay), ...pay.employee.address], { size: 9.5 });
    sheet.text(547, 60, 'Payslip', { size: 18, align: 'right' });
    sheet.text(547, 80, pay.employer.name, { bold: true, align: 'right' });
    sheet.text(547, 92, `PAYE reference: ${pay.employer.payeReference}`, { size: 7.5, align: 'right' });
    const run = frequencyWord(pay.frequency);
    const heads = ['Employee no.', 'NI number', 'NI category', 'Tax code', 'Payment date', 'Tax period', 'Frequency'];
    const values = [pay.employee.number, niNumber(pay, false), pay.niLetter, pay.taxCode, date(pay.payDate, '31/10/2026'), `${pay.period}`, run]; // prettier-ignore
    const seven = heads.map((_, n) => ({ x: 55 + n * 71.5 }));
    sheet.box(48, 140, 499, 18, { fill: dark });
    sheet.box(48, 158, 499, 18, { fill: pale });
    row(sheet, 152.5, seven, heads, { size: 7.5, bold: true });
    row(sheet, 170.5, seven, values);
    panel(48, 188, 290, 190, 'Payments');
    panel(346, 188, 201, 190, 'Deductions');
    const left = [{ x: 55 }, { x: 200, align: 'right' }, { x: 258, align: 'right' }, { x: 331, align: 'right' }] as const; // prettier-ignore
    const right = [{ x: 353 }, { x: 540, align: 'right' }] as const;
    row(sheet, 200.5, left, ['', 'Hours', 'Rate', 'Amount'], { size: 7.5 });
    row(sheet, 200.5, right, ['', 'Amount'], { size: 7.5 });
    pay.payments.forEach((line, n) => row(sheet, 222 + n * 15, left, [LABELS[line.kind], units(line), rate(line, 2), amount(line.amount)])); // prettier-ignore
    pay.deductions.forEach((line, n) => row(sheet, 222 + n * 15, right, [LABELS[line.kind], amount(line.amount)]));
    row(sheet, 369, left, ['Total payments', '', '', amount(pay.gross)], { bold: true });
    row(sheet, 369, right, ['Total deductions', amount(pay.totalDeductions)], { bold: true });
    const list = (x: number, width: number, lines: readonly (readonly [string, number])[]) =>
      lines.forEach(([label, value], n) => row(sheet, 424 + n * 14, [{ x: x + 7 }, { x: x + width - 7, align: 'right' }], [label, amount(value)])); // prettier-ignore
    panel(48, 390, 161, 118, 'This period');
    panel(217, 390, 161, 118, 'Year to date');
    panel(386, 390, 161, 118, 'Net pay');
    const now: [string, number][] = [
      ['Taxable gross pay', pay.taxable],
      ["Employer's NI", pay.employerNi],
    ];
    const total: [string, number][] = [['Taxable gross pay', pay.ytd.taxable], ['Tax', pay.ytd.tax], ["Employee's NI", pay.ytd.ni], ["Employer's NI", pay.ytd.employerNi]]; // prettier-ignore
    if (pay.pension !== null) {
      now.push(["Employer's pension", pay.employerPension]);
      total.push(["Employee's pension", pay.ytd.pension], ["Employer's pension", pay.ytd.employerPension]);
    }
    list(48, 161, now);
    list(217, 161, total);
    sheet.text(466, 454, money(pay.net, { pound: true }), { size: 19, bold: true, align: 'center' });
    sheet.text(466, 474, `Paid by BACS`, { size: 7.5, align: 'center' });
    return {
      pay_period: `${pay.period}`,
      pay_period_also: [...periodNames(pay), `Tax period ${pay.period}`],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
