import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, monthOf, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Monthly Salary', hours: 'Hourly Pay', overtime: 'Overtime @ 1.5', sick: 'Statutory Sick Pay', holiday: 'Annual Leave', sacrifice: 'Salary Sacrifice Cycle', tax: 'PAYE', ni: 'Employee NIC', pension: 'Employee Pension', avc: 'Additional Pension', 'student-loan': 'Student Loan Plan 2', 'postgraduate-loan': 'PG Loan', attachment: 'DEO', advance: 'Advance Repaid' }); // prettier-ignore

export const ledger: PayslipLayout = {
  name: 'ledger',
  like: 'Payroo, Capium or Nomisma: the payroll of an online bookkeeping suite',
  type: 'payslip',
  size: A4,
  fonts: ['helvetica', 'inter', 'roboto'],
  fontSize: 9,
  pay: { frequency: 'monthly', rows: 7, sector: 'private' },
  draw(sheet, pay, random) {
    const head = random.pick(['#333f48', '#005a70', '#6b2737']);
    const period = `${date(pay.from, '31/10/2026')} to ${date(pay.to, '31/10/2026')}`;
    sheet.text(45, 55, pay.employer.name, { size: 15, bold: true });
    sheet.text(45, 69, pay.employer.address.join(', '), { size: 8, colour: '#666666' });
    sheet.text(550, 55, `Payslip for ${monthOf(pay.payDate)}`, { size: 12, align: 'right' });
    sheet.text(550, 69, 'Private and Confidential', { size: 8, align: 'right', colour: '#666666' });
    const facts: [string, string][] = [['Employee', longName(pay)], ['Payroll ID', pay.employee.number], ['Department', pay.employee.department], ['NINO', niNumber(pay, false)], ['Tax Code', pay.taxCode], ['NI Letter', pay.niLetter], ['Period', period], ['Payment Date', date(pay.payDate, '31/10/2026')], ['Employer PAYE Ref', pay.employer.payeReference]]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      const [x, y] = [45 + (n % 3) * 170, 95 + Math.floor(n / 3) * 15];
      sheet.text(x, y, `${label}:`, { size: 8, colour: '#555555' });
      sheet.text(x + (n % 3 === 2 ? 76 : 58), y, value, { size: 8 });
    });
    const columns = [{ x: 51 }, { x: 270, align: 'right' }, { x: 350, align: 'right' }, { x: 450, align: 'right' }, { x: 544, align: 'right' }] as const; // prettier-ignore
    sheet.box(45, 140, 505, 18, { fill: head });
    row(sheet, 152, columns, ['Description', 'Units', 'Rate', 'Payments', 'Deductions'], { bold: true, colour: '#ffffff' }); // prettier-ignore
    let y = 172;
    for (const line of pay.payments) {
      row(sheet, y, columns, [LABELS[line.kind], units(line), rate(line), money(line.amount), '']);
      y += 17;
    }
    for (const line of pay.deductions) {
      row(sheet, y, columns, [LABELS[line.kind], '', '', '', money(line.amount)]);
      y += 17;
    }
    sheet.line(45, y - 8, 550, y - 8);
    row(sheet, y + 5, columns, ['Totals', '', '', money(pay.gross), money(pay.totalDeductions)], { bold: true });
    sheet.line(45, y + 12, 550, y + 12);
    sheet.box(380, y + 22, 170, 26, { stroke: head, thickness: 1.2 });
    sheet.text(388, y + 39, 'Net Pay', { bold: true, size: 11 });
    sheet.text(544, y + 39, money(pay.net, { pound: true }), { bold: true, size: 11, align: 'right' });
    sheet.text(45, y + 39, `Paid by BACS on ${date(pay.payDate, '31 October 2026')}`, { size: 8.5 });
    y += 80;
    const four = [{ x: 51 }, { x: 190, align: 'right' }, { x: 250, align: 'right' }] as const;
    row(sheet, y, four, ['', 'This Period', 'To Date'], { bold: true, size: 8 });
    const also: [string, number, number][] = [['Taxable Pay', pay.taxable, pay.ytd.taxable], ['NIable Pay', pay.niable, pay.ytd.niable], ['PAYE', pay.tax, pay.ytd.tax], ['Employee NIC', pay.ni, pay.ytd.ni], ['Employer NIC', pay.employerNi, pay.ytd.employerNi], ...(pay.pension === null ? [] : ([['Employee Pension', pay.pension, pay.ytd.pension], ['Employer Pension', pay.employerPension, pay.ytd.employerPension]] satisfies [string, number, number][]))]; // prettier-ignore
    also.forEach(([label, now, year], n) => row(sheet, y + 15 + n * 14, four, [label, money(now), money(year)], { size: 8 })); // prettier-ignore
    return {
      pay_period: period,
      pay_period_also: [period.replace(' to ', ' - '), monthOf(pay.payDate), ...periodNames(pay)],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
