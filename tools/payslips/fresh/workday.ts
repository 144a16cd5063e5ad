import type { Line } from '../figures.ts';
import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row, type Column } from '../parts.ts';
import { A4_LANDSCAPE } from '../sheet.ts';
import { date, money, rate, units, words } from '../words.ts';
import { percentOfGross, sumOf } from './lines.ts';

const LABELS = words({ basic: 'Base Salary', hours: 'Hourly Base Pay', overtime: 'Overtime 150%', holiday: 'Time Off - Holiday', sick: 'Statutory Sick Pay (SSP)', car: 'Car Cash Allowance', sacrifice: 'Sal Sac - Cycle to Work', tax: 'PAYE Income Tax', ni: 'National Insurance', pension: 'EE Pension', avc: 'EE AVC', 'student-loan': 'Student Loan Plan 2', 'postgraduate-loan': 'PG Loan', charity: 'Give As You Earn', healthcare: 'Private Medical' }); // prettier-ignore

const SHADE = '#e4e8ec';

export const workday: PayslipLayout = {
  name: 'workday',
  like: 'Workday payroll, landscape',
  type: 'payslip',
  size: A4_LANDSCAPE,
  fonts: ['roboto', 'inter', 'helvetica'],
  fontSize: 7.5,
  pay: { sector: 'private', rows: 8 },
  draw(sheet, pay) {
    const day = (value: string) => date(value, '31/10/2026');
    const table = (x: number, y: number, width: number, title: string, columns: readonly Column[], rows: readonly (readonly string[])[]) => {
      sheet.box(x, y, width, 13, { fill: SHADE, stroke: '#9aa3ab', thickness: 0.4 });
      sheet.text(x + 4, y + 9.5, title, { bold: true });
      sheet.box(x, y + 13, width, rows.length * 12 + 2, { stroke: '#9aa3ab', thickness: 0.4 });
      rows.forEach((cells, n) => row(sheet, y + 22 + n * 12, columns, cells, { bold: n === 0 || cells[0] === 'Total' }));
      return y + 13 + rows.length * 12 + 10;
    }; // prettier-ignore
    sheet.lines(36, 40, 10, [pay.employer.name, pay.employer.address.join(', ')]);
    sheet.text(806, 40, 'Payslip', { size: 12, bold: true, align: 'right' });
    const wide: Column[] = [40, 190, 400, 500, 600, 710].map((x) => ({ x }));
    let y = table(36, 60, 770, 'Company Information', wide, [
      ['Name', 'Company', 'Employee ID', 'Pay Period Begin', 'Pay Period End', 'Payment Date'],
      [`${pay.employee.first} ${pay.employee.last}`, pay.employer.name, pay.employee.number, day(pay.from), day(pay.to), day(pay.payDate)],
    ]); // prettier-ignore
    const [hours] = [pay.payments.reduce((sum, line) => sum + (line.units ?? 0), 0)];
    const [taxes, others] = [pay.deductions.slice(0, 2), pay.deductions.slice(2)];
    const right: Column[] = [{ x: 40 }, ...[260, 390, 530, 660, 800].map((x) => ({ x, align: 'right' as const }))];
    const [taxed, taxedYtd] = sumOf(taxes);
    const [taken, takenYtd] = sumOf(others);
    y = table(36, y, 770, 'Current and YTD Totals', right, [
      ['', 'Hours Worked', 'Gross Pay', 'Employee Taxes', 'Deductions', 'Net Pay'],
      ['Current', hours.toFixed(2), money(pay.gross), money(taxed), money(taken), money(pay.net)],
      ['YTD', '', money(pay.ytd.gross), money(taxedYtd), money(takenYtd), money(pay.ytd.net)],
    ]);
    const earnings: Column[] = [{ x: 40 }, { x: 150 }, ...[285, 328, 375, 432].map((x) => ({ x, align: 'right' as const }))]; // prettier-ignore
    const pair: Column[] = [{ x: 448 }, { x: 730, align: 'right' }, { x: 802, align: 'right' }];
    const both = ({ amount, ytd }: Pick<Line, 'amount' | 'ytd'>) => [money(amount), money(ytd)];
    const leftEnd = table(36, y, 400, 'Earnings', earnings, [
      ['Description', 'Dates', 'Hours', 'Rate', 'Amount', 'YTD'],
      ...pay.payments.map((line) => [LABELS[line.kind], `${day(pay.from)} - ${day(pay.to)}`, units(line), rate(line), ...both(line)]),
      ['Total', '', '', '', money(pay.gross), money(pay.ytd.gross)],
    ]); // prettier-ignore
    const rightEnd = table(444, y, 362, 'Employee Taxes', pair, [
      ['Description', 'Amount', 'YTD'],
      ...taxes.map((line) => [LABELS[line.kind], ...both(line)]),
      ['Total', money(taxed), money(taxedYtd)],
    ]);
    const named = (line: Line) => (line.kind === 'pension' ? `${LABELS.pension} ${percentOfGross(pay, line.amount)}` : LABELS[line.kind]); // prettier-ignore
    const benefits = [['ER National Insurance', money(pay.employerNi), money(pay.ytd.employerNi)]];
    if (pay.pension !== null) benefits.push(['ER Pension', money(pay.employerPension), money(pay.ytd.employerPension)]); // prettier-ignore
    const low = table(444, rightEnd, 362, 'Employer Paid Benefits', pair, [['Description', 'Amount', 'YTD'], ...benefits]); // prettier-ignore
    const next = Math.max(leftEnd, low);
    const deductions: Column[] = [{ x: 40 }, { x: 375, align: 'right' }, { x: 432, align: 'right' }];
    table(36, next, 400, 'Deductions', deductions, [['Description', 'Amount', 'YTD'], ...others.map((line) => [named(line), ...both(line)]), ['Total', money(taken), money(takenYtd)]]); // prettier-ignore
    const wages = table(444, next, 362, 'Taxable Wages', pair, [
      ['Description', 'Amount', 'YTD'],
      ['Taxable Pay', money(pay.taxable), money(pay.ytd.taxable)],
      ['NIable Pay', money(pay.niable), money(pay.ytd.niable)],
    ]);
    table(444, wages, 362, 'UK Tax Details', [448, 500, 560, 640, 720].map((x) => ({ x })), [
      ['Tax Code', 'NI Cat.', 'NI Number', 'Tax Period', 'PAYE Ref'],
      [pay.taxCode, pay.niLetter, niNumber(pay, false), `${pay.period}`, pay.employer.payeReference],
    ]); // prettier-ignore
    table(36, 520, 770, 'Payment Information', wide, [
      ['Bank', 'Account Name', 'Sort Code', 'Account Number', '', 'GBP Amount'],
      ['Northern Union Bank', `${pay.employee.first} ${pay.employee.last}`, pay.employee.sortCode, `****${pay.employee.account.slice(4)}`, '', money(pay.net)],
    ]); // prettier-ignore
    const [from, to] = [day(pay.from), day(pay.to)];
    return {
      pay_period: `${from} - ${to}`,
      pay_period_also: [`${from} to ${to}`, to, ...periodNames(pay)],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
