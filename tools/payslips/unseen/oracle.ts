import type { PayslipLayout } from '../layout.ts';
import { niNumber, row } from '../parts.ts';
import { A4_LANDSCAPE } from '../sheet.ts';
import { date, longName, money, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Regular Salary', hours: 'Regular Hours', overtime: 'Overtime Time and Half', tax: 'PAYE', ni: 'NI A Employee', pension: 'GPP Employee Contribution', avc: 'GPP Voluntary Contribution', sick: 'SSP', sacrifice: 'Bike Scheme Reduction', 'student-loan': 'Student Loan' }); // prettier-ignore

export const oracle: PayslipLayout = {
  name: 'oracle',
  like: 'Oracle Cloud payroll, landscape',
  type: 'payslip',
  size: A4_LANDSCAPE,
  fonts: ['helvetica', 'source-serif'],
  fontSize: 8.5,
  pay: { rows: 9 },
  draw(sheet, pay) {
    const amount = (value: number) => money(value, { negative: 'brackets' });
    sheet.text(40, 48, pay.employer.name, { size: 13, bold: true });
    sheet.text(800, 48, 'Employee Payslip', { size: 13, align: 'right' });
    const facts: [string, string][][] = [
      [['Name', longName(pay)], ['Person Number', pay.employee.number], ['Job', pay.employee.job]],
      [['NI Number', niNumber(pay, false)], ['NI Category', pay.niLetter], ['Tax Code', pay.taxCode]],
      [['Period Start Date', date(pay.from, '31-Oct-2026')], ['Period End Date', date(pay.to, '31-Oct-2026')], ['Payment Date', date(pay.payDate, '31-Oct-2026')]],
    ]; // prettier-ignore
    facts.forEach((column, c) =>
      column.forEach(([label, value], n) => {
        sheet.text(40 + c * 260, 72 + n * 13, label, { bold: true });
        sheet.text(135 + c * 260, 72 + n * 13, value);
      }),
    );
    const table = [{ x: 46 }, { x: 420, align: 'right' }, { x: 700 - 90, align: 'right' }, { x: 794, align: 'right' }] as const; // prettier-ignore
    const bar = (y: number, cells: readonly string[]) => {
      sheet.box(40, y - 11, 760, 16, { fill: '#3a5a78' });
      row(sheet, y, table, cells, { bold: true, colour: '#ffffff' });
    };
    bar(126, ['Summary', '', 'Current', 'Year to Date']);
    const summary: [string, number, number][] = [['Gross Earnings', pay.gross, pay.ytd.gross], ['Taxable Earnings', pay.taxable, pay.ytd.taxable], ['Total Deductions', pay.totalDeductions, pay.ytd.deductions], ['Net Payment', pay.net, pay.ytd.net]]; // prettier-ignore
    summary.forEach(([label, now, total], n) => row(sheet, 143 + n * 13, table, [label, '', amount(now), amount(total)], { bold: n === 3 })); // prettier-ignore
    const details = [{ x: 46 }, { x: 330, align: 'right' }, { x: 420, align: 'right' }, { x: 610, align: 'right' }, { x: 794, align: 'right' }] as const; // prettier-ignore
    let y = 214;
    const heading = (cells: readonly string[]) => {
      sheet.box(40, y - 11, 760, 16, { fill: '#3a5a78' });
      row(sheet, y, details, cells, { bold: true, colour: '#ffffff' });
      y += 17;
    };
    heading(['Earnings', 'Hours', 'Rate', 'Current', 'Year to Date']);
    for (const line of pay.payments) {
      row(sheet, y, details, [LABELS[line.kind], units(line), rate(line), amount(line.amount), amount(line.ytd)]);
      y += 13;
    }
    y += 10;
    heading(['Deductions', '', '', 'Current', 'Year to Date']);
    for (const line of pay.deductions) {
      const label = line.kind === 'ni' ? `NI ${pay.niLetter} Employee` : LABELS[line.kind];
      row(sheet, y, details, [label, '', '', amount(line.amount), amount(line.ytd)]);
      y += 13;
    }
    y += 10;
    heading(['Employer Charges', '', '', 'Current', 'Year to Date']);
    row(sheet, y, details, [`NI ${pay.niLetter} Employer`, '', '', amount(pay.employerNi), amount(pay.ytd.employerNi)]);
    if (pay.pension !== null) row(sheet, y + 13, details, ['GPP Employer Contribution', '', '', amount(pay.employerPension), amount(pay.ytd.employerPension)]); // prettier-ignore
    sheet.text(40, 570, `Employer PAYE Reference: ${pay.employer.payeReference}     Net payment to account ending ${pay.employee.account.slice(4)}: ${amount(pay.net)}`, { size: 7.5 }); // prettier-ignore
    const [from, to] = [date(pay.from, '31-Oct-2026'), date(pay.to, '31-Oct-2026')];
    return {
      pay_period: `${from} - ${to}`,
      pay_period_also: [`${from} to ${to}`, to, `Period End Date ${to}`],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
