import type { Line } from '../figures.ts';
import { sumOf } from '../fresh/lines.ts';
import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, money, rate, shortName, units, words } from '../words.ts';

const LABELS = words({ basic: 'Basic Pay', hours: 'Contract Hours', overtime: 'Overtime x 1.5', bonus: 'Market Supplement', commission: 'Honorarium', holiday: 'Holiday Pay', sick: 'Statutory Sick Pay', shift: 'Unsocial Hours', car: 'Essential Car User', weighting: 'Outer Fringe Allowance', arrears: 'Backdated Pay Award', sacrifice: 'Sal Sacrifice Cycle', tax: 'Tax', ni: 'NIC', pension: 'LG Pension Ees', avc: 'Pru AVC', 'student-loan': 'Student Loan', union: 'GMB', attachment: 'Council Tax Attachment', ticket: 'Parking Permit' }); // prettier-ignore

export const authority: PayslipLayout = {
  name: 'authority',
  like: 'SAP of a local authority, self service form',
  type: 'payslip',
  size: A4,
  fonts: ['courier', 'helvetica', 'inconsolata'],
  fontSize: 9,
  pay: { sector: 'council', frequency: 'monthly', rows: 9, refunds: 0.15 },
  draw(sheet, pay) {
    const amount = (value: number) => money(value, { negative: 'trailing' });
    const number = `${String(pay.period).padStart(2, '0')}.${pay.taxYear.slice(0, 4)}`;
    const range = `${date(pay.from, '31.10.2026')} - ${date(pay.to, '31.10.2026')}`;
    sheet.text(50, 50, pay.employer.name, { bold: true, size: 10 });
    sheet.text(50, 62, pay.employee.department);
    sheet.text(50, 74, `${shortName(pay)}, ${pay.employee.job}`);
    sheet.text(545, 50, 'Remuneration Advice', { align: 'right', size: 10 });
    sheet.text(545, 62, `Payroll period: ${number}`, { align: 'right' });
    sheet.text(545, 74, range, { align: 'right' });
    sheet.line(50, 82, 545, 82);
    const four = [50, 180, 300, 420].map((x) => ({ x }));
    row(sheet, 96, four, ['Personnel no.', 'NI number', 'Tax code / NI', 'Paid on'], { size: 7.5 });
    row(sheet, 108, four, [pay.employee.number, niNumber(pay, false), `${pay.taxCode} / ${pay.niLetter}`, date(pay.payDate, '31.10.2026')]); // prettier-ignore
    sheet.line(50, 115, 545, 115);
    const columns = [{ x: 50 }, { x: 285, align: 'right' }, { x: 350, align: 'right' }, { x: 445, align: 'right' }, { x: 545, align: 'right' }] as const; // prettier-ignore
    let y = 132;
    row(sheet, y, columns, ['Wage type', 'Number', 'Rate', 'Amount', 'Cumulative'], { bold: true });
    const next = (cells: readonly string[], bold = false) => {
      y += 13;
      row(sheet, y, columns, cells, { bold });
    };
    const group = (lines: readonly Line[], sign: 1 | -1, total: string) => {
      y += 5;
      for (const line of lines) next([LABELS[line.kind], units(line), rate(line, 2), amount(sign * line.amount), amount(sign * line.ytd)]); // prettier-ignore
      const [now, all] = sumOf(lines);
      sheet.line(380, y + 3, 545, y + 3, { thickness: 0.4 });
      next([total, '', '', amount(sign * now), amount(sign * all)], true);
    };
    group(pay.payments, 1, 'Gross');
    group(pay.deductions.slice(0, 2), -1, 'Statutory deductions');
    if (pay.deductions.length > 2) group(pay.deductions.slice(2), -1, 'Voluntary deductions');
    y += 8;
    sheet.line(50, y + 2, 545, y + 2, { thickness: 1 });
    next(['Net', '', '', amount(pay.net), amount(pay.ytd.net)], true);
    sheet.line(50, y + 4, 545, y + 4, { thickness: 1 });
    y += 8;
    next([`Bank transfer ${pay.employee.sortCode} ****${pay.employee.account.slice(4)}`, '', '', amount(pay.net), '']);
    y += 14;
    next(['Taxable pay', '', '', amount(pay.taxable), amount(pay.ytd.taxable)]);
    next(['NI contribution employer', '', '', amount(pay.employerNi), amount(pay.ytd.employerNi)]);
    if (pay.pension !== null) next(['LG Pension Ers', '', '', amount(pay.employerPension), amount(pay.ytd.employerPension)]); // prettier-ignore
    sheet.text(50, 800, `PAYE reference ${pay.employer.payeReference}`, { size: 8 });
    return {
      pay_period: number,
      pay_period_also: [range, ...periodNames(pay), `Payroll period: ${number}`, `Payroll period ${number}`],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
