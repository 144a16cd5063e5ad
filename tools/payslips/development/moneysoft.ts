import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, periodWord, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Basic pay', hours: 'Hours', overtime: 'Overtime x 1.5', tax: 'PAYE tax', ni: "Employee's NI", pension: "Employee's pension", avc: "Employee's AVC", sick: 'Stat. Sick Pay', 'student-loan': 'Student loan' }); // prettier-ignore

export const moneysoft: PayslipLayout = {
  name: 'moneysoft',
  like: 'Moneysoft Payroll Manager',
  type: 'payslip',
  size: A4,
  fonts: ['helvetica', 'times'],
  fontSize: 9.5,
  draw(sheet, pay, random) {
    const day = date(pay.payDate, random.pick(['31 October 2026', '31/10/2026', '31-Oct-2026'] as const));
    const word = periodWord(pay);
    sheet.text(42, 60, pay.employer.name, { bold: true, size: 12 });
    sheet.text(553, 60, `Pay advice for ${word.toLowerCase()} ${pay.period} ended ${day}`, { align: 'right' });
    sheet.line(42, 68, 553, 68, { thickness: 1 });
    const facts: [string, string][] = [['Employee name:', longName(pay)], ['NI number:', niNumber(pay, true)], ['NI table:', pay.niLetter], ['Employee ref:', pay.employee.number], ['Tax code:', pay.taxCode], ['Tax year:', pay.taxYear.replace('-', '/')]]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      const x = [42, 300, 450][n % 3]!;
      const y = 86 + Math.floor(n / 3) * 15;
      sheet.text(x, y, label);
      sheet.text(x + [75, 58, 55][n % 3]!, y, value, { bold: true });
    });
    sheet.line(42, 108, 553, 108);
    const columns = [[42, 205], [222, 385], [402, 553]] as const; // prettier-ignore
    const entry = (column: number, y: number, label: string, amount: string, bold = false) => {
      const [left, right] = columns[column]!;
      row(sheet, y, [{ x: left }, { x: right, align: 'right' }], [label, amount], { bold });
    };
    ['Payments', 'Deductions', 'Year to date'].forEach((title, n) => sheet.text(columns[n]![0], 123, title, { bold: true })); // prettier-ignore
    pay.payments.forEach((line, n) => {
      const each = line.units === undefined ? '' : ` ${units(line)} @ ${rate(line, 2)}`;
      entry(0, 141 + n * 14, `${LABELS[line.kind]}${each}`, money(line.amount));
    });
    pay.deductions.forEach((line, n) => entry(1, 141 + n * 14, LABELS[line.kind], money(line.amount)));
    const dates: [string, number][] = [['Gross pay', pay.ytd.gross], ['Taxable pay', pay.ytd.taxable], ['Tax paid', pay.ytd.tax], ["Employee's NI", pay.ytd.ni], ["Employee's pension", pay.ytd.pension], ["Employer's NI", pay.ytd.employerNi]]; // prettier-ignore
    dates.forEach(([label, amount], n) => entry(2, 141 + n * 14, label, money(amount)));
    const y = 275;
    sheet.line(42, y, 553, y);
    entry(0, y + 15, 'Gross pay', money(pay.gross), true);
    entry(1, y + 15, 'Total deductions', money(pay.totalDeductions), true);
    entry(2, y + 15, 'NET PAY', money(pay.net, { pound: true }), true);
    sheet.line(42, y + 22, 553, y + 22);
    entry(0, y + 38, 'Taxable pay this period', money(pay.taxable));
    entry(1, y + 38, "Employer's NI", money(pay.employerNi));
    if (pay.pension !== null) entry(1, y + 52, "Employer's pension", money(pay.employerPension));
    entry(2, y + 38, 'Paid by', random.pick(['BACS', 'Bank transfer', 'Cheque']));
    sheet.text(42, y + 52, `PAYE ref: ${pay.employer.payeReference}`);
    const period = `${word} ${pay.period}`;
    return {
      pay_period: `${word.toLowerCase()} ${pay.period}`,
      pay_period_also: [...periodNames(pay).slice(1), period, `${period.toLowerCase()} ended ${day}`, `${period} ended ${day}`, day],
      pay_date: pay.payDate,
      tax_year: pay.taxYear,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    }; // prettier-ignore
  },
};
