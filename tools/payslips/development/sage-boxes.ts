import type { PayslipLayout } from '../layout.ts';
import { cell, periodNames, row } from '../parts.ts';
import { TWO_THIRDS } from '../sheet.ts';
import { date, frequencyWord, money, rate, shortName, units, words } from '../words.ts';

const LABELS = words({ basic: 'Salary', hours: 'Basic Hours', sick: 'Statutory Sick Pay', pension: 'NEST EE Pension', shift: 'Shift Allow', sacrifice: 'Cycle Scheme', attachment: 'Attach. of Earnings' }); // prettier-ignore

export const sageBoxes: PayslipLayout = {
  name: 'sage-boxes',
  like: 'Sage 50 on pre-printed laser stationery, labels as text',
  type: 'payslip',
  size: TWO_THIRDS,
  fonts: ['helvetica', 'lato'],
  fontSize: 8.5,
  draw(sheet, pay, random) {
    const colour = random.pick(['#1f6f4a', '#23578c', '#555555']);
    const dayStyle = random.pick(['31/10/2026', '31/10/26'] as const);
    const head = { label: { colour, size: 6.5 }, border: colour };
    const top = 40;
    const cells: [number, string, string][] = [
      [70, 'Employee No.', pay.employee.number],
      [190, 'Employee Name', shortName(pay)],
      [110, 'Process Date', date(pay.payDate, dayStyle)],
      [165, 'National Insurance Number', pay.employee.niNumber],
    ];
    let x = 30;
    for (const [width, label, value] of cells) {
      cell(sheet, [x, top, width, 26], label, value, head);
      x += width;
    }
    const y = top + 30;
    const tall = 260;
    for (const [left, width] of [[30, 250], [280, 135], [415, 150]] as const) sheet.box(left, y, width, tall, { stroke: colour }); // prettier-ignore
    for (const left of [30, 280, 415]) sheet.box(left, y, left === 30 ? 250 : left === 280 ? 135 : 150, 14, { fill: colour, stroke: colour }); // prettier-ignore
    const white = { colour: '#ffffff', size: 7.5, bold: true };
    const payments = [{ x: 35 }, { x: 170, align: 'right' }, { x: 220, align: 'right' }, { x: 275, align: 'right' }] as const; // prettier-ignore
    row(sheet, y + 10, payments, ['Payments', 'Units', 'Rate', 'Amount'], white);
    row(sheet, y + 10, [{ x: 285 }, { x: 410, align: 'right' }], ['Deductions', 'Amount'], white);
    row(sheet, y + 10, [{ x: 420 }, { x: 560, align: 'right' }], ['Balances', 'Amount'], white);
    pay.payments.forEach((line, n) => {
      const [count, each] = line.units === undefined ? ['1.00', (line.amount / 100).toFixed(4)] : [units(line), rate(line)]; // prettier-ignore
      row(sheet, y + 28 + n * 13, payments, [LABELS[line.kind], count, each, money(line.amount, { comma: false })]);
    });
    pay.deductions.forEach((line, n) => {
      row(sheet, y + 28 + n * 13, [{ x: 285 }, { x: 410, align: 'right' }], [LABELS[line.kind], money(line.amount, { comma: false })]); // prettier-ignore
    });
    const balances: [string, number][] = [
      ['Total Gross Pay TD', pay.ytd.gross],
      ['Gross for Tax TD', pay.ytd.taxable],
      ['Tax paid TD', pay.ytd.tax],
      ['Earnings For NI TD', pay.ytd.niable],
      ['National Insurance TD', pay.ytd.ni],
      ['Ee Pension TD', pay.ytd.pension],
      ['Employers Pension TD', pay.ytd.employerPension],
    ];
    balances.forEach(([label, amount], n) => {
      row(sheet, y + 28 + n * 13, [{ x: 420 }, { x: 560, align: 'right' }], [label, money(amount, { comma: false })]);
    });
    const period: [string, number][] = [
      ['Earnings for NI', pay.niable],
      ['Gross for Tax', pay.taxable],
      ['Total Gross Pay', pay.gross],
      ['Nat. Insurance Er', pay.employerNi],
    ];
    sheet.line(415, y + 150, 565, y + 150, { stroke: colour });
    sheet.text(420, y + 161, 'This Period', { bold: true, colour, size: 7.5 });
    period.forEach(([label, amount], n) => {
      row(sheet, y + 176 + n * 13, [{ x: 420 }, { x: 560, align: 'right' }], [label, money(amount, { comma: false })]);
    });
    const foot = y + tall + 4;
    cell(sheet, [30, foot, 250, 30], 'Company', pay.employer.name, { ...head, value: { bold: true } });
    cell(sheet, [280, foot, 55, 30], 'Tax Code', pay.taxCode, head);
    cell(sheet, [335, foot, 40, 30], 'Period', `${pay.period}`, head);
    cell(sheet, [375, foot, 70, 30], 'Pay Frequency', frequencyWord(pay.frequency), head);
    cell(sheet, [445, foot, 120, 30], 'Net Pay', money(pay.net, { comma: false }), { ...head, value: { bold: true, size: 12, align: 'right' } }); // prettier-ignore
    sheet.lines(45, foot + 62, 12, [shortName(pay), ...pay.employee.address]);
    sheet.text(300, foot + 62, `Payment Method: ${random.pick(['BACS', 'Cheque', 'Credit Transfer'])}   Dept: ${pay.employee.department}`, { size: 7.5 }); // prettier-ignore
    return {
      pay_period: `${pay.period}`,
      pay_period_also: periodNames(pay),
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      ni_number: pay.employee.niNumber,
    };
  },
};
