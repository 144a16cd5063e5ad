import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, monthOf, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Monthly Salary', hours: 'Variable Hours Teaching', overtime: 'Additional Hours', bonus: 'Exceptional Contribution', commission: 'External Examining', holiday: 'Holiday Pay (Hourly)', sick: 'Statutory Sick Pay', shift: 'Responsibility Allowance', car: 'First Aid Allowance', weighting: 'London Allowance', arrears: 'Salary - Arrears', sacrifice: 'Nursery Salary Exchange', tax: 'Tax Paid', ni: 'NI Contribution', pension: 'USS Pension 6.1%', avc: 'USS AVC (MPAVC)', 'student-loan': 'Student Loan Plan 2', 'postgraduate-loan': 'Student Loan PGL', union: 'UCU', charity: 'Payroll Giving', ticket: 'Season Ticket Loan', advance: 'Salary Advance', attachment: 'Attachment of Earnings', healthcare: 'Sports Centre' }); // prettier-ignore

export const campus: PayslipLayout = {
  name: 'campus',
  like: 'MHR iTrent / Access of a university',
  type: 'payslip',
  size: A4,
  fonts: ['helvetica', 'lato', 'source-serif'],
  fontSize: 8,
  pay: { sector: 'school', frequency: 'monthly', rows: 9 },
  draw(sheet, pay, random) {
    const plum = random.pick(['#4b1f52', '#12403c', '#26324d']);
    const comma = random.chance(0.7);
    const amount = (value: number) => money(value, { comma });
    const period = monthOf(pay.payDate);
    sheet.text(36, 54, pay.employer.name, { size: 16, colour: plum });
    sheet.text(36, 70, `Payslip: ${period}`, { size: 11, bold: true });
    sheet.line(36, 78, 559, 78, { stroke: plum, thickness: 1.5 });
    const facts: [string, string][] = [['Name', longName(pay)], ['Employee ref.', pay.employee.number], ['Position', pay.employee.job], ['Department', pay.employee.department], ['Tax code', pay.taxCode], ['NI number', niNumber(pay, true)], ['NI category', pay.niLetter], ['Tax period', `${pay.period}`], ['Pay date', date(pay.payDate, '31/10/2026')], ['PAYE reference', pay.employer.payeReference], ['FTE salary', amount(pay.salary * 100)], ['Paid by', 'BACS']]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      const [x, y] = [36 + (n % 3) * 178, 94 + Math.floor(n / 3) * 14];
      sheet.text(x, y, label, { colour: '#666666' });
      sheet.text(x + 66, y, value);
    });
    const top = 152;
    const head = (x: number, width: number, cells: readonly (readonly [number, string])[]) => {
      sheet.box(x, top, width, 16, { fill: plum });
      sheet.box(x, top + 16, width, 252, { stroke: plum });
      cells.forEach(([at, text], n) => sheet.text(at, top + 11, text, { bold: true, colour: '#ffffff', align: n === 0 ? 'left' : 'right' })); // prettier-ignore
    };
    head(36, 208, [[41, 'Payments'], [160, 'Units'], [196, 'Rate'], [239, 'Amount']]); // prettier-ignore
    head(250, 146, [[255, 'Deductions'], [391, 'Amount']]); // prettier-ignore
    head(402, 157, [[407, 'Totals'], [500, 'Month'], [554, 'Year']]); // prettier-ignore
    const left = [{ x: 41 }, { x: 160, align: 'right' }, { x: 196, align: 'right' }, { x: 239, align: 'right' }] as const; // prettier-ignore
    const middle = [{ x: 255 }, { x: 391, align: 'right' }] as const;
    const right = [{ x: 407 }, { x: 500, align: 'right' }, { x: 554, align: 'right' }] as const;
    pay.payments.forEach((line, n) => row(sheet, top + 30 + n * 14, left, [LABELS[line.kind], units(line), rate(line, 2), amount(line.amount)])); // prettier-ignore
    pay.deductions.forEach((line, n) => row(sheet, top + 30 + n * 14, middle, [LABELS[line.kind], amount(line.amount)])); // prettier-ignore
    const totals: [string, number, number][] = [['Gross', pay.gross, pay.ytd.gross], ['Taxable', pay.taxable, pay.ytd.taxable], ['NIable', pay.niable, pay.ytd.niable], ['Tax', pay.tax, pay.ytd.tax], ['Ee NI', pay.ni, pay.ytd.ni], ['Er NI', pay.employerNi, pay.ytd.employerNi]]; // prettier-ignore
    if (pay.pension !== null) totals.push(['Ee Pension', pay.pension, pay.ytd.pension], ['Er Pension', pay.employerPension, pay.ytd.employerPension]); // prettier-ignore
    totals.push(['Deductions', pay.totalDeductions, pay.ytd.deductions], ['Net', pay.net, pay.ytd.net]);
    totals.forEach(([label, now, year], n) => row(sheet, top + 30 + n * 16, right, [label, amount(now), amount(year)], { bold: label === 'Net' })); // prettier-ignore
    sheet.box(36, 426, 523, 30, { stroke: plum, thickness: 1.2 });
    sheet.text(46, 445, 'Total payments', { size: 9 });
    sheet.text(190, 445, amount(pay.gross), { size: 9, align: 'right' });
    sheet.text(212, 445, 'Total deductions', { size: 9 });
    sheet.text(368, 445, amount(pay.totalDeductions), { size: 9, align: 'right' });
    sheet.text(396, 445, 'Net pay', { size: 11, bold: true });
    sheet.text(551, 445, amount(pay.net), { size: 11, bold: true, align: 'right' });
    sheet.text(36, 474, `Paid to account ******${pay.employee.account.slice(6)}, sort code ${pay.employee.sortCode}`);
    sheet.lines(36, 500, 11, ['Messages', 'Claims for hours worked must reach Payroll by the fifth of the month. P60s are published in the portal in May.']); // prettier-ignore
    return {
      pay_period: period,
      pay_period_also: [...periodNames(pay), `Payslip: ${period}`],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
