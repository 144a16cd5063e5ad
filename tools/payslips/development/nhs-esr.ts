import type { PayslipLayout } from '../layout.ts';
import { cell, niNumber, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Basic Pay', hours: 'Plain Time Hours NR', overtime: 'Overtime 1.5', shift: 'Night Duty Enh', weighting: 'HCAS Inner', tax: 'PAYE', ni: 'NI A', pension: 'NHS Pension', avc: 'AVC Regular', sacrifice: 'Cycle2Work SalSac', union: 'UNISON Subs', ticket: 'Car Parking', 'student-loan': 'Student Loan', sick: 'Sick Pay' }); // prettier-ignore

export const nhsEsr: PayslipLayout = {
  name: 'nhs-esr',
  like: 'NHS Electronic Staff Record',
  type: 'payslip',
  size: A4,
  fonts: ['helvetica', 'archivo-narrow'],
  fontSize: 8,
  pay: { sector: 'nhs', frequency: 'monthly', rows: 9 },
  draw(sheet, pay) {
    const small = { label: { size: 5.5 }, value: { size: 8 } };
    const strip = (y: number, cells: readonly (readonly [number, string, string])[]) => {
      let x = 30;
      for (const [width, label, value] of cells) {
        cell(sheet, [x, y, width, 24], label, value, small);
        x += width;
      }
    };
    const period = date(pay.to, '31 Oct 2026').toUpperCase();
    sheet.text(30, 44, pay.employer.name.toUpperCase(), { size: 11, bold: true });
    sheet.text(565, 44, 'PAY ADVICE', { size: 9, align: 'right' });
    strip(56, [[135, 'ASSIGNMENT NUMBER', `2${pay.employee.number.padStart(7, '0')}`], [240, 'EMPLOYEE NAME', longName(pay)], [160, 'LOCATION', `${pay.employer.address[1]!} Site`]]); // prettier-ignore
    strip(80, [[135, 'DEPARTMENT', pay.employee.department], [240, 'JOB TITLE', pay.employee.job], [160, 'PAYSCALE DESCRIPTION', 'Review Body Band 5']]); // prettier-ignore
    strip(104, [[105, 'SAL/WAGE', money(pay.salary * 100)], [90, 'INC. DATE', date(pay.from, '31 Oct 2026').toUpperCase()], [90, 'STANDARD HRS', '37.50'], [110, 'PT SAL/WAGE', ''], [140, 'TAX OFFICE REF', pay.employer.payeReference]]); // prettier-ignore
    strip(128, [[105, 'TAX OFFICE NAME', 'HMRC'], [90, 'TAX CODE', pay.taxCode], [90, 'NI NUMBER', niNumber(pay, false)], [250, '', '']]); // prettier-ignore
    const top = 160;
    const tall = 330;
    sheet.box(30, top, 310, tall);
    sheet.box(340, top, 225, tall);
    sheet.text(185, top + 11, 'PAY AND ALLOWANCES', { align: 'center', bold: true });
    sheet.text(452, top + 11, 'DEDUCTIONS', { align: 'center', bold: true });
    sheet.line(30, top + 16, 565, top + 16);
    const left = [{ x: 34 }, { x: 170, align: 'right' }, { x: 222, align: 'right' }, { x: 275, align: 'right' }, { x: 336, align: 'right' }] as const; // prettier-ignore
    const right = [{ x: 344 }, { x: 490, align: 'right' }, { x: 560, align: 'right' }] as const;
    row(sheet, top + 25, left, ['DESCRIPTION', 'WKD/EARNED', 'PAID/DUE', 'RATE', 'AMOUNT'], { size: 6 });
    row(sheet, top + 25, right, ['DESCRIPTION', 'AMOUNT', 'BALANCE C/F'], { size: 6 });
    pay.payments.forEach((line, n) => {
      row(sheet, top + 40 + n * 12, left, [
        LABELS[line.kind],
        units(line),
        units(line),
        rate(line),
        money(line.amount),
      ]);
    });
    pay.deductions.forEach((line, n) => {
      const label = line.kind === 'ni' ? `NI ${pay.niLetter}` : LABELS[line.kind];
      row(sheet, top + 40 + n * 12, right, [label, money(line.amount), line.kind === 'advance' ? money(line.amount * 3) : '']); // prettier-ignore
    });
    const y = top + tall;
    sheet.box(30, y, 310, 92);
    sheet.text(185, y + 10, 'YEAR TO DATE BALANCES (This Employment Only)', { align: 'center', bold: true, size: 7 });
    const balances: [string, string][] = [
      ['GROSS PAY', money(pay.ytd.gross)], ['NIABLE PAY', money(pay.ytd.niable)], ['TAXABLE PAY', money(pay.ytd.taxable)],
      ['NI LETTER', pay.niLetter], ['TAX PAID', money(pay.ytd.tax)], ['OTHER NI PAY', ''],
      ['PREVIOUS TAXABLE', ''], ['NI CONTS', money(pay.ytd.ni)], ['PENSION CONTS', money(pay.ytd.pension)],
    ]; // prettier-ignore
    balances.forEach(([label, value], n) => {
      const x = 34 + (n % 3) * 102;
      const at = y + 22 + Math.floor(n / 3) * 24;
      sheet.text(x, at, label, { size: 5.5 });
      sheet.text(x + 90, at + 11, value, { align: 'right' });
    });
    sheet.box(340, y, 225, 92);
    sheet.text(452, y + 10, 'THIS PERIOD SUMMARY', { align: 'center', bold: true, size: 7 });
    const summary: [string, string][] = [
      ['PENSIONABLE PAY', pay.pension === null ? '' : money(pay.payments[0]!.amount)], ['TAXABLE PAY', money(pay.taxable)],
      ['NON-TAXABLE PAY', ''], ['TOTAL PAYMENTS', money(pay.gross)],
      ['TOTAL DEDUCTIONS', money(pay.totalDeductions)], ['NET PAY', money(pay.net)],
    ]; // prettier-ignore
    summary.forEach(([label, value], n) => {
      const x = 344 + (n % 2) * 112;
      const at = y + 22 + Math.floor(n / 2) * 24;
      sheet.text(x, at, label, { size: 5.5 });
      sheet.text(x + 100, at + 11, value, { align: 'right', bold: label === 'NET PAY' });
    });
    strip(y + 92, [[120, 'PERIOD END DATE', period], [120, 'PAY DATE', date(pay.payDate, '31 Oct 2026').toUpperCase()], [120, 'PAY METHOD', 'BACS'], [175, 'EMPLOYEE NO.', pay.employee.number]]); // prettier-ignore
    sheet.lines(60, y + 150, 12, [longName(pay), ...pay.employee.address]);
    return {
      employer_name: pay.employer.name.toUpperCase(),
      pay_period: period,
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
