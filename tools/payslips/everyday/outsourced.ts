import type { PayslipLayout } from '../layout.ts';
import { niNumber, row } from '../parts.ts';
import { A4_LANDSCAPE } from '../sheet.ts';
import { date, longName, money, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Basic Salary', hours: 'Basic Hours', overtime: 'Overtime 1.5', bonus: 'Bonus', commission: 'Commission', holiday: 'Holiday', sick: 'SSP', shift: 'Standby', car: 'Car Allowance', arrears: 'Arrears of Pay', sacrifice: 'GAYE Sal Sac', tax: 'PAYE Tax', ni: 'Employee NIC', pension: 'Pension Ees', avc: 'Pension Ees AVC', 'student-loan': 'Student Loan', 'postgraduate-loan': 'PG Loan', charity: 'Charity GAYE', advance: 'Loan Repayment', attachment: 'Attach of Earn', healthcare: 'PMI' }); // prettier-ignore

export const outsourced: PayslipLayout = {
  name: 'outsourced',
  like: 'Moorepay, Ceridian: a payroll provider, landscape with a tear-off address',
  type: 'payslip',
  size: A4_LANDSCAPE,
  fonts: ['archivo-narrow', 'helvetica', 'inconsolata'],
  fontSize: 9,
  pay: { rows: 8, refunds: 0.1 },
  draw(sheet, pay, random) {
    const grey = '#d9d9d9';
    const comma = random.chance(0.6);
    const amount = (value: number) => money(value, { comma });
    const paid = date(pay.payDate, '31-Oct-2026');
    sheet.box(30, 28, 782, 40, { fill: grey });
    const facts: [number, string, string][] = [[38, 'Company', pay.employer.name], [290, 'Employee', longName(pay)], [440, 'Emp. No.', pay.employee.number], [510, 'N.I. Number', niNumber(pay, false)], [590, 'N.I. Letter', pay.niLetter], [640, 'Tax Code', pay.taxCode], [705, 'Pay Date', paid]]; // prettier-ignore
    for (const [x, label, value] of facts) {
      sheet.text(x, 41, label, { size: 7 });
      sheet.text(x, 57, value, { bold: true, size: 8.5 });
    }
    const left = [{ x: 38 }, { x: 200, align: 'right' }, { x: 255, align: 'right' }, { x: 325, align: 'right' }, { x: 400, align: 'right' }] as const; // prettier-ignore
    const right = [{ x: 430 }, { x: 580, align: 'right' }, { x: 660, align: 'right' }] as const;
    const last = [{ x: 684 }, { x: 804, align: 'right' }] as const;
    for (const [x, width] of [[30, 380], [420, 248], [678, 134]] as const) {
      sheet.box(x, 78, width, 18, { fill: grey });
      sheet.box(x, 78, width, 222);
    } // prettier-ignore
    row(sheet, 90, left, ['Pay & Allowances', 'Units', 'Rate', 'This Period', 'To Date'], { bold: true });
    row(sheet, 90, right, ['Deductions', 'This Period', 'To Date'], { bold: true });
    row(sheet, 90, last, ['Other Information', ''], { bold: true });
    pay.payments.forEach((line, n) => row(sheet, 112 + n * 15, left, [LABELS[line.kind], units(line), rate(line, 4), amount(line.amount), amount(line.ytd)])); // prettier-ignore
    pay.deductions.forEach((line, n) => row(sheet, 112 + n * 15, right, [LABELS[line.kind], amount(line.amount), amount(line.ytd)])); // prettier-ignore
    row(sheet, 292, left, ['Gross Pay', '', '', amount(pay.gross), amount(pay.ytd.gross)], { bold: true });
    row(sheet, 292, right, ['Total Deductions', amount(pay.totalDeductions), amount(pay.ytd.deductions)], { bold: true }); // prettier-ignore
    sheet.line(30, 280, 410, 280);
    sheet.line(420, 280, 668, 280);
    const more: [string, number][] = [['Taxable Pay', pay.taxable], ['Taxable To Date', pay.ytd.taxable], ['NIable Pay', pay.niable], ['Employers NIC', pay.employerNi], ['Ers NIC To Date', pay.ytd.employerNi]]; // prettier-ignore
    if (pay.pension !== null) more.push(['Pension Ers', pay.employerPension], ['Pension Ers TD', pay.ytd.employerPension]); // prettier-ignore
    more.forEach(([label, value], n) => row(sheet, 112 + n * 15, last, [label, amount(value)], { size: 8 }));
    sheet.box(678, 308, 134, 40, { thickness: 1.4 });
    sheet.text(684, 320, 'NET PAY', { size: 8, bold: true });
    sheet.text(804, 340, amount(pay.net), { size: 14, bold: true, align: 'right' });
    sheet.lines(38, 322, 12, [`Paid by BACS: ${pay.employee.sortCode} / ****${pay.employee.account.slice(4)}`, `Tax Reference: ${pay.employer.payeReference}`, `Annual leave remaining: ${random.int(1, 24)}.5 days`], { size: 8 }); // prettier-ignore
    sheet.line(30, 368, 812, 368, { dash: 3 });
    sheet.lines(60, 420, 14, [longName(pay), ...pay.employee.address], { size: 10 });
    sheet.text(804, 560, 'Private and Confidential', { align: 'right', size: 8 });
    return {
      pay_period: paid,
      pay_period_also: [],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
