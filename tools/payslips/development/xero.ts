import type { Line } from '../figures.ts';
import type { PayslipLayout } from '../layout.ts';
import { niNumber, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, rate, units, words } from '../words.ts';

const LABELS = words({ hours: 'Regular Hours', tax: 'PAYE', ni: 'NI', pension: 'Workplace Pension', sick: 'Statutory Sick Pay', 'student-loan': 'Student Loan Repayments' }); // prettier-ignore

export const xero: PayslipLayout = {
  name: 'xero',
  like: 'Xero Payroll',
  type: 'payslip',
  size: A4,
  fonts: ['inter', 'helvetica'],
  fontSize: 9,
  draw(sheet, pay, random) {
    const grey = '#6b7680';
    sheet.text(48, 66, pay.employer.name, { size: 15, bold: true });
    sheet.lines(48, 82, 12, pay.employer.address, { colour: grey, size: 8.5 });
    sheet.text(547, 66, 'Payslip', { size: 15, align: 'right', colour: grey });
    const style = random.pick(['31 Oct 2026', '31/10/2026'] as const);
    const span = `${date(pay.from, style)} - ${date(pay.to, style)}`;
    const facts: [string, string][] = [
      ['PAY PERIOD', span],
      ['PAYMENT DATE', date(pay.payDate, style)],
      ['TAX CODE', pay.taxCode],
      ['NI NUMBER', niNumber(pay, false)],
      ['NI CATEGORY', pay.niLetter],
    ];
    sheet.lines(48, 140, 12.5, [longName(pay), ...pay.employee.address]);
    facts.forEach(([label, value], n) => {
      sheet.text(320, 140 + n * 14, label, { size: 7.5, colour: grey });
      sheet.text(547, 140 + n * 14, value, { align: 'right' });
    });
    sheet.box(48, 222, 499, 40, { fill: '#eef2f5' });
    sheet.text(60, 239, 'NET PAY', { size: 8, colour: grey });
    sheet.text(60, 255, money(pay.net, { pound: true }), { size: 14, bold: true });
    sheet.text(535, 239, 'Total Earnings', { size: 8, colour: grey, align: 'right' });
    sheet.text(535, 255, money(pay.gross, { pound: true }), { size: 11, align: 'right' });
    const columns = [{ x: 60 }, { x: 310, align: 'right' }, { x: 380, align: 'right' }, { x: 460, align: 'right' }, { x: 540, align: 'right' }] as const; // prettier-ignore
    let y = 290;
    const section = (
      title: string,
      heads: readonly string[],
      lines: readonly Line[],
      total: string,
      totals: [number, number],
    ) => {
      row(sheet, y, columns, [title, ...heads], { bold: true, size: 8, colour: grey });
      sheet.line(48, y + 5, 547, y + 5, { stroke: '#c5ccd3' });
      y += 19;
      for (const line of lines) {
        row(sheet, y, columns, [LABELS[line.kind], units(line), rate(line, 2), money(line.amount), money(line.ytd)]);
        y += 15;
      }
      sheet.line(48, y - 10, 547, y - 10, { stroke: '#e3e7eb' });
      row(sheet, y + 2, columns, [total, '', '', money(totals[0]), money(totals[1])], { bold: true });
      y += 30;
    };
    section('EARNINGS', ['HOURS', 'RATE', 'THIS PAY', 'YTD'], pay.payments, 'Total', [pay.gross, pay.ytd.gross]);
    const taxes = pay.deductions.filter(({ kind }) => kind === 'tax' || kind === 'ni');
    const others = pay.deductions.filter(({ kind }) => kind !== 'tax' && kind !== 'ni');
    const sum = (lines: readonly Line[]): [number, number] => [
      lines.reduce((all, { amount }) => all + amount, 0),
      lines.reduce((all, { ytd }) => all + ytd, 0),
    ];
    section('TAXES', ['', '', 'THIS PAY', 'YTD'], taxes, 'Total', sum(taxes));
    if (others.length > 0) section('DEDUCTIONS', ['', '', 'THIS PAY', 'YTD'], others, 'Total', sum(others));
    row(sheet, y, columns, ['EMPLOYER CONTRIBUTIONS', '', '', 'THIS PAY', 'YTD'], {
      bold: true,
      size: 8,
      colour: grey,
    });
    sheet.line(48, y + 5, 547, y + 5, { stroke: '#c5ccd3' });
    row(sheet, y + 19, columns, ['Employer NI', '', '', money(pay.employerNi), money(pay.ytd.employerNi)]);
    if (pay.pension !== null) row(sheet, y + 34, columns, ['Employer Pension', '', '', money(pay.employerPension), money(pay.ytd.employerPension)]); // prettier-ignore
    sheet.text(48, 800, `Employer PAYE reference ${pay.employer.payeReference}`, { size: 7.5, colour: grey });
    return {
      pay_period: span,
      pay_period_also: [span.replace(' - ', ' to '), span.replace(' - ', ' – ')],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
