import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row, type Column } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, rate, units, words } from '../words.ts';
import { percentOfGross } from './lines.ts';

const LABELS = words({ basic: 'Salary Spine Pt 31', hours: 'Casual Claim', overtime: 'Overtime Claim', holiday: 'Hols Casual Staff', shift: 'Unsocial Hours', weighting: 'London Allowance', arrears: 'Arrears of Pay', sick: 'Stat Sick Pay', tax: 'Income Tax', ni: 'Nat. Insurance', pension: 'USS Ees', avc: 'USS Investment Builder', union: 'UCU Subscription', ticket: 'Season Ticket Advance', 'student-loan': 'Student Loans' }); // prettier-ignore

export const university: PayslipLayout = {
  name: 'university',
  like: 'CoreHR of a university with USS',
  type: 'payslip',
  size: A4,
  fonts: ['helvetica', 'archivo-narrow', 'times'],
  fontSize: 7.5,
  pay: { sector: 'school', frequency: 'monthly', rows: 9 },
  draw(sheet, pay) {
    const day = (value: string) => date(value, '31-Oct-26');
    sheet.text(297, 46, pay.employer.name, { size: 12, align: 'center' });
    sheet.text(297, 58, 'Finance Directorate - Payroll and Pensions', { align: 'center' });
    sheet.text(297, 74, 'PAYSLIP - PRIVATE AND CONFIDENTIAL', { align: 'center', bold: true, size: 8.5 });
    const facts: [string, string][][] = [
      [['Name', longName(pay)], ['Personnel No', pay.employee.number], ['Post', pay.employee.job], ['Cost Centre', pay.employee.department]],
      [['Period No', `${pay.period}`], ['Period Ending', day(pay.to)], ['Pay Date', day(pay.payDate)], ['Pay Group', 'MONTHLY']],
      [['NI Number', niNumber(pay, true)], ['NI Table', pay.niLetter], ['Tax Code', pay.taxCode], ['Tax Ref', pay.employer.payeReference]],
    ]; // prettier-ignore
    sheet.box(40, 84, 515, 56);
    facts.forEach((column, c) =>
      column.forEach(([label, value], n) => {
        sheet.text(46 + c * 180, 96 + n * 12, `${label} :`);
        sheet.text(104 + c * 180, 96 + n * 12, value, { bold: true });
      }),
    );
    const payments = [{ x: 46 }, { x: 270, align: 'right' }, { x: 340, align: 'right' }, { x: 450, align: 'right' }, { x: 549, align: 'right' }] as const; // prettier-ignore
    let y = 160;
    const heading = (title: string, columns: readonly Column[], cells: readonly string[]) => {
      sheet.text(40, y, title, { bold: true, size: 8.5 });
      sheet.line(40, y + 3, 555, y + 3, { thickness: 1 });
      y += 14;
      row(sheet, y, columns, cells, { size: 6.5 });
      y += 12;
    };
    heading('Pay and Allowances', payments, ['Element', 'Units', 'Rate', 'Cumulative', 'This Month']);
    for (const line of pay.payments) {
      row(sheet, y, payments, [LABELS[line.kind], units(line), rate(line), money(line.ytd), money(line.amount)]);
      y += 11;
    }
    sheet.line(400, y - 7, 555, y - 7);
    row(sheet, y + 3, payments, ['Total Pay', '', '', money(pay.ytd.gross), money(pay.gross)], { bold: true });
    y += 28;
    const shares = [{ x: 46 }, { x: 270, align: 'right' }, { x: 360, align: 'right' }, { x: 450, align: 'right' }, { x: 549, align: 'right' }] as const; // prettier-ignore
    heading('Deductions and Contributions', shares, ['Element', 'Employer Cumulative', 'Employer', 'Employee Cumulative', 'Employee']); // prettier-ignore
    for (const line of pay.deductions) {
      const own = line.kind === 'pension' ? ` ${percentOfGross(pay, line.amount)}` : '';
      const paid = line.kind === 'ni' ? [pay.ytd.employerNi, pay.employerNi] : line.kind === 'pension' ? [pay.ytd.employerPension, pay.employerPension] : []; // prettier-ignore
      const [total = '', now = ''] = paid.map((each) => money(each));
      row(sheet, y, shares, [`${LABELS[line.kind]}${own}`, total, now, money(line.ytd), money(line.amount)]);
      y += 11;
    }
    sheet.line(400, y - 7, 555, y - 7);
    row(sheet, y + 3, shares, ['Total Deductions', '', '', money(pay.ytd.deductions), money(pay.totalDeductions)], { bold: true }); // prettier-ignore
    y += 22;
    sheet.box(360, y - 8, 195, 20, { thickness: 1.2 });
    row(sheet, y + 5, [{ x: 366 }, { x: 549, align: 'right' }], ['Net Pay', money(pay.net)], { bold: true, size: 10 });
    const balances: [string, number][] = [['Taxable Pay this month', pay.taxable], ['Taxable Pay to date', pay.ytd.taxable], ['NIable Pay to date', pay.ytd.niable]]; // prettier-ignore
    balances.forEach(([label, value], n) => row(sheet, y + n * 11, [{ x: 46 }, { x: 200, align: 'right' }], [label, money(value)])); // prettier-ignore
    sheet.text(40, y + 44, 'Queries: payroll enquiries quote your personnel number. Payslips are also in the staff portal.', { size: 6.5 }); // prettier-ignore
    sheet.lines(60, 700, 11, [longName(pay), ...pay.employee.address], { size: 9 });
    return {
      pay_period: day(pay.to),
      pay_period_also: [
        `Period Ending ${day(pay.to)}`,
        `Period Ending : ${day(pay.to)}`,
        ...periodNames(pay),
        `Period No ${pay.period}`,
      ],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
