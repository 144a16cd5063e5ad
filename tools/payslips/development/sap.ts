import type { PayslipLayout } from '../layout.ts';
import { niNumber, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Basic Salary', hours: 'Hourly Wage', tax: 'PAYE Tax', ni: 'Ees NI contribution', pension: 'Ees Pension contribution', avc: 'Ees AVC', 'student-loan': 'Student Loan deduction', sick: 'Statutory Sick Pay', sacrifice: 'Sal Sac Cycle Scheme' }); // prettier-ignore

export const sap: PayslipLayout = {
  name: 'sap',
  like: 'SAP HCM remuneration statement',
  type: 'payslip',
  size: A4,
  fonts: ['courier', 'inconsolata'],
  fontSize: 9,
  draw(sheet, pay, random) {
    const amount = (value: number) => money(value, { negative: 'trailing' });
    sheet.text(40, 60, pay.employer.name, { bold: true, size: 11 });
    sheet.lines(40, 74, 11, pay.employer.address);
    sheet.text(555, 60, 'Remuneration Statement', { align: 'right', bold: true });
    const span = `${date(pay.from, '31.10.2026')} - ${date(pay.to, '31.10.2026')}`;
    sheet.lines(330, 80, 12, [`For period  : ${span}`, `Payment date: ${date(pay.payDate, '31.10.2026')}`, `Personnel No: ${pay.employee.number.padStart(8, '0')}`, `Tax code    : ${pay.taxCode}`, `NI number   : ${niNumber(pay, false)}`, `NI category : ${pay.niLetter}`]); // prettier-ignore
    sheet.lines(40, 130, 12, [longName(pay), ...pay.employee.address]);
    const columns = [{ x: 40 }, { x: 250, align: 'right' }, { x: 330, align: 'right' }, { x: 440, align: 'right' }, { x: 550, align: 'right' }] as const; // prettier-ignore
    let y = 210;
    const rule = () => sheet.line(40, y - 8, 555, y - 8, { dash: 2 });
    const next = (cells: readonly string[], bold = false) => {
      row(sheet, y, columns, cells, { bold });
      y += 13;
    };
    rule();
    y += 2;
    next(['Wage type', 'Number', 'Rate', 'Year to date', 'This period'], true);
    y += 3;
    rule();
    y += 3;
    next(['Payments'], true);
    for (const line of pay.payments) next([`  ${LABELS[line.kind]}`, units(line), rate(line, 2), amount(line.ytd), amount(line.amount)]); // prettier-ignore
    next(['Total gross', '', '', amount(pay.ytd.gross), amount(pay.gross)], true);
    y += 8;
    next(['Deductions'], true);
    for (const line of pay.deductions)
      next([`  ${LABELS[line.kind]}`, '', '', amount(-line.ytd), amount(-line.amount)]);
    next(['Total deductions', '', '', amount(-pay.ytd.deductions), amount(-pay.totalDeductions)], true);
    y += 8;
    next(['Net pay', '', '', amount(pay.ytd.net), amount(pay.net)], true);
    y += 6;
    rule();
    y += 4;
    next(['Taxable pay', '', '', amount(pay.ytd.taxable), amount(pay.taxable)]);
    next(['NIable pay', '', '', amount(pay.ytd.niable), amount(pay.niable)]);
    next(['Ers NI contribution', '', '', amount(pay.ytd.employerNi), amount(pay.employerNi)]);
    if (pay.pension !== null) next(['Ers Pension contribution', '', '', amount(pay.ytd.employerPension), amount(pay.employerPension)]); // prettier-ignore
    y += 8;
    next([
      `Bank transfer  ${pay.employee.sortCode}  ****${pay.employee.account.slice(4)}`,
      '',
      '',
      '',
      amount(pay.net),
    ]);
    const shown = random.chance(0.5);
    if (shown) sheet.text(40, y + 16, `Employer PAYE ref.: ${pay.employer.payeReference}`);
    return {
      pay_period: span,
      pay_period_also: [span.replace(' - ', ' to ')],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: shown ? pay.employer.payeReference : null,
      ni_number: pay.employee.niNumber,
    };
  },
};
