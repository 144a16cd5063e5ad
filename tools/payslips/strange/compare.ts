import { addMonths } from '../../../domain/dates.ts';
import type { Line } from '../figures.ts';
import type { PayslipLayout } from '../layout.ts';
import { niNumber, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, monthOf, words } from '../words.ts';

const LABELS = words({ basic: 'Base pay', hours: 'Hourly pay', overtime: 'Overtime', bonus: 'Discretionary bonus', commission: 'Sales commission', holiday: 'Holiday pay', sick: 'Sick pay', shift: 'On-call payment', car: 'Car allowance', weighting: 'London allowance', arrears: 'Correction for earlier months', sacrifice: 'Salary sacrifice (electric car)', tax: 'Income tax', ni: 'National Insurance', pension: 'Pension contribution', avc: 'Extra pension contribution', 'student-loan': 'Student loan', 'postgraduate-loan': 'Postgraduate loan', ticket: 'Season ticket loan', advance: 'Salary advance', attachment: 'Attachment of earnings', healthcare: 'Private health' }); // prettier-ignore

function before(line: Line, change: number): number {
  const earlier = line.ytd - line.amount;
  if (line.kind === 'basic' || line.kind === 'sacrifice') return earlier === 0 ? 0 : line.amount;
  return Math.max(0, Math.min(earlier, Math.round(Math.abs(line.amount) * change)));
}

export const compare: PayslipLayout = {
  name: 'compare',
  like: 'a payslip of a payroll service that explains what changed (Pento, PayCircle)',
  type: 'payslip',
  size: A4,
  fonts: ['inter', 'roboto', 'lato'],
  fontSize: 9.5,
  pay: { sector: 'private', frequency: 'monthly', rows: 8 },
  draw(sheet, pay, random) {
    const [tone, shade] = random.pick([['#0f5132', '#d9efe3'], ['#1e3a8a', '#dbe4fb'], ['#7a4100', '#fbe9d3']] as const); // prettier-ignore
    const change = random.between(0.85, 1.05);
    const amount = (value: number) => money(value, { pound: true, zero: '-' });
    const current = (value: number) => money(value, { pound: true });
    const period = monthOf(pay.payDate);
    const [last, month] = [monthOf(addMonths(pay.from, -1)).split(' ')[0]!, period.split(' ')[0]!];
    sheet.text(48, 66, `Your ${period} pay`, { size: 20, bold: true, colour: tone });
    sheet.text(48, 86, pay.employer.name, { size: 11 });
    sheet.text(547, 60, current(pay.net), { size: 20, bold: true, align: 'right', colour: tone });
    sheet.text(547, 76, `net pay, in your bank on ${date(pay.payDate, '31 October 2026')}`, { size: 8, align: 'right' }); // prettier-ignore
    sheet.line(48, 100, 547, 100, { stroke: tone });
    sheet.text(48, 116, `${longName(pay)}   Employee ${pay.employee.number}   NI number ${niNumber(pay, true)}   NI category ${pay.niLetter}   Tax code ${pay.taxCode}`, { size: 8 }); // prettier-ignore
    const columns = [{ x: 54 }, { x: 340, align: 'right' }, { x: 440, align: 'right' }, { x: 541, align: 'right' }] as const; // prettier-ignore
    const [top, height] = [134, 18];
    const rows: { cells: string[]; kind?: 'title' | 'sum' | 'net' }[] = [];
    const prev = (lines: readonly Line[]) => lines.reduce((sum, line) => sum + before(line, change), 0);
    rows.push({ cells: ['', last, month, 'Tax year'], kind: 'title' });
    const list = (title: string, lines: readonly Line[], total: string, [now, all]: readonly [number, number]) => {
      rows.push({ cells: [title], kind: 'title' });
      for (const line of lines) rows.push({ cells: [LABELS[line.kind], amount(before(line, change)), current(line.amount), amount(line.ytd)] }); // prettier-ignore
      rows.push({ cells: [total, amount(prev(lines)), current(now), amount(all)], kind: 'sum' });
    };
    list('Earnings', pay.payments, 'Gross pay', [pay.gross, pay.ytd.gross]);
    list('Deductions', pay.deductions, 'Total deductions', [pay.totalDeductions, pay.ytd.deductions]);
    rows.push({ cells: ['Net pay', amount(prev(pay.payments) - prev(pay.deductions)), current(pay.net), amount(pay.ytd.net)], kind: 'net' }); // prettier-ignore
    rows.push({ cells: ['What it costs your employer'], kind: 'title' });
    const earlier = pay.ytd.gross > pay.gross;
    const cost = (label: string, now: number, all: number) => rows.push({ cells: [label, amount(earlier ? Math.min(all - now, Math.round(now * change)) : 0), current(now), amount(all)] }); // prettier-ignore
    cost("Employer's National Insurance", pay.employerNi, pay.ytd.employerNi);
    if (pay.pension !== null) cost("Employer's pension contribution", pay.employerPension, pay.ytd.employerPension);
    sheet.box(360, top, 88, rows.length * height + 8, { fill: shade, radius: 4 });
    rows.forEach(({ cells, kind }, n) => {
      const y = top + 15 + n * height;
      row(sheet, y, columns, cells, { bold: kind !== undefined, ...(kind === 'title' && { colour: tone }) });
      if (kind === 'sum' || kind === 'net') sheet.line(48, y - 12, 547, y - 12, { stroke: '#aaaaaa', thickness: 0.5 });
      if (kind === 'net') sheet.line(48, y + 5, 547, y + 5, { stroke: tone, thickness: 1.2 });
    });
    const taxable = `Of your ${month} pay ${current(pay.taxable)} was taxable, of this tax year's ${current(pay.ytd.taxable)}.`; // prettier-ignore
    sheet.text(48, top + rows.length * height + 40, taxable, { size: 8.5 });
    sheet.text(297, 812, `${pay.employer.name}, ${pay.employer.address.join(', ')}, PAYE reference ${pay.employer.payeReference}`, { size: 7, align: 'center', colour: '#666666' }); // prettier-ignore
    return {
      pay_period: period,
      pay_period_also: [month],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
