import type { PayslipLayout } from '../layout.ts';
import { cell, niNumber, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Basic Salary', hours: 'Casual Hours', overtime: 'Overtime @ 1.5', tax: 'Tax', ni: 'Employee NI', pension: 'LGPS Main Section', avc: 'LGPS AVC', union: 'GMB Union', ticket: 'Car Park Permit', sick: 'SSP', shift: 'Evening Enhancement' }); // prettier-ignore

export const council: PayslipLayout = {
  name: 'council',
  like: 'MHR iTrent of a council',
  type: 'payslip',
  size: A4,
  fonts: ['helvetica', 'lato', 'archivo-narrow'],
  fontSize: 9,
  pay: { sector: 'council', frequency: 'monthly' },
  draw(sheet, pay, random) {
    const blue = '#003a70';
    const negative = random.pick(['minus', 'brackets'] as const);
    sheet.box(36, 34, 523, 34, { fill: blue });
    sheet.text(46, 56, pay.employer.name, { size: 14, bold: true, colour: '#ffffff' });
    sheet.text(549, 56, 'Payslip', { size: 12, colour: '#ffffff', align: 'right' });
    const style = { label: { size: 7, colour: blue, bold: true }, border: '#9fb3c8' };
    const period = `${date(pay.from, '31/10/2026')} - ${date(pay.to, '31/10/2026')}`;
    const strip = (y: number, cells: readonly (readonly [number, string, string])[]) => {
      let x = 36;
      for (const [width, label, value] of cells) {
        cell(sheet, [x, y, width, 28], label, value, style);
        x += width;
      }
    };
    strip(76, [[160, 'Name', longName(pay)], [90, 'Payroll number', pay.employee.number], [100, 'NI number', niNumber(pay, false)], [73, 'NI category', pay.niLetter], [100, 'Tax code', pay.taxCode]]); // prettier-ignore
    strip(104, [[160, 'Position', pay.employee.job], [90, 'Payment date', date(pay.payDate, '31/10/2026')], [173, 'Pay period', period], [100, 'Tax reference', pay.employer.payeReference]]); // prettier-ignore
    const columns = [{ x: 42 }, { x: 270, align: 'right' }, { x: 340, align: 'right' }, { x: 450, align: 'right' }, { x: 553, align: 'right' }] as const; // prettier-ignore
    let y = 152;
    const heading = (cells: readonly string[]) => {
      sheet.box(36, y - 11, 523, 16, { fill: '#dbe5ef' });
      row(sheet, y, columns, cells, { bold: true, colour: blue });
      y += 18;
    };
    heading(['Payments', 'Units', 'Rate (£)', 'Amount (£)', 'Balance (£)']);
    for (const line of pay.payments) {
      row(sheet, y, columns, [LABELS[line.kind], units(line), rate(line), money(line.amount, { negative }), money(line.ytd, { negative })]); // prettier-ignore
      y += 14;
    }
    row(sheet, y + 3, columns, ['Total payments', '', '', money(pay.gross), ''], { bold: true });
    y += 28;
    heading(['Deductions', '', '', 'Amount (£)', 'Balance (£)']);
    for (const line of pay.deductions) {
      row(sheet, y, columns, [LABELS[line.kind], '', '', money(-line.amount, { negative }), money(-line.ytd, { negative })]); // prettier-ignore
      y += 14;
    }
    row(sheet, y + 3, columns, ['Total deductions', '', '', money(-pay.totalDeductions, { negative }), ''], {
      bold: true,
    });
    y += 24;
    sheet.box(330, y - 12, 229, 22, { fill: blue });
    sheet.text(340, y + 3, 'Net pay', { bold: true, colour: '#ffffff', size: 11 });
    sheet.text(553, y + 3, money(pay.net, { pound: true }), {
      bold: true,
      colour: '#ffffff',
      size: 11,
      align: 'right',
    });
    y += 36;
    heading(['Year to date', '', '', 'This period (£)', 'To date (£)']);
    const totals: [string, number, number][] = [['Taxable pay', pay.taxable, pay.ytd.taxable], ['NIable pay', pay.niable, pay.ytd.niable], ['Employer NI', pay.employerNi, pay.ytd.employerNi]]; // prettier-ignore
    if (pay.pension !== null) totals.push(['Employer LGPS', pay.employerPension, pay.ytd.employerPension]);
    for (const [label, now, total] of totals) {
      row(sheet, y, columns, [label, '', '', money(now), money(total)]);
      y += 14;
    }
    sheet.lines(60, y + 30, 12, [longName(pay), ...pay.employee.address]);
    return {
      pay_period: period,
      pay_period_also: [period.replace(' - ', ' to ')],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
