import type { PayslipLayout } from '../layout.ts';
import { cell, niNumber, periodNames, row } from '../parts.ts';
import { TWO_THIRDS } from '../sheet.ts';
import { date, money, periodWord, rate, shortName, units, words } from '../words.ts';

const LABELS = words({ basic: 'Basic Pay', hours: 'Basic Hours', overtime: 'O/Time @ 1.5', holiday: 'Holiday', sick: 'Stat Sick Pay', tax: 'PAYE', ni: 'EEs NI', pension: 'EEs Pension', avc: 'EEs AVC', 'student-loan': 'Student Loan', 'postgraduate-loan': 'PG Loan', attachment: 'AOE Order', sacrifice: 'Sal Sac Cycle' }); // prettier-ignore

export const earnie: PayslipLayout = {
  name: 'earnie',
  like: 'IRIS Earnie on plain paper, three columns',
  type: 'payslip',
  size: TWO_THIRDS,
  fonts: ['helvetica', 'archivo-narrow', 'roboto'],
  fontSize: 8.5,
  pay: { rows: 8 },
  draw(sheet, pay, random) {
    const amount = (value: number) => money(value, { comma: false, negative: 'minus' });
    const small = { label: { size: 6 }, value: { size: 8.5 } };
    const day = date(pay.payDate, '31/10/2026');
    const period = `${periodWord(pay)} ${pay.period}`;
    const paid = random.pick(['BACS', 'Credit Transfer', 'Cheque']);
    cell(sheet, [28, 28, 290, 24], 'Company', pay.employer.name, small);
    cell(sheet, [318, 28, 90, 24], 'Dept', pay.employee.department, small);
    cell(sheet, [408, 28, 159, 24], 'PAYE Ref', pay.employer.payeReference, small);
    cell(sheet, [28, 52, 60, 24], 'Emp No', pay.employee.number, small);
    cell(sheet, [88, 52, 140, 24], 'Name', shortName(pay), small);
    cell(sheet, [228, 52, 90, 24], 'NI No', niNumber(pay, false), small);
    cell(sheet, [318, 52, 40, 24], 'Table', pay.niLetter, small);
    cell(sheet, [358, 52, 60, 24], 'Tax Code', pay.taxCode, small);
    cell(sheet, [418, 52, 70, 24], 'Date', day, small);
    cell(sheet, [488, 52, 79, 24], 'Period', period, small);
    const left = [{ x: 33 }, { x: 148, align: 'right' }, { x: 184, align: 'right' }, { x: 236, align: 'right' }] as const; // prettier-ignore
    const middle = [{ x: 247 }, { x: 392, align: 'right' }] as const;
    const right = [{ x: 405 }, { x: 562, align: 'right' }] as const;
    const [top, bottom] = [82, 330];
    for (const [x, width] of [[28, 213], [241, 156], [397, 170]] as const) sheet.box(x, top, width, bottom - top, { stroke: '#000000' }); // prettier-ignore
    sheet.line(28, top + 15, 567, top + 15);
    row(sheet, top + 11, left, ['Payments', 'Units', 'Rate', 'Amount'], { bold: true });
    row(sheet, top + 11, middle, ['Deductions', 'Amount'], { bold: true });
    row(sheet, top + 11, right, ['Totals This Period', ''], { bold: true });
    pay.payments.forEach((line, n) => row(sheet, top + 28 + n * 13, left, [LABELS[line.kind], units(line), rate(line, 2), amount(line.amount)])); // prettier-ignore
    pay.deductions.forEach((line, n) => row(sheet, top + 28 + n * 13, middle, [LABELS[line.kind], amount(line.amount)])); // prettier-ignore
    const hasPension = pay.pension !== null;
    const now: [string, number][] = [['Gross for Tax', pay.taxable], ['Earnings for NI', pay.niable], ['Ni Ers', pay.employerNi]]; // prettier-ignore
    if (hasPension) now.push(['Pension Ers', pay.employerPension]);
    now.forEach(([label, value], n) => row(sheet, top + 28 + n * 13, right, [label, amount(value)]));
    const middleY = top + 100;
    sheet.line(397, middleY, 567, middleY);
    sheet.line(397, middleY + 15, 567, middleY + 15);
    row(sheet, middleY + 11, right, ['Totals Year To Date', ''], { bold: true });
    const total: [string, number][] = [['Total Gross TD', pay.ytd.gross], ['Gross for Tax TD', pay.ytd.taxable], ['Tax Paid TD', pay.ytd.tax], ['Earnings for NI TD', pay.ytd.niable], ['EEs NI TD', pay.ytd.ni], ['Ni Ers TD', pay.ytd.employerNi]]; // prettier-ignore
    if (hasPension) total.push(['Pension EEs TD', pay.ytd.pension], ['Pension Ers TD', pay.ytd.employerPension]);
    total.forEach(([label, value], n) => row(sheet, middleY + 28 + n * 13, right, [label, amount(value)]));
    sheet.box(28, bottom, 369, 20);
    sheet.line(241, bottom, 241, bottom + 20);
    row(sheet, bottom + 13, left, ['Total Gross', '', '', amount(pay.gross)], { bold: true });
    row(sheet, bottom + 13, middle, ['Total Deds', amount(pay.totalDeductions)], { bold: true });
    sheet.box(397, bottom, 170, 20, { fill: '#dddddd', stroke: '#000000', thickness: 1 });
    row(sheet, bottom + 14, right, ['NET PAY', amount(pay.net)], { bold: true, size: 10 });
    sheet.text(33, bottom + 34, `Paid by ${paid}   Sort Code ${pay.employee.sortCode}   Account ****${pay.employee.account.slice(4)}`, { size: 7 }); // prettier-ignore
    sheet.lines(80, 420, 12, [shortName(pay), ...pay.employee.address]);
    return {
      pay_period: period,
      pay_period_also: periodNames(pay),
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
