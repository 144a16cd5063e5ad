import type { Line } from '../figures.ts';
import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, periodWord, words } from '../words.ts';

const LABELS = words({ basic: 'Basic Pay', hours: 'Timesheet Pay', overtime: 'Overtime', sick: 'SSP', tax: 'Tax', ni: 'NI', pension: 'Pension (LGPS)', avc: 'Pension AVC', 'student-loan': 'Student Loan Plan 1', attachment: 'AOE', union: 'Unison' }); // prettier-ignore

export const selfService: PayslipLayout = {
  name: 'self-service',
  like: 'Zellis MyView, opened by the employee',
  type: 'payslip',
  size: A4,
  fonts: ['roboto', 'helvetica', 'source-serif'],
  fontSize: 9,
  pay: { rows: 9, refunds: 0.2 },
  draw(sheet, pay, random) {
    const tint = random.pick(['#e3edf7', '#efe7f5', '#e8f1e4']);
    const amount = (value: number) => money(value, { negative: 'brackets' });
    const period = `${periodWord(pay)} ${pay.period}, ${pay.taxYear.replace('-', '/')}`;
    sheet.text(50, 54, 'My payslip', { size: 17 });
    sheet.text(545, 54, pay.employer.name, { size: 9, align: 'right' });
    const facts: [string, string][] = [['Name', longName(pay)], ['Pay reference', pay.employee.number], ['Period', period], ['Pay date', date(pay.payDate, '31/10/2026')], ['Tax code', pay.taxCode], ['NI number', niNumber(pay, true)], ['NI category', pay.niLetter], ['Post', pay.employee.job]]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      const [x, y] = [50 + (n % 2) * 250, 84 + Math.floor(n / 2) * 14];
      sheet.text(x, y, label, { colour: '#666666' });
      sheet.text(x + 80, y, value);
    });
    const columns = [{ x: 130, align: 'right' }, { x: 160 }, { x: 440, align: 'right' }] as const;
    let y = 158;
    const section = (title: string, lines: readonly Line[], total: readonly [string, number, number]) => {
      sheet.box(50, y - 12, 400, 17, { fill: tint });
      row(sheet, y, columns, ['Year to date', title, 'This period'], { bold: true });
      y += 18;
      for (const line of lines) {
        row(sheet, y, columns, [amount(line.ytd), LABELS[line.kind], amount(line.amount)]);
        y += 14;
      }
      sheet.line(50, y - 10, 450, y - 10, { stroke: '#999999' });
      row(sheet, y + 1, columns, [amount(total[2]), total[0], amount(total[1])], { bold: true });
      y += 28;
    };
    section('Payments', pay.payments, ['Total payments', pay.gross, pay.ytd.gross]);
    section('Deductions', pay.deductions, ['Total deductions', pay.totalDeductions, pay.ytd.deductions]);
    sheet.box(50, y - 12, 400, 20, { fill: '#333333' });
    row(sheet, y + 2, columns, ['', 'Net pay', amount(pay.net)], { bold: true, colour: '#ffffff', size: 10.5 });
    const other: [string, number, number][] = [['Taxable pay', pay.taxable, pay.ytd.taxable], ['NI earnings', pay.niable, pay.ytd.niable], ["Employer's NI", pay.employerNi, pay.ytd.employerNi]]; // prettier-ignore
    if (pay.pension !== null) other.push(["Employer's pension", pay.employerPension, pay.ytd.employerPension]);
    y += 36;
    row(sheet, y, columns, ['Year to date', 'For information', 'This period'], { bold: true, colour: '#666666' });
    other.forEach(([label, now, total], n) => row(sheet, y + 15 + n * 13, columns, [amount(total), label, amount(now)], { size: 8, colour: '#444444' })); // prettier-ignore
    sheet.text(50, 800, `${pay.employer.address.join(', ')} | PAYE reference ${pay.employer.payeReference}`, {
      size: 7,
    });
    return {
      pay_period: period,
      pay_period_also: periodNames(pay),
      pay_date: pay.payDate,
      tax_year: pay.taxYear,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
