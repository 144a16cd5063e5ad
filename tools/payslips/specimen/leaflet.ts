import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A5_LANDSCAPE } from '../sheet.ts';
import { date, money, rate, shortName, units, words } from '../words.ts';

const LABELS = words({ basic: 'Salary', hours: 'Hourly Pay', overtime: 'O/Time x 1.5', holiday: 'Hol Pay', sick: 'SSP', shift: 'Shift Prem', car: 'Car Allow', weighting: 'Lon Weight', arrears: 'Back Pay', sacrifice: 'Cycle 2 Work', tax: 'PAYE Tax', ni: 'Nat. Insurance', pension: 'Employee Pension', avc: 'Pension AVC', 'student-loan': 'Student Loan', 'postgraduate-loan': 'PG Loan', attachment: 'Att. of Earnings' }); // prettier-ignore

export const leaflet: PayslipLayout = {
  name: 'leaflet',
  like: 'Sage 50 Payroll on its own A5 form, year to date to the left',
  type: 'payslip',
  size: A5_LANDSCAPE,
  fonts: ['helvetica', 'archivo-narrow', 'courier'],
  fontSize: 8,
  pay: { sector: 'private', rows: 8 },
  draw(sheet, pay, random) {
    const green = random.pick(['#2e7d4f', '#1f5f8b', '#555555']);
    const amount = (value: number) => money(value, { comma: false });
    const period = `${pay.frequency === 'monthly' ? 'Month' : 'Week'} ${pay.period}`;
    const title = (x: number, width: number, text: string, y = 66, height = 232) => {
      sheet.box(x, y, width, height, { stroke: green });
      sheet.box(x, y, width, 14, { fill: green });
      sheet.text(x + width / 2, y + 10, text, { bold: true, align: 'center', colour: '#ffffff' });
    };
    const top: [number, number, string, string][] = [[24, 70, 'Employee No.', pay.employee.number], [94, 160, 'Employee', shortName(pay)], [254, 90, 'Process Date', date(pay.payDate, '31/10/2026')], [344, 82, 'Tax Period', period], [426, 146, 'N.I. Number', niNumber(pay, false)]]; // prettier-ignore
    for (const [x, width, label, value] of top) {
      sheet.box(x, 24, width, 30, { stroke: green });
      sheet.text(x + 4, 33, label, { size: 6.5, colour: green });
      sheet.text(x + 4, 48, value);
    }
    title(24, 150, 'Year to Date');
    title(180, 226, 'Payments');
    title(412, 160, 'Deductions');
    const year: [string, number][] = [['Total Gross Pay TD', pay.ytd.gross], ['Gross for Tax TD', pay.ytd.taxable], ['Tax Paid TD', pay.ytd.tax], ['Earnings for NI TD', pay.ytd.niable], ['National Insurance TD', pay.ytd.ni], ['Ee Pension TD', pay.ytd.pension], ['Employers Pension TD', pay.ytd.employerPension]]; // prettier-ignore
    year.forEach(([label, value], n) => row(sheet, 98 + n * 15, [{ x: 28 }, { x: 170, align: 'right' }], [label, amount(value)], { size: 7.5 })); // prettier-ignore
    sheet.line(24, 212, 174, 212, { stroke: green });
    const now: [string, number][] = [['Earnings for NI', pay.niable], ['Gross for Tax', pay.taxable], ['Employers NI', pay.employerNi]]; // prettier-ignore
    if (pay.pension !== null) now.push(['Employers Pension', pay.employerPension]);
    sheet.text(28, 224, 'This Period', { bold: true, size: 7.5, colour: green });
    now.forEach(([label, value], n) => row(sheet, 240 + n * 15, [{ x: 28 }, { x: 170, align: 'right' }], [label, amount(value)], { size: 7.5 })); // prettier-ignore
    const left = [{ x: 184 }, { x: 290, align: 'right' }, { x: 336, align: 'right' }, { x: 400, align: 'right' }] as const; // prettier-ignore
    row(sheet, 92, left, ['Description', 'Hours', 'Rate', 'Amount'], { size: 7, colour: green });
    pay.payments.forEach((line, n) => row(sheet, 106 + n * 14, left, [LABELS[line.kind], units(line), rate(line, 4), amount(line.amount)])); // prettier-ignore
    const right = [{ x: 416 }, { x: 566, align: 'right' }] as const;
    pay.deductions.forEach((line, n) => row(sheet, 98 + n * 14, right, [LABELS[line.kind], amount(line.amount)]));
    title(24, 150, 'Tax Code / NI Table', 306, 42);
    sheet.text(28, 338, pay.taxCode, { bold: true });
    sheet.text(166, 338, pay.niLetter, { bold: true, align: 'right' });
    const sum = (x: number, width: number, label: string, value: number) => {
      title(x, width, label, 306, 42);
      sheet.text(x + width - 8, 339, amount(value), { size: 11, bold: true, align: 'right' });
    };
    sum(180, 110, 'Total Payments', pay.gross);
    sum(296, 110, 'Total Deductions', pay.totalDeductions);
    sum(412, 160, 'Net Pay', pay.net);
    sheet.box(24, 358, 548, 26, { stroke: green });
    sheet.text(30, 374, pay.employer.name, { size: 10, bold: true });
    sheet.text(566, 374, `Tax Ref: ${pay.employer.payeReference}    Payment: BACS`, { align: 'right' });
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
