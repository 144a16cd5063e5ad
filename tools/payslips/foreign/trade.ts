import type { PayslipLayout } from '../layout.ts';
import { niNumber, row } from '../parts.ts';
import { A5_LANDSCAPE } from '../sheet.ts';
import { date, longName, money, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Wages', hours: 'Basic hours', overtime: 'Overtime', tax: 'Income Tax', ni: 'Nat Ins (Ee)', pension: 'Pension (Ee)', avc: 'AVC (Ee)', 'student-loan': 'Student Loan', advance: 'Loan Repayment' }); // prettier-ignore

export const trade: PayslipLayout = {
  name: 'trade',
  like: '12Pay Express for a small firm',
  type: 'payslip',
  size: A5_LANDSCAPE,
  fonts: ['times', 'archivo-narrow', 'roboto'],
  fontSize: 8.5,
  pay: { sector: 'private', rows: 7 },
  draw(sheet, pay, random) {
    const pound = random.chance(0.5);
    const amount = (value: number) => money(value, { comma: false, pound });
    const paid = date(pay.payDate, random.pick(['31/10/2026', '31 October 2026'] as const));
    sheet.text(30, 38, longName(pay), { size: 11, bold: true });
    sheet.text(30, 50, `Works number ${pay.employee.number}`);
    sheet.text(565, 38, `Net Pay ${money(pay.net, { pound: true })}`, { size: 14, bold: true, align: 'right' });
    sheet.text(565, 51, `Payment Date: ${paid}`, { align: 'right' });
    sheet.line(30, 60, 565, 60, { thickness: 1.4 });
    sheet.text(30, 74, `Tax code ${pay.taxCode}     NI number ${niNumber(pay, true)}     NI table letter ${pay.niLetter}`); // prettier-ignore
    sheet.box(30, 84, 535, 236, { stroke: '#222222', thickness: 1 });
    for (const x of [240, 402]) sheet.line(x, 84, x, 320);
    const left = [{ x: 36 }, { x: 136, align: 'right' }, { x: 178, align: 'right' }, { x: 234, align: 'right' }] as const; // prettier-ignore
    const middle = [{ x: 246 }, { x: 396, align: 'right' }] as const;
    const right = [{ x: 408 }, { x: 559, align: 'right' }] as const;
    row(sheet, 98, left, ['Pay', 'Hours', 'Rate', 'Amount'], { bold: true });
    row(sheet, 98, middle, ['Deductions', 'Amount'], { bold: true });
    row(sheet, 98, right, ['Year to date', 'Amount'], { bold: true });
    sheet.line(30, 104, 565, 104);
    pay.payments.forEach((line, n) => row(sheet, 119 + n * 14, left, [LABELS[line.kind], units(line), rate(line, 2), amount(line.amount)])); // prettier-ignore
    pay.deductions.forEach((line, n) => row(sheet, 119 + n * 14, middle, [LABELS[line.kind], amount(line.amount)]));
    const totals: [string, number][] = [['Gross Pay', pay.ytd.gross], ['Taxable Gross', pay.ytd.taxable], ['Income Tax', pay.ytd.tax], ['Nat Ins (Ee)', pay.ytd.ni], ['Nat Ins (Er)', pay.ytd.employerNi]]; // prettier-ignore
    if (pay.pension !== null) totals.push(['Pension (Ee)', pay.ytd.pension], ['Pension (Er)', pay.ytd.employerPension]);
    totals.forEach(([label, value], n) => row(sheet, 119 + n * 14, right, [label, amount(value)]));
    row(sheet, 236, right, ['This period', ''], { bold: true });
    row(sheet, 250, right, ['Taxable Gross', amount(pay.taxable)]);
    row(sheet, 264, right, ['Nat Ins (Er)', amount(pay.employerNi)]);
    if (pay.pension !== null) row(sheet, 278, right, ['Pension (Er)', amount(pay.employerPension)]);
    sheet.line(30, 300, 402, 300);
    row(sheet, 313, left, ['Gross Pay', '', '', amount(pay.gross)], { bold: true });
    row(sheet, 313, middle, ['Total', amount(pay.totalDeductions)], { bold: true });
    sheet.text(297, 344, pay.employer.name, { bold: true, align: 'center' });
    sheet.text(297, 356, `${pay.employer.address.join(', ')}   Employer's PAYE reference ${pay.employer.payeReference}`, { size: 7.5, align: 'center' }); // prettier-ignore
    return {
      pay_period: paid,
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
