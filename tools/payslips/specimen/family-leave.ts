import type { Line } from '../figures.ts';
import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Basic Salary', hours: 'Basic Hours', overtime: 'Additional Hours', bonus: 'Honorarium', commission: 'Occ Maternity Pay', holiday: 'Annual Leave', sick: 'Statutory Maternity Pay', shift: 'Enhancement Wkend', car: 'Essential User', weighting: 'Market Supplement', arrears: 'Pay Award Arrears', sacrifice: 'Unpaid Absence', tax: 'Income Tax', ni: 'NI Contribution', pension: 'LGPS Main Section', avc: 'Prudential AVC', 'student-loan': 'Student Loan Plan 2', 'postgraduate-loan': 'Student Loan PG', union: 'GMB', charity: 'Lottery', ticket: 'Car Park', advance: 'Overpayment Recov', attachment: 'Council Tax AEO', healthcare: 'Westfield Health' }); // prettier-ignore

export const familyLeave: PayslipLayout = {
  name: 'family-leave',
  like: 'Zellis ResourceLink or Northgate of a council, for somebody on leave',
  type: 'payslip',
  size: A4,
  fonts: ['helvetica', 'lato', 'archivo-narrow'],
  fontSize: 8.5,
  pay: { sector: 'council', frequency: 'monthly', rows: 10, refunds: 0.1 },
  draw(sheet, pay) {
    const amount = (value: number) => money(value);
    const ending = date(pay.to, '31 Oct 2026');
    sheet.box(36, 36, 523, 40, { stroke: '#444444', radius: 5 });
    sheet.text(46, 61, pay.employer.name, { size: 15, bold: true, font: 'source-serif' });
    sheet.text(549, 53, 'Payslip - Private and Confidential', { size: 8, align: 'right' });
    sheet.text(549, 68, `Period ending ${ending}`, { size: 10, bold: true, align: 'right' });
    const facts: [string, string][] = [['Employee', longName(pay)], ['Pay No', pay.employee.number], ['Tax Code', pay.taxCode], ['NI No', niNumber(pay, true)], ['Post', pay.employee.job], ['Service', pay.employee.department], ['Tax Month', `${pay.period}`], ['Date Paid', date(pay.payDate, '31/10/2026')]]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      const [x, y] = [[46, 220, 340, 430][n % 4]!, 96 + Math.floor(n / 4) * 16];
      sheet.text(x, y, `${label}:`, { bold: true, size: 8 });
      sheet.text(x + [48, 38, 50, 50][n % 4]!, y, value, { size: 8 });
    });
    sheet.box(36, 124, 300, 250, { stroke: '#444444' });
    sheet.box(336, 124, 223, 250, { stroke: '#444444' });
    sheet.box(36, 124, 523, 16, { fill: '#dce6dc', stroke: '#444444' });
    const left = [{ x: 42 }, { x: 215, align: 'right' }, { x: 262, align: 'right' }, { x: 330, align: 'right' }] as const; // prettier-ignore
    const right = [{ x: 342 }, { x: 480, align: 'right' }, { x: 553, align: 'right' }] as const;
    row(sheet, 135, left, ['Pay and Allowances', 'Units', 'Rate', 'Cash'], { bold: true });
    row(sheet, 135, right, ['Deductions', 'This Period', 'To Date'], { bold: true });
    pay.payments.forEach((line, n) => {
      const label = line.kind === 'arrears' ? `${LABELS.arrears} (Mth ${Math.max(1, pay.period - 1)})` : LABELS[line.kind]; // prettier-ignore
      row(sheet, 155 + n * 15, left, [label, units(line), rate(line, 2), amount(line.amount)]);
    });
    inTwo(pay.deductions).forEach(([label, line], n) => row(sheet, 155 + n * 15, right, [label, amount(line.amount), amount(line.ytd)])); // prettier-ignore
    sheet.line(36, 354, 559, 354, { stroke: '#444444' });
    row(sheet, 367, left, ['Total Pay and Allowances', '', '', amount(pay.gross)], { bold: true });
    row(sheet, 367, right, ['Total Deductions', amount(pay.totalDeductions), amount(pay.ytd.deductions)], { bold: true }); // prettier-ignore
    const boxes: [string, string][] = [['Gross To Date', amount(pay.ytd.gross)], ['Taxable Pay', amount(pay.taxable)], ['Taxable To Date', amount(pay.ytd.taxable)], ["Emp'r NI", amount(pay.employerNi)], ["Emp'r Pension", pay.pension === null ? '' : amount(pay.employerPension)]]; // prettier-ignore
    boxes.forEach(([label, value], n) => {
      sheet.box(36 + n * 80, 382, 80, 34, { stroke: '#444444' });
      sheet.text(41 + n * 80, 393, label, { size: 7 });
      sheet.text(110 + n * 80, 410, value, { align: 'right' });
    });
    sheet.box(440, 382, 119, 34, { fill: '#dce6dc', stroke: '#444444', thickness: 1.4 });
    sheet.text(446, 394, 'NET PAY', { size: 8, bold: true });
    sheet.text(552, 411, amount(pay.net), { size: 13, bold: true, align: 'right' });
    sheet.lines(46, 434, 12, [`Payment method: BACS    Employer's PAYE ref: ${pay.employer.payeReference}`, 'Your leave: see the intranet for keeping in touch days. Queries: payroll@council.example'], { size: 7.5 }); // prettier-ignore
    return {
      pay_period: ending,
      pay_period_also: [`Period ending ${ending}`, ...periodNames(pay)],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};

function inTwo(lines: readonly Line[]): [string, Line][] {
  return lines.flatMap((line): [string, Line][] => {
    if (line.kind !== 'pension') return [[LABELS[line.kind], line]];
    const [amount, ytd] = [Math.round(line.amount / 5), Math.round(line.ytd / 5)];
    return [
      [LABELS.pension, { ...line, amount: line.amount - amount, ytd: line.ytd - ytd }],
      ['LGPS APC', { ...line, amount, ytd }],
    ];
  });
}
