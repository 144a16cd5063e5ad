import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A5_LANDSCAPE } from '../sheet.ts';
import { date, longName, money, periodWord, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Salary', hours: 'Hourly pay', overtime: 'Overtime', holiday: 'Holiday pay', tax: 'Tax', ni: "Employee's NI", pension: "Employee's Pension", avc: "Employee's AVC", 'student-loan': 'Student Loan', 'postgraduate-loan': 'Postgrad Loan', attachment: 'Attachment Order' }); // prettier-ignore

export const primo: PayslipLayout = {
  name: 'primo',
  like: 'Primo Payroll, half a page',
  type: 'payslip',
  size: A5_LANDSCAPE,
  fonts: ['lato', 'inter', 'roboto'],
  fontSize: 8,
  pay: { rows: 8 },
  draw(sheet, pay, random) {
    const dark = random.pick(['#264653', '#6a1b4d', '#1d3557']);
    const pale = '#eef1f4';
    const period = `${periodWord(pay)} ${pay.period}`;
    sheet.box(0, 0, 34, 419.53, { fill: dark });
    sheet.text(23, 330, `TAX YEAR ${pay.taxYear.replace('-', '/')}`, { upward: true, size: 15, bold: true, colour: '#ffffff', spacing: 3 }); // prettier-ignore
    sheet.text(50, 34, longName(pay), { size: 12, bold: true, colour: dark });
    sheet.text(50, 46, `${pay.employee.job}  |  Employee no. ${pay.employee.number}`);
    const facts: [string, string][] = [['Period', period], ['Paid on', date(pay.payDate, '31 Oct 2026')], ['Tax code', pay.taxCode], ['NI letter', pay.niLetter], ['NI number', niNumber(pay, true)]]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      const x = 50 + n * 104;
      sheet.box(x, 56, 98, 28, { fill: pale });
      sheet.text(x + 6, 67, value, { bold: true });
      sheet.text(x + 6, 78, label, { size: 6.5, colour: '#667077' });
    });
    const left = [{ x: 56 }, { x: 176, align: 'right' }, { x: 226, align: 'right' }, { x: 292, align: 'right' }] as const; // prettier-ignore
    const right = [{ x: 314 }, { x: 560, align: 'right' }] as const;
    sheet.box(50, 94, 248, 16, { fill: dark });
    sheet.box(308, 94, 258, 16, { fill: dark });
    row(sheet, 105, left, ['Additions', 'Quantity', 'Rate', '£'], { bold: true, colour: '#ffffff' });
    row(sheet, 105, right, ['Deductions', '£'], { bold: true, colour: '#ffffff' });
    pay.payments.forEach((line, n) => row(sheet, 124 + n * 14, left, [LABELS[line.kind], units(line), rate(line, 2), money(line.amount)])); // prettier-ignore
    pay.deductions.forEach((line, n) => row(sheet, 124 + n * 14, right, [LABELS[line.kind], money(line.amount)]));
    sheet.line(50, 236, 298, 236, { stroke: dark });
    sheet.line(308, 236, 566, 236, { stroke: dark });
    row(sheet, 248, left, ['Gross pay', '', '', money(pay.gross)], { bold: true });
    row(sheet, 248, right, ['Total deductions', money(pay.totalDeductions)], { bold: true });
    const heads = ['Year to date', 'Gross pay', 'Taxable', 'Tax', "Employee's NI", "Employer's NI"];
    const totals = ['', ...[pay.ytd.gross, pay.ytd.taxable, pay.ytd.tax, pay.ytd.ni, pay.ytd.employerNi].map((value) => money(value))]; // prettier-ignore
    if (pay.pension !== null) {
      heads.push("Empl'ee pension", "Empl'er pension");
      totals.push(money(pay.ytd.pension), money(pay.ytd.employerPension));
    }
    const columns = heads.map((_, n) => (n === 0 ? { x: 56 } : { x: 105 + n * 65, align: 'right' as const }));
    sheet.box(50, 262, 516, 34, { fill: pale });
    row(sheet, 274, columns, heads, { size: 6.5, colour: '#667077' });
    row(sheet, 289, columns, totals);
    sheet.text(56, 289, 'Totals', { bold: true });
    const costs = pay.pension === null ? '' : `   Employer's pension this period: ${money(pay.employerPension)}`;
    sheet.text(56, 314, `Employer's NI this period: ${money(pay.employerNi)}${costs}`, { size: 7.5 });
    sheet.box(416, 310, 150, 52, { stroke: dark, thickness: 2, radius: 10 });
    sheet.text(491, 336, money(pay.net, { pound: true }), { size: 18, bold: true, align: 'center', colour: dark });
    sheet.text(491, 353, 'NET PAY', { size: 8, align: 'center', colour: dark, spacing: 1 });
    sheet.text(56, 340, `Payment by BACS to account ending ${pay.employee.account.slice(4)}`, { size: 7.5 });
    sheet.line(50, 378, 566, 378, { stroke: '#c5ccd2' });
    sheet.text(50, 391, `Employer: ${pay.employer.name}`, { size: 8, bold: true });
    sheet.text(50, 402, `${pay.employer.address.join(', ')}. PAYE reference ${pay.employer.payeReference}`, {
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
