import type { Line } from '../figures.ts';
import { sumOf } from '../fresh/lines.ts';
import type { PayslipLayout } from '../layout.ts';
import { niNumber, row } from '../parts.ts';
import { A4_LANDSCAPE } from '../sheet.ts';
import { date, frequencyWord, longName, money, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Regular Salary', hours: 'Regular Hours', overtime: 'Overtime 1.5', bonus: 'Bonus Quarterly', commission: 'Commission', holiday: 'Holiday', sick: 'SSP', shift: 'Night Diff', car: 'Car Allow', weighting: 'London Allow', arrears: 'Retro Pay', sacrifice: 'Childcare Voucher Sac', tax: 'UK Income Tax', ni: 'EE NI Contribution', pension: 'EE Pension', avc: 'EE Pension Add Vol', 'student-loan': 'Student Loan', 'postgraduate-loan': 'Postgrad Loan', union: 'Union Dues', charity: 'Charity', ticket: 'Season Ticket', advance: 'Pay Advance', attachment: 'Court Order (AEO)', healthcare: 'Dental Plan' }); // prettier-ignore

export const earningsStatement: PayslipLayout = {
  name: 'earnings-statement',
  like: 'Ceridian Dayforce, UKG, landscape',
  type: 'payslip',
  size: A4_LANDSCAPE,
  fonts: ['roboto', 'helvetica', 'archivo-narrow'],
  fontSize: 8.5,
  pay: { rows: 9, refunds: 0.15 },
  draw(sheet, pay, random) {
    const grey = random.pick(['#dfe3e8', '#e8e2d8', '#d8e6e6']);
    const amount = (value: number) => money(value, { negative: 'brackets' });
    const range = `${date(pay.from, '31 Oct 2026')} - ${date(pay.to, '31 Oct 2026')}`;
    sheet.text(40, 48, pay.employer.name, { size: 10, bold: true });
    sheet.lines(40, 60, 11, pay.employer.address);
    sheet.text(802, 48, 'Earnings Statement', { size: 15, align: 'right' });
    sheet.lines(40, 112, 11, [longName(pay), ...pay.employee.address]);
    const facts: [string, string][] = [['Pay Period', range], ['Pay Date', date(pay.payDate, '31 Oct 2026')], ['Pay Group', frequencyWord(pay.frequency)], ['Employee Number', pay.employee.number], ['Tax Code', pay.taxCode], ['NI Number', niNumber(pay, false)], ['NI Category', pay.niLetter], ['PAYE Ref', pay.employer.payeReference]]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      sheet.text(360, 66 + n * 11.5, `${label}:`, { align: 'right', bold: true });
      sheet.text(368, 66 + n * 11.5, value);
    });
    const other = pay.deductions.slice(2);
    const [restNow, restAll] = sumOf(other);
    const summary = [{ x: 546 }, { x: 628, align: 'right' }, { x: 685, align: 'right' }, { x: 742, align: 'right' }, { x: 798, align: 'right' }] as const; // prettier-ignore
    sheet.box(540, 76, 262, 15, { fill: grey });
    row(sheet, 87, summary, ['', 'Gross Pay', 'Taxes', 'Deductions', 'Net Pay'], { bold: true, size: 8 });
    row(sheet, 103, summary, ['Current', amount(pay.gross), amount(pay.tax + pay.ni), amount(restNow), amount(pay.net)], { bold: true }); // prettier-ignore
    row(sheet, 118, summary, ['YTD', amount(pay.ytd.gross), amount(pay.ytd.tax + pay.ytd.ni), amount(restAll), amount(pay.ytd.net)]); // prettier-ignore
    sheet.box(540, 76, 262, 48, { stroke: '#888888' });
    const left = [{ x: 46 }, { x: 196, align: 'right' }, { x: 246, align: 'right' }, { x: 316, align: 'right' }, { x: 370, align: 'right' }, { x: 444, align: 'right' }] as const; // prettier-ignore
    const right = [{ x: 476 }, { x: 716, align: 'right' }, { x: 796, align: 'right' }] as const;
    sheet.box(40, 176, 412, 15, { fill: grey });
    row(sheet, 187, left, ['Earnings', 'Rate', 'Hours', 'Current', 'YTD Hours', 'YTD'], { bold: true });
    let y = 205;
    for (const line of pay.payments) {
      const hours = line.rate === undefined ? '' : (line.ytd / line.rate).toFixed(2);
      row(sheet, y, left, [LABELS[line.kind], rate(line, 4), units(line), amount(line.amount), hours, amount(line.ytd)]); // prettier-ignore
      y += 15;
    }
    sheet.line(40, y - 9, 452, y - 9, { stroke: '#888888' });
    row(sheet, y + 3, left, ['Total Earnings', '', '', amount(pay.gross), '', amount(pay.ytd.gross)], { bold: true });
    y = 187;
    const block = (title: string, lines: readonly (readonly [string, number, number])[], total?: string) => {
      sheet.box(470, y - 11, 332, 15, { fill: grey });
      row(sheet, y, right, [title, 'Current', 'YTD'], { bold: true });
      y += 18;
      for (const [label, now, all] of lines) {
        row(sheet, y, right, [label, amount(now), amount(all)]);
        y += 14;
      }
      if (total !== undefined) {
        const sums = ([1, 2] as const).map((at) => lines.reduce((sum, line) => sum + line[at], 0));
        sheet.line(470, y - 9, 802, y - 9, { stroke: '#888888' });
        row(sheet, y + 2, right, [total, ...sums.map(amount)], { bold: true });
        y += 16;
      }
      y += 12;
    };
    const entries = (lines: readonly Line[]) => lines.map((line) => [LABELS[line.kind], line.amount, line.ytd] as const); // prettier-ignore
    block('Taxes', entries(pay.deductions.slice(0, 2)), 'Total Taxes');
    if (other.length > 0) block('Deductions', entries(other), 'Total Deductions');
    const costs: [string, number, number][] = [['ER NI Contribution', pay.employerNi, pay.ytd.employerNi]];
    if (pay.pension !== null) costs.push(['ER Pension', pay.employerPension, pay.ytd.employerPension]);
    block('Employer Paid', costs);
    block('Taxable Wages', [
      ['Pay for Tax', pay.taxable, pay.ytd.taxable],
      ['Pay for NI', pay.niable, pay.ytd.niable],
    ]);
    sheet.box(40, 430, 412, 34, { stroke: '#888888' });
    row(sheet, 443, [{ x: 46 }, { x: 180 }, { x: 444, align: 'right' }], ['Net Pay Distribution', 'Account', 'Amount'], { bold: true, size: 7.5 }); // prettier-ignore
    row(sheet, 457, [{ x: 46 }, { x: 180 }, { x: 444, align: 'right' }], ['BACS', `${pay.employee.sortCode}  xxxx${pay.employee.account.slice(4)}`, amount(pay.net)]); // prettier-ignore
    return {
      pay_period: range,
      pay_period_also: [range.replace(' - ', ' to ')],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
