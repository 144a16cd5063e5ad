import type { PayslipLayout } from '../layout.ts';
import { periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Salary', hours: 'Rate 1', overtime: 'Overtime 1.5', tax: 'PAYE Tax', ni: 'National Insurance', pension: 'Pension', sick: 'SSP' }); // prettier-ignore

export const sageArtwork: PayslipLayout = {
  name: 'sage-artwork',
  like: 'Sage Payroll e-payslip whose form is drawn as outlines',
  type: 'payslip',
  size: A4,
  fonts: ['roboto'],
  fontSize: 8.5,
  draw(sheet, pay, random) {
    const green = random.pick(['#007a3d', '#33425b']);
    const art = { artwork: true, colour: green, size: 7.5 } as const;
    const panel = (x: number, y: number, width: number, height: number, label: string) => {
      sheet.box(x, y, width, height, { stroke: green, radius: 4 });
      sheet.box(x, y, width, 15, { fill: green, radius: 4 });
      sheet.text(x + 6, y + 11, label, { ...art, colour: '#ffffff' });
    };
    sheet.text(36, 50, pay.employer.name, { size: 11, bold: true });
    panel(36, 62, 250, 36, 'Employee Name');
    panel(292, 62, 80, 36, 'Employee No.');
    panel(378, 62, 80, 36, 'Date');
    panel(464, 62, 96, 36, 'N.I. Number');
    row(sheet, 91, [{ x: 42 }, { x: 298 }, { x: 384 }, { x: 470 }], [longName(pay), pay.employee.number, date(pay.payDate, '31/10/2026'), pay.employee.niNumber]); // prettier-ignore
    panel(36, 104, 262, 230, 'Payments');
    panel(304, 104, 256, 230, 'Deductions');
    const [left, right] = [[{ x: 42 }, { x: 180, align: 'right' }, { x: 232, align: 'right' }, { x: 290, align: 'right' }], [{ x: 312 }, { x: 550, align: 'right' }]] as const; // prettier-ignore
    row(sheet, 131, left, ['Description', 'Hours', 'Rate', 'Amount'], art);
    row(sheet, 131, right, ['Description', 'Amount'], art);
    pay.payments.forEach((line, n) => row(sheet, 147 + n * 13, left, [LABELS[line.kind], units(line), rate(line), money(line.amount)])); // prettier-ignore
    pay.deductions.forEach((line, n) => row(sheet, 147 + n * 13, right, [LABELS[line.kind], money(line.amount)]));
    panel(36, 340, 130, 94, 'This Period');
    panel(172, 340, 200, 94, 'Year To Date');
    const list = (x: number, to: number, entries: readonly (readonly [string, number])[]) =>
      entries.forEach(([label, amount], n) => {
        sheet.text(x, 368 + n * 13, label, art);
        sheet.text(to, 368 + n * 13, money(amount), { align: 'right' });
      });
    list(42, 160, [['Total Gross Pay', pay.gross], ['Gross for Tax', pay.taxable], ['Earnings for NI', pay.niable], ['Employer NI', pay.employerNi]]); // prettier-ignore
    list(178, 366, [['Total Gross Pay TD', pay.ytd.gross], ['Tax Paid TD', pay.ytd.tax], ['National Insurance TD', pay.ytd.ni], ['Pension TD', pay.ytd.pension], ['Employer Pension TD', pay.ytd.employerPension]]); // prettier-ignore
    panel(378, 340, 90, 44, 'Tax Code');
    panel(474, 340, 86, 44, 'Tax Period');
    sheet.text(384, 374, pay.taxCode);
    sheet.text(480, 374, `${pay.period}`);
    panel(378, 390, 182, 44, 'Net Pay');
    sheet.text(550, 425, money(pay.net), { align: 'right', size: 13, bold: true });
    sheet.lines(60, 480, 12, [longName(pay), ...pay.employee.address], { size: 9.5 });
    return {
      pay_period: `${pay.period}`,
      pay_period_also: periodNames(pay),
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      ni_number: pay.employee.niNumber,
    };
  },
};
