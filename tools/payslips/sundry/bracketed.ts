import type { PayslipLayout } from '../layout.ts';
import { cell, niNumber, periodNames, row } from '../parts.ts';
import { A4_LANDSCAPE } from '../sheet.ts';
import { date, longName, money, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Basic', hours: 'Standard hrs', overtime: 'T 1/2', bonus: 'Productivity', commission: 'Drops', holiday: 'Holiday', sick: 'SSP', shift: 'Nights out', car: 'Subsistence', weighting: 'Retention', arrears: 'Adjustment', sacrifice: 'SS Phone', tax: 'Tax', ni: 'Employee NI', pension: 'Pension (EE)', avc: 'AVC (EE)', 'student-loan': 'Student Ln', 'postgraduate-loan': 'PG Ln', union: 'Unite', charity: 'Charity', ticket: 'Damage', advance: 'Sub', attachment: 'CSA', healthcare: 'Hospital Fund' }); // prettier-ignore

export const bracketed: PayslipLayout = {
  name: 'bracketed',
  like: 'payroll of a haulier or a warehouse (Sage 200, Pegasus, Cintra), landscape, refunds of tax in some weeks',
  type: 'payslip',
  size: A4_LANDSCAPE,
  fonts: ['archivo-narrow', 'helvetica', 'lato'],
  fontSize: 9.5,
  pay: { frequency: 'weekly', rows: 8, sector: 'private', refunds: 0.5 },
  draw(sheet, pay, random) {
    const off = (value: number) => money(-value, { negative: 'brackets' });
    const week = `Week ${pay.period} w/e ${date(pay.to, '31/10/2026')}`;
    sheet.text(50, 60, pay.employer.name, { bold: true, size: 14 });
    sheet.text(790, 60, week, { bold: true, size: 12, align: 'right' });
    sheet.box(50, 72, 740, 42);
    sheet.text(58, 88, longName(pay), { bold: true });
    sheet.text(58, 104, `Clock No ${pay.employee.number}`);
    sheet.text(300, 88, `Tax Code ${pay.taxCode}`);
    sheet.text(300, 104, `NI ${niNumber(pay, true)}`);
    sheet.text(540, 88, `Paid ${date(pay.payDate, '31 Oct 2026')} by BACS`);
    sheet.text(540, 104, `Depot ${random.int(1, 40)}  NI Letter ${pay.niLetter}`);
    sheet.box(50, 120, 330, 250);
    sheet.box(385, 120, 190, 250);
    sheet.box(580, 120, 210, 250);
    const left = [
      { x: 58 },
      { x: 190, align: 'right' },
      { x: 270, align: 'right' },
      { x: 372, align: 'right' },
    ] as const;
    row(sheet, 135, left, ['PAY', 'Hours', 'Rate', 'Amount'], { bold: true });
    pay.payments.forEach((line, n) => row(sheet, 155 + n * 16, left, [LABELS[line.kind], units(line), rate(line, 3), money(line.amount, { negative: 'brackets' })])); // prettier-ignore
    const middle = [{ x: 393 }, { x: 567, align: 'right' }] as const;
    row(sheet, 135, middle, ['DEDUCTIONS', 'Amount'], { bold: true });
    pay.deductions.forEach(({ kind, amount }, n) => row(sheet, 155 + n * 16, middle, [LABELS[kind], off(amount)]));
    const right = [{ x: 588 }, { x: 782, align: 'right' }] as const;
    row(sheet, 135, right, ['CUMULATIVES', 'Amount'], { bold: true });
    const cumulative: [string, string][] = [['Gross for Tax', money(pay.ytd.taxable)], ['Gross for NI', money(pay.ytd.niable)], ['Tax', money(pay.ytd.tax, { negative: 'brackets' })], ['Employee NI', money(pay.ytd.ni)], ['Employer NI', money(pay.ytd.employerNi)], ['Pension (EE)', money(pay.ytd.pension)], ['Pension (ER)', money(pay.ytd.employerPension)]]; // prettier-ignore
    cumulative.forEach((cells, n) => row(sheet, 155 + n * 16, right, cells));
    const style = { label: { size: 7.5 }, value: { bold: true, size: 11, align: 'right' } } as const;
    const foot: [string, string][] = [['Total Gross Pay', money(pay.gross)], ['Taxable gross', money(pay.taxable)], ['Employer NI', money(pay.employerNi)], ['Employer Pension', money(pay.pension === null ? 0 : pay.employerPension)], ['Total Deductions', off(pay.totalDeductions)], ['Amount payable', money(pay.net)]]; // prettier-ignore
    foot.forEach(([label, value], n) => cell(sheet, [50 + n * 123.4, 376, 123, 34], label, value, style));
    sheet.text(50, 430, `${pay.employer.address.join(', ')}.  PAYE Reference ${pay.employer.payeReference}`, {
      size: 8.5,
    });
    return {
      pay_period: week,
      pay_period_also: [date(pay.to, '31/10/2026'), `w/e ${date(pay.to, '31/10/2026')}`, ...periodNames(pay)],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
