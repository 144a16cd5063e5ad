import { inParts } from '../fresh/lines.ts';
import type { PayslipLayout } from '../layout.ts';
import { cell, niNumber, periodNames, row } from '../parts.ts';
import { TWO_THIRDS } from '../sheet.ts';
import { date, longName, money, periodWord, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Salary', hours: 'Day Care Hours', overtime: 'Bank Holiday x1.5', bonus: 'Retention Bonus', commission: 'Sleep-in Payments', holiday: 'Annual Leave', sick: 'SSP', shift: 'Night Waking', car: 'Mileage Taxable', weighting: 'London Weighting', arrears: 'Back Pay', sacrifice: 'Salary Sacrifice', tax: 'PAYE', ni: 'NI', pension: 'NEST Pension', avc: 'NEST Additional', 'student-loan': 'Student Loan', advance: 'Wagestream Advance', healthcare: 'Uniform & DBS' }); // prettier-ignore

export const care: PayslipLayout = {
  name: 'care',
  like: 'a chain of care homes, Access People Payroll',
  type: 'payslip',
  size: TWO_THIRDS,
  fonts: ['archivo-narrow', 'lato', 'times'],
  fontSize: 8.5,
  pay: { rows: 8 },
  draw(sheet, pay, random) {
    const rose = random.pick(['#9b2c4f', '#2c6e9b', '#555555']);
    const amount = (value: number) => money(value, { negative: 'brackets' });
    const boxed = { label: { size: 6.5, colour: rose }, value: { align: 'right', size: 9 }, border: rose } as const;
    const strong = { ...boxed, value: { align: 'right', size: 12, bold: true } } as const;
    const period = `${periodWord(pay)} ${pay.period}`;
    sheet.text(30, 40, `Private & Confidential`, { size: 7, colour: rose });
    sheet.text(30, 56, longName(pay), { bold: true, size: 11 });
    sheet.text(30, 67, `${pay.employer.name}, ${pay.employee.department}`, { size: 8 });
    const facts: [string, string][] = [['Payroll ID', pay.employee.number], ['Pay Period', period], ['Date', date(pay.payDate, '31-Oct-26')], ['Tax Code', pay.taxCode], ['NI Number', `${niNumber(pay, false)} (${pay.niLetter})`]]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      sheet.text(30 + n * 84, 84, label, { size: 6.5, colour: rose });
      sheet.text(30 + n * 84, 95, value, { size: 8 });
    });
    const columns = [{ x: 36 }, { x: 212, align: 'right' }, { x: 272, align: 'right' }, { x: 426, align: 'right' }] as const; // prettier-ignore
    sheet.box(30, 104, 402, 16, { fill: rose });
    row(sheet, 115, columns, ['Pay & Deductions', 'Hrs', 'Rate', '£'], { bold: true, colour: '#ffffff' });
    let y = 132;
    for (const line of pay.payments) {
      const parts = line.kind === 'hours' ? inParts(line, 3) : [line];
      parts.forEach((part, n) => {
        const label = parts.length > 1 ? ['Day Care Hours', 'Evening Hours', 'Weekend Hours'][n]! : LABELS[line.kind];
        row(sheet, y, columns, [label, units(part), rate(part, 2), amount(part.amount)]);
        y += 13;
      });
    }
    sheet.line(30, y - 9, 432, y - 9, { stroke: rose, dash: 2 });
    y += 4;
    for (const line of pay.deductions) {
      row(sheet, y, columns, [LABELS[line.kind], '', '', amount(-line.amount)]);
      y += 13;
    }
    sheet.box(30, 104, 402, 232, { stroke: rose });
    cell(sheet, [440, 104, 125, 30], 'Total Gross Pay', amount(pay.gross), boxed);
    cell(sheet, [440, 138, 125, 30], 'Total Deductions', amount(pay.totalDeductions), boxed);
    cell(sheet, [440, 172, 125, 38], 'Take Home', money(pay.net, { pound: true }), strong);
    cell(sheet, [440, 238, 125, 30], 'Taxable Pay', amount(pay.taxable), boxed);
    cell(sheet, [440, 272, 125, 30], 'Employer NI', amount(pay.employerNi), boxed);
    if (pay.pension !== null) cell(sheet, [440, 306, 125, 30], 'Employer Pension', amount(pay.employerPension), boxed);
    sheet.text(30, 356, 'This tax year so far', { bold: true, colour: rose });
    const totals: [string, number][] = [['Total Gross Pay', pay.ytd.gross], ['Taxable Pay', pay.ytd.taxable], ['Tax', pay.ytd.tax], ['NI', pay.ytd.ni], ['Pension', pay.ytd.pension], ['Employer NI', pay.ytd.employerNi]]; // prettier-ignore
    totals.forEach(([label, value], n) => cell(sheet, [30 + n * 89.5, 362, 87.5, 28], label, amount(value), boxed));
    sheet.text(30, 410, `${pay.employer.address.join(', ')}. PAYE ${pay.employer.payeReference}`, { size: 7 });
    return {
      pay_period: period,
      pay_period_also: periodNames(pay),
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
