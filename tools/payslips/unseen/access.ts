import type { PayslipLayout } from '../layout.ts';
import { niNumber, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Contractual Salary', hours: 'Worked Hours', overtime: 'Overtime 150%', tax: 'Tax', ni: 'NI', pension: 'Pension Scheme - EE', avc: 'AVC - EE', sick: 'Statutory Sick', 'student-loan': 'Student Loan Deduction' }); // prettier-ignore

export const access: PayslipLayout = {
  name: 'access',
  like: 'Access Select Pay, Pegasus Opera ledger print',
  type: 'payslip',
  size: A4,
  fonts: ['archivo-narrow', 'helvetica'],
  fontSize: 8,
  pay: { rows: 9 },
  draw(sheet, pay) {
    sheet.text(297, 52, pay.employer.name, { size: 12, bold: true, align: 'center' });
    sheet.text(297, 64, pay.employer.address.join(' . '), { size: 7, align: 'center' });
    const ended = date(pay.to, '31 October 2026');
    sheet.box(36, 74, 523, 44);
    const facts: [string, string][] = [['Employee', longName(pay)], ['Pay Reference', pay.employee.number], ['Period Ending', ended], ['NI Number', niNumber(pay, true)], ['Tax Code / Basis', pay.taxCode], ['Pay Date', date(pay.payDate, '31 October 2026')]]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      const x = [42, 225, 385][n % 3]!;
      sheet.text(x, 91 + Math.floor(n / 3) * 16, label, { colour: '#333333' });
      sheet.text(x + 66, 91 + Math.floor(n / 3) * 16, value, { bold: true });
    });
    const columns = [{ x: 42 }, { x: 205, align: 'right' }, { x: 265, align: 'right' }, { x: 345, align: 'right' }, { x: 415, align: 'right' }, { x: 485, align: 'right' }, { x: 553, align: 'right' }] as const; // prettier-ignore
    sheet.box(36, 126, 523, 26, { fill: '#eeeeee', stroke: '#000000' });
    row(sheet, 136, columns, ['', '', '', 'Cumulative', 'This Period', 'Employer', 'Employer'], {
      bold: true,
      size: 7.5,
    });
    row(sheet, 146, columns, ['Description', 'Units', 'Rate', '£', '£', 'Cumulative £', 'This Period £'], { bold: true, size: 7.5 }); // prettier-ignore
    let y = 166;
    for (const line of pay.payments) {
      row(sheet, y, columns, [LABELS[line.kind], units(line), rate(line), money(line.ytd), money(line.amount), '', '']);
      y += 12;
    }
    sheet.line(270, y - 8, 420, y - 8);
    row(sheet, y + 2, columns, ['Gross Pay', '', '', money(pay.ytd.gross), money(pay.gross), '', ''], { bold: true });
    y += 22;
    for (const line of pay.deductions) {
      const own: [string, string] =
        line.kind === 'ni'
          ? [money(pay.ytd.employerNi), money(pay.employerNi)]
          : line.kind === 'pension'
            ? [money(pay.ytd.employerPension), money(pay.employerPension)]
            : ['', ''];
      row(sheet, y, columns, [LABELS[line.kind], '', '', money(line.ytd), money(line.amount), ...own]);
      y += 12;
    }
    sheet.line(270, y - 8, 420, y - 8);
    row(sheet, y + 2, columns, ['Total Deductions', '', '', money(pay.ytd.deductions), money(pay.totalDeductions), '', ''], { bold: true }); // prettier-ignore
    y += 24;
    row(sheet, y, columns, ['Taxable Pay', '', '', money(pay.ytd.taxable), money(pay.taxable), '', '']);
    row(sheet, y + 12, columns, ['NIable Pay', '', '', money(pay.ytd.niable), money(pay.niable), '', '']);
    sheet.box(36, y + 22, 523, 20, { fill: '#eeeeee', stroke: '#000000' });
    row(sheet, y + 36, columns, ['NET PAY', '', '', '', money(pay.net), '', ''], { bold: true, size: 10 });
    sheet.text(42, y + 58, `Paid by BACS to sort code ${pay.employee.sortCode}. NI letter ${pay.niLetter}. PAYE reference ${pay.employer.payeReference}.`, { size: 7 }); // prettier-ignore
    return {
      pay_period: ended,
      pay_period_also: [`Period Ending ${ended}`],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
