import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, frequencyWord, longName, money, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Monthly Pay', hours: 'Hourly Pay', overtime: 'Overtime @ 1.5', holiday: 'Holiday', sick: 'Statutory Sick Pay', sacrifice: 'Salary Sacrifice', tax: 'PAYE Tax', ni: 'National Insurance Contribution', pension: 'Employee Pension Contribution', avc: 'Employee AVC', 'student-loan': 'Student Loan Deduction', 'postgraduate-loan': 'Postgraduate Loan Deduction', attachment: 'DEA', union: 'Union Fees' }); // prettier-ignore

export const bureau: PayslipLayout = {
  name: 'bureau',
  like: 'IRIS Staffology, sent out by an accountant',
  type: 'payslip',
  size: A4,
  fonts: ['roboto', 'inter', 'helvetica'],
  fontSize: 9,
  pay: { rows: 8 },
  draw(sheet, pay, random) {
    const accent = random.pick(['#00838f', '#37474f', '#5e35b1']);
    const pounds = (value: number) => money(value, { pound: true });
    const salary = pay.frequency === 'monthly' ? 'Monthly Pay' : 'Basic Pay';
    const period = `${date(pay.from, '31/10/2026')} - ${date(pay.to, '31/10/2026')}`;
    const tax = `${pay.frequency === 'monthly' ? 'Month' : 'Week'} ${pay.period}, ${pay.taxYear.replace('-', '/')}`;
    sheet.text(45, 58, pay.employer.name, { size: 15, bold: true, colour: accent });
    sheet.lines(45, 72, 11, pay.employer.address, { size: 8, colour: '#555555' });
    sheet.text(550, 58, 'Payslip', { size: 18, align: 'right', colour: '#777777' });
    sheet.text(550, 74, `${frequencyWord(pay.frequency)} pay`, { size: 9, align: 'right', colour: '#777777' });
    sheet.line(45, 108, 550, 108, { stroke: accent, thickness: 1.2 });
    sheet.text(45, 128, longName(pay), { size: 11, bold: true });
    sheet.lines(45, 142, 12, pay.employee.address);
    const facts: [string, string][] = [['Payroll Code', pay.employee.number], ['NI Number', niNumber(pay, false)], ['NI Table', pay.niLetter], ['Tax Code', pay.taxCode]]; // prettier-ignore
    const more: [string, string][] = [['Payment Date', date(pay.payDate, '31/10/2026')], ['Pay Period', period], ['Tax Period', tax], ['Employer PAYE Ref', pay.employer.payeReference]]; // prettier-ignore
    for (const [x, gap, list] of [[225, 66, facts], [360, 84, more]] as const) list.forEach(([label, value], n) => {
      sheet.text(x, 128 + n * 14, label, { size: 8, colour: '#777777' });
      sheet.text(x + gap, 128 + n * 14, value, { size: 8 });
    }); // prettier-ignore
    const columns = [{ x: 53 }, { x: 340, align: 'right' }, { x: 420, align: 'right' }, { x: 542, align: 'right' }] as const; // prettier-ignore
    let y = 200;
    const table = (heads: readonly string[], lines: readonly string[][], total: readonly string[]) => {
      sheet.box(45, y, 505, 18, { fill: accent });
      row(sheet, y + 12.5, columns, heads, { bold: true, colour: '#ffffff' });
      y += 31;
      for (const cells of lines) {
        row(sheet, y, columns, cells);
        sheet.line(45, y + 5, 550, y + 5, { stroke: '#dddddd', thickness: 0.5 });
        y += 17;
      }
      row(sheet, y, columns, total, { bold: true });
      y += 16;
    };
    const payments = pay.payments.map((line) => [line.kind === 'basic' ? salary : LABELS[line.kind], units(line), rate(line, 4), pounds(line.amount)]); // prettier-ignore
    table(['Payments', 'Quantity', 'Rate', 'Amount'], payments, ['Total Payments', '', '', pounds(pay.gross)]);
    const deductions = pay.deductions.map((line) => [LABELS[line.kind], '', '', pounds(line.amount)]);
    table(['Deductions', '', '', 'Amount'], deductions, ['Total Deductions', '', '', pounds(pay.totalDeductions)]);
    const card = (x: number, title: string, list: readonly (readonly [string, number])[]) => {
      sheet.box(x, y, 161, 112, { stroke: '#cccccc', radius: 3 });
      sheet.text(x + 8, y + 15, title, { bold: true, colour: accent });
      list.forEach(([label, value], n) => row(sheet, y + 31 + n * 14, [{ x: x + 8 }, { x: x + 153, align: 'right' }], [label, pounds(value)], { size: 8 })); // prettier-ignore
    };
    card(45, 'Year to Date', [['Gross Pay', pay.ytd.gross], ['Taxable Pay', pay.ytd.taxable], ['PAYE Tax', pay.ytd.tax], ['National Insurance', pay.ytd.ni], ['Pension', pay.ytd.pension], ['Net Pay', pay.ytd.net]]); // prettier-ignore
    card(217, 'This Period', [
      ['Gross Pay', pay.gross],
      ['Taxable Pay', pay.taxable],
      ['Earnings for NI', pay.niable],
    ]);
    card(389, 'Employer Contributions', [["Employer's NI", pay.employerNi], ["Employer's NI YTD", pay.ytd.employerNi], ...(pay.pension === null ? [] : [['Employer Pension', pay.employerPension], ['Employer Pension YTD', pay.ytd.employerPension]] as const)]); // prettier-ignore
    sheet.box(217, y + 78, 161, 34, { fill: accent, radius: 3 });
    sheet.text(225, y + 99, 'Take Home Pay', { bold: true, colour: '#ffffff' });
    sheet.text(370, y + 100, pounds(pay.net), { bold: true, size: 13, colour: '#ffffff', align: 'right' });
    sheet.text(45, y + 132, `Paid by Credit to account ****${pay.employee.account.slice(4)}`, { size: 8, colour: '#777777' }); // prettier-ignore
    return {
      pay_period: period,
      pay_period_also: [period.replace(' - ', ' to '), ...periodNames(pay), tax],
      pay_date: pay.payDate,
      tax_year: pay.taxYear,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
