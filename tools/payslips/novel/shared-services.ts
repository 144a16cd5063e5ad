import type { Line } from '../figures.ts';
import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, monthOf, words } from '../words.ts';

const LABELS = words({ basic: 'Substantive Salary', hours: 'Hourly Paid', overtime: 'Overtime Time and Half', bonus: 'In Year Award', commission: 'Non Consolidated Award', holiday: 'Annual Leave Payment', sick: 'Statutory Sick Pay', shift: 'Shift Disturbance Allce', car: 'Mileage (Taxable)', weighting: 'London Allowance', arrears: 'Salary Arrears', sacrifice: 'Cycle to Work Scheme', tax: 'PAYE', ni: 'NI', pension: 'Civil Service Pension alpha', avc: 'CSAVC', 'student-loan': 'Student Loan', union: 'Trade Union Subs', charity: 'Payroll Giving', ticket: 'Season Ticket Advance', advance: 'Advance of Salary', attachment: 'Earnings Arrestment', healthcare: 'Benenden' }); // prettier-ignore
const CODES: Partial<Record<Line['kind'], string>> = { basic: '0001', hours: '0004', overtime: '0120', bonus: '0310', commission: '0312', holiday: '0150', sick: '0200', tax: '9001', ni: '9010', pension: '9105', avc: '9130' }; // prettier-ignore

export const sharedServices: PayslipLayout = {
  name: 'shared-services',
  like: 'SSCL for a department of government',
  type: 'payslip',
  size: A4,
  fonts: ['helvetica', 'times', 'source-serif'],
  fontSize: 9,
  pay: { frequency: 'monthly', rows: 9, refunds: 0.25 },
  draw(sheet, pay, random) {
    const amount = (value: number) => money(value, { negative: 'trailing' });
    const rule = '#333333';
    const period = monthOf(pay.payDate);
    sheet.text(48, 52, 'PAYSLIP', { size: 14, bold: true });
    sheet.text(547, 52, 'OFFICIAL - SENSITIVE (WHEN COMPLETED)', { size: 7, align: 'right' });
    const pairs = (x: number, y: number, lines: readonly (readonly [string, string])[], gap: number) =>
      lines.forEach(([label, value], n) => {
        sheet.text(x, y + n * 13, label);
        sheet.text(x + gap, y + n * 13, value, { bold: true });
      });
    pairs(48, 78, [['Employer', pay.employer.name], ['Business Unit', pay.employee.department], ['Name', longName(pay)], ['Staff Number', pay.employee.number]], 82); // prettier-ignore
    pairs(48, 134, [['Pay Period', period], ['Pay Date', date(pay.payDate, '31-OCT-26')], ['Tax Reference', pay.employer.payeReference]], 82); // prettier-ignore
    pairs(
      310,
      134,
      [
        ['NI Number', niNumber(pay, true)],
        ['NI Letter', pay.niLetter],
        ['Tax Code', pay.taxCode],
      ],
      82,
    );
    const boxes = (y: number, title: string, list: readonly (readonly [string, string])[]) => {
      sheet.text(48, y, title, { bold: true });
      const width = 499 / list.length;
      list.forEach(([label, value], n) => {
        sheet.box(48 + n * width, y + 5, width, 28, { stroke: rule });
        sheet.text(48 + n * width + width / 2, y + 15, label, { size: 7, align: 'center' });
        sheet.text(48 + n * width + width / 2, y + 28, value, { align: 'center' });
      });
    };
    boxes(188, 'This Period', [['Gross Pay', amount(pay.gross)], ['Taxable Pay', amount(pay.taxable)], ['NIable Pay', amount(pay.niable)], ['Total Deductions', amount(pay.totalDeductions)], ['Net Pay', amount(pay.net)]]); // prettier-ignore
    boxes(234, 'Year to Date', [['Gross Pay', amount(pay.ytd.gross)], ['Taxable Pay', amount(pay.ytd.taxable)], ['Tax Paid', amount(pay.ytd.tax)], ['NI Paid', amount(pay.ytd.ni)], ['Pension Paid', amount(pay.ytd.pension)]]); // prettier-ignore
    const half = (x: number, title: string, lines: readonly Line[]) => {
      const columns = [{ x: x + 5 }, { x: x + 34 }, { x: x + 239, align: 'right' as const }];
      sheet.box(x, 290, 245, 18, { fill: '#e6e6e6', stroke: rule });
      row(sheet, 302, columns, ['Code', title, 'Amount £'], { bold: true });
      sheet.box(x, 308, 245, 180, { stroke: rule });
      lines.forEach((line, n) => {
        const code = CODES[line.kind] ?? `0${4 + n}${random.digits(2)}`;
        row(sheet, 324 + n * 15, columns, [code, LABELS[line.kind], amount(line.amount)]);
      });
    };
    half(48, 'Pay and Allowances', pay.payments);
    half(302, 'Deductions', pay.deductions);
    sheet.text(48, 510, 'Payment Method: BACS', { size: 8 });
    sheet.text(547, 510, `Bank Sort Code ${pay.employee.sortCode}  Account XXXX${pay.employee.account.slice(4)}`, { size: 8, align: 'right' }); // prettier-ignore
    sheet.box(48, 524, 499, 84, { stroke: rule });
    sheet.text(54, 537, 'Messages', { bold: true });
    const note = `Employer's contributions this period: National Insurance ${amount(pay.employerNi)}${pay.pension === null ? '' : `, pension ${amount(pay.employerPension)}`}.`; // prettier-ignore
    sheet.lines(54, 552, 12, [note, `Your salary is ${money(pay.salary * 100)} a year.`, 'Queries: raise a service request in the portal. Please have your staff number to hand.'], { size: 8 }); // prettier-ignore
    sheet.lines(48, 680, 12, [longName(pay), ...pay.employee.address]);
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
