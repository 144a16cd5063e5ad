import { addDays } from '../../../domain/dates.ts';
import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A5_LANDSCAPE } from '../sheet.ts';
import { date, longName, money, rate, units, words } from '../words.ts';
import { inParts } from './lines.ts';

const LABELS = words({ basic: 'Contracted pay', hours: 'Shift', overtime: 'O/T 1.5', holiday: 'Accrued hol', sick: 'SSP', shift: 'Night uplift', tax: 'Tax deducted', ni: 'Nat. Insurance', pension: 'Pension EE', avc: 'AVC EE', 'student-loan': 'Student loan', ticket: 'Transport to site', advance: 'Sub repaid' }); // prettier-ignore

export const agency: PayslipLayout = {
  name: 'agency',
  like: 'a temporary staff agency, paid by the timesheet',
  type: 'payslip',
  size: A5_LANDSCAPE,
  fonts: ['helvetica', 'roboto', 'archivo-narrow'],
  fontSize: 7.5,
  pay: { sector: 'private', frequency: 'weekly', rows: 6 },
  draw(sheet, pay, random) {
    const client = random.pick(['Depot 4', 'Ward 12', 'Site North', 'Kitchen']);
    sheet.lines(24, 34, 10, ['Payslip', longName(pay), ...pay.employee.address], { size: 8 });
    sheet.text(571, 34, pay.employer.name, { size: 11, bold: true, align: 'right' });
    sheet.text(571, 45, pay.employer.address.join(', '), { size: 6.5, align: 'right' });
    const facts: [string, string][] = [['Week no', `Week ${pay.period}`], ['W/E', date(pay.to, '31.10.2026')], ['Paid', date(pay.payDate, '31.10.2026')], ['Code', pay.taxCode], ['NI', `${niNumber(pay, false)} ${pay.niLetter}`], ['Ref', pay.employee.number]]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      const [x, y] = [310 + (n % 3) * 92, 62 + Math.floor(n / 3) * 12];
      sheet.text(x, y, `${label}: ${value}`);
    });
    const sheetColumns = [{ x: 28 }, { x: 78 }, { x: 176 }, { x: 248, align: 'right' }, { x: 288, align: 'right' }, { x: 336, align: 'right' }] as const; // prettier-ignore
    sheet.box(24, 92, 318, 14, { fill: '#333333' });
    row(sheet, 102, sheetColumns, ['Date', 'Assignment', 'Type', 'Hrs', 'Rate', 'Value'], { bold: true, colour: '#ffffff' }); // prettier-ignore
    let y = 117;
    for (const line of pay.payments) {
      const parts = line.kind === 'hours' ? inParts(line, 5) : [line];
      parts.forEach((part, n) => {
        const day = parts.length > 1 ? date(addDays(pay.to, n - 4), '31.10.2026') : '';
        row(sheet, y, sheetColumns, [day, part.units === undefined ? '' : client, LABELS[line.kind], units(part), rate(part, 2), money(part.amount)]); // prettier-ignore
        sheet.line(24, y + 4, 342, y + 4, { stroke: '#cccccc', thickness: 0.4 });
        y += 13;
      });
    }
    sheet.box(352, 92, 219, 14, { fill: '#333333' });
    const reckoning = [{ x: 358 }, { x: 500, align: 'right' }, { x: 566, align: 'right' }] as const;
    row(sheet, 102, reckoning, ['', 'This week', 'To date'], { bold: true, colour: '#ffffff' });
    let at = 119;
    const next = (label: string, now: string, total: string, bold = false) => {
      row(sheet, at, reckoning, [label, now, total], { bold });
      at += 14;
    };
    const off = (value: number) => money(-value, { negative: 'brackets' });
    next('Total Pay', money(pay.gross), money(pay.ytd.gross), true);
    for (const line of pay.deductions) next(LABELS[line.kind], off(line.amount), off(line.ytd));
    sheet.line(440, at - 9, 571, at - 9);
    next('Total off', off(pay.totalDeductions), off(pay.ytd.deductions));
    sheet.box(352, at - 8, 219, 20, { stroke: '#333333', thickness: 1.2 });
    row(sheet, at + 5, reckoning, ['Take home', money(pay.net), money(pay.ytd.net)], { bold: true, size: 9.5 });
    at += 30;
    next('Taxable', money(pay.taxable), money(pay.ytd.taxable));
    next('Company NI', money(pay.employerNi), money(pay.ytd.employerNi));
    if (pay.pension !== null) next('Pension ER', money(pay.employerPension), money(pay.ytd.employerPension));
    sheet.text(24, 400, `PAYE ${pay.employer.payeReference}. Timesheets received after Monday noon are paid the week after. Holiday accrues at 12.07%.`, { size: 6.5 }); // prettier-ignore
    const ending = date(pay.to, '31.10.2026');
    return {
      pay_period: `Week ${pay.period}`,
      pay_period_also: [...periodNames(pay), ending, `W/E: ${ending}`, `W/E ${ending}`],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
