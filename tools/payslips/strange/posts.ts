import type { Line } from '../figures.ts';
import { inParts, sumOf } from '../fresh/lines.ts';
import type { PayslipLayout } from '../layout.ts';
import { cell, niNumber, periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Salary', hours: 'Claimed Hours', overtime: 'Additional Hours', bonus: 'Recruitment & Retention', commission: 'Exam Invigilation', holiday: 'Term Time Holiday', sick: 'SSP', shift: 'First Aid Allowance', car: 'Car Lump Sum', weighting: 'Fringe Allowance', arrears: 'Pay Award Arrears', sacrifice: 'Cyclescheme Sacrifice', tax: 'PAYE Tax', ni: 'National Insurance', pension: 'LGPS', avc: 'AVC (Wealth at Work)', 'student-loan': 'Student Loan', union: 'NEU Subscription', attachment: 'Attachment of Earnings', ticket: 'Travel Loan' }); // prettier-ignore

function shared(line: Line): [Line, Line] {
  const parts = inParts(line, 2);
  if (parts.length === 2) return [parts[0]!, parts[1]!];
  const [amount, ytd] = [Math.round(line.amount * 0.6), Math.round(line.ytd * 0.6)];
  return [
    { ...line, amount, ytd },
    { ...line, amount: line.amount - amount, ytd: line.ytd - ytd },
  ];
}

export const posts: PayslipLayout = {
  name: 'posts',
  like: "a schools' payroll provider (Dataplan, EPM) for somebody with two posts",
  type: 'payslip',
  size: A4,
  fonts: ['helvetica', 'lato', 'source-serif'],
  fontSize: 9,
  pay: { sector: 'school', frequency: 'monthly', rows: 7, refunds: 0.2 },
  draw(sheet, pay, random) {
    const tint = random.pick(['#e6eef5', '#f3ece0', '#eaf3ea']);
    const amount = (value: number) => money(value, { negative: 'brackets' });
    const range = `${date(pay.from, '31/10/2026')} - ${date(pay.to, '31/10/2026')}`;
    const small = { label: { size: 6.5, colour: '#555555' }, value: { size: 9 }, border: '#999999' };
    const name = { ...small, value: { size: 10, bold: true } };
    sheet.text(45, 52, 'PAYSLIP', { size: 15, bold: true });
    sheet.text(550, 52, `Month ${pay.period} of ${pay.taxYear.replace('-', '/')}`, { size: 11, align: 'right' });
    cell(sheet, [45, 64, 205, 28], 'Name', longName(pay), name);
    cell(sheet, [250, 64, 100, 28], 'Employee reference', pay.employee.number, small);
    cell(sheet, [350, 64, 200, 28], 'Period covered', range, small);
    cell(sheet, [45, 92, 105, 28], 'Pay date', date(pay.payDate, '31/10/2026'), small);
    cell(sheet, [150, 92, 100, 28], 'Tax code', pay.taxCode, small);
    cell(sheet, [250, 92, 100, 28], 'NI category', pay.niLetter, small);
    cell(sheet, [350, 92, 100, 28], 'NI number', niNumber(pay, false), small);
    cell(sheet, [450, 92, 100, 28], 'Employer PAYE ref', pay.employer.payeReference, small);
    const columns = [{ x: 50 }, { x: 300, align: 'right' }, { x: 370, align: 'right' }, { x: 458, align: 'right' }, { x: 545, align: 'right' }] as const; // prettier-ignore
    let y = 144;
    const next = (cells: readonly string[], { bold = false, fill = '' } = {}) => {
      if (fill !== '') sheet.box(45, y - 11, 505, 16, { fill });
      row(sheet, y, columns, cells, { bold });
      y += 15;
    };
    const heading = (...cells: string[]) => next(cells, { bold: true, fill: tint });
    const [first, second] = shared(pay.payments[0]!);
    const ofPosts = [[first, ...pay.payments.slice(1)], [second]];
    const grades = ['Teaching Assistant, Grade 4', 'Midday Supervisor, Grade 2'];
    heading('Payments', 'Rate', 'Units', 'This period', 'To date');
    ofPosts.forEach((lines, n) => {
      next([`Post ${n + 1}: ${grades[n]!}`], { bold: true });
      for (const line of lines) next([LABELS[line.kind], rate(line, 4), units(line), amount(line.amount), amount(line.ytd)]); // prettier-ignore
      const [now, total] = sumOf(lines);
      next([`Sub-total post ${n + 1}`, '', '', amount(now), amount(total)]);
      y += 4;
    });
    next(['Gross pay, all posts', '', '', amount(pay.gross), amount(pay.ytd.gross)], { bold: true });
    y += 10;
    heading('Deductions', 'Worked out on', '', 'This period', 'To date');
    const basis: Partial<Record<Line['kind'], number>> = { tax: pay.taxable, ni: pay.niable };
    const deductions = pay.deductions.flatMap((line) => (line.kind === 'pension' ? shared(line) : [line]));
    let post = 0;
    for (const line of deductions) {
      const on = line.kind === 'pension' ? sumOf(ofPosts[post]!)[0] : basis[line.kind];
      const label = line.kind === 'pension' ? `LGPS contribution post ${++post}` : LABELS[line.kind];
      next([label, on === undefined ? '' : amount(on), '', amount(line.amount), amount(line.ytd)]);
    }
    next(['Total deductions', '', '', amount(pay.totalDeductions), amount(pay.ytd.deductions)], { bold: true });
    y += 12;
    sheet.box(45, y - 14, 505, 24, { stroke: '#333333', thickness: 1.2 });
    row(sheet, y + 2, columns, ['Net pay', '', '', amount(pay.net)], { bold: true, size: 11 });
    y += 34;
    heading("Employer's contributions", '', '', 'This period', 'To date');
    next(['National Insurance', '', '', amount(pay.employerNi), amount(pay.ytd.employerNi)]);
    if (pay.pension !== null) next(['LGPS, both posts', '', '', amount(pay.employerPension), amount(pay.ytd.employerPension)]); // prettier-ignore
    sheet.line(45, 768, 550, 768, { stroke: '#999999' });
    sheet.text(45, 782, 'Issued on behalf of your employer:', { size: 8 });
    sheet.text(45, 794, pay.employer.name, { bold: true });
    sheet.text(45, 805, pay.employer.address.join(', '), { size: 8 });
    return {
      pay_period: range,
      pay_period_also: [range.replace(' - ', ' to '), ...periodNames(pay), `Month ${pay.period} of ${pay.taxYear.replace('-', '/')}`], // prettier-ignore
      pay_date: pay.payDate,
      tax_year: pay.taxYear,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
