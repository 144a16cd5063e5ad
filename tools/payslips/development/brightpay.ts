import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A5_LANDSCAPE } from '../sheet.ts';
import { date, frequencyWord, longName, money, monthOf, periodWord, words } from '../words.ts';

const LABELS = words({ basic: 'Basic Pay', tax: 'PAYE', ni: 'Employee NIC', pension: 'Employee Pension', avc: 'Pension AVC', hours: 'Hourly pay', holiday: 'Holiday pay' }); // prettier-ignore

export const brightpay: PayslipLayout = {
  name: 'brightpay',
  like: 'BrightPay, A5',
  type: 'payslip',
  size: A5_LANDSCAPE,
  fonts: ['lato', 'roboto'],
  fontSize: 8.5,
  draw(sheet, pay, random) {
    const shade = random.pick(['#f2f2f2', '#e8f1f8', '#eaf5ea']);
    sheet.text(28, 38, pay.employer.name, { size: 13, bold: true });
    const period = pay.frequency === 'monthly' ? `${monthOf(pay.payDate)} (Month ${pay.period})` : `Week ${pay.period}`;
    sheet.text(567, 38, `${frequencyWord(pay.frequency)} Payslip`, { size: 11, align: 'right' });
    const style = random.pick(['31 Oct 2026', '31/10/2026'] as const);
    const facts: [string, string][] = [
      ['Employee', longName(pay)],
      ['Works No.', pay.employee.number],
      ['NI Number', niNumber(pay, true)],
      ['Tax Code', pay.taxCode],
      ['NI Table', pay.niLetter],
      ['Pay Period', period],
      ['Pay Date', date(pay.payDate, style)],
      ['Department', pay.employee.department],
    ];
    sheet.box(28, 48, 539, 62, { fill: shade });
    facts.forEach(([label, value], n) => {
      const x = n < 4 ? 36 : 310;
      const y = 62 + (n % 4) * 13;
      sheet.text(x, y, `${label}:`, { colour: '#555555' });
      sheet.text(x + 75, y, value, { bold: true });
    });
    const draw = (x: number, title: string, lines: [string, number][], total: string, amount: number) => {
      sheet.box(x, 120, 262, 16, { fill: '#444444' });
      row(sheet, 131, [{ x: x + 6 }, { x: x + 256, align: 'right' }], [title, '£'], { bold: true, colour: '#ffffff' });
      lines.forEach(([label, value], n) => {
        row(sheet, 149 + n * 13.5, [{ x: x + 6 }, { x: x + 256, align: 'right' }], [label, money(value)]);
      });
      sheet.line(x, 262, x + 262, 262);
      row(sheet, 274, [{ x: x + 6 }, { x: x + 256, align: 'right' }], [total, money(amount)], { bold: true });
    };
    const detail = (units: number | undefined, each: number | undefined) =>
      units === undefined ? '' : ` (${units} hrs @ £${(each! / 100).toFixed(2)})`;
    draw(28, 'Payments', pay.payments.map((line) => [`${LABELS[line.kind]}${detail(line.units, line.rate)}`, line.amount]), 'Gross Pay', pay.gross); // prettier-ignore
    draw(305, 'Deductions', pay.deductions.map((line) => [LABELS[line.kind], line.amount]), 'Total Deductions', pay.totalDeductions); // prettier-ignore
    sheet.box(380, 284, 187, 24, { stroke: '#444444', thickness: 1.2 });
    row(sheet, 300, [{ x: 388 }, { x: 559, align: 'right' }], ['Net Pay', money(pay.net, { pound: true })], { bold: true, size: 12 }); // prettier-ignore
    sheet.text(28, 300, `Employer NIC: ${money(pay.employerNi)}${pay.pension === null ? '' : `     Employer Pension: ${money(pay.employerPension)}`}`, { colour: '#555555', size: 8 }); // prettier-ignore
    sheet.box(28, 318, 539, 48, { fill: shade });
    sheet.text(36, 330, `Year to Date (${periodWord(pay)} ${pay.period})`, { bold: true, size: 8 });
    const totals: [string, number][] = [['Gross Pay', pay.ytd.gross], ['Taxable Pay', pay.ytd.taxable], ['PAYE', pay.ytd.tax], ['Employee NIC', pay.ytd.ni], ['Employee Pension', pay.ytd.pension], ['Net Pay', pay.ytd.net]]; // prettier-ignore
    totals.forEach(([label, amount], n) => {
      sheet.text(116 + n * 88, 344, label, { align: 'right', size: 7.5, colour: '#555555' });
      sheet.text(116 + n * 88, 357, money(amount), { align: 'right' });
    });
    sheet.text(28, 385, `${pay.employer.name}, ${pay.employer.address.join(', ')}  |  PAYE Ref: ${pay.employer.payeReference}`, { size: 7, colour: '#777777' }); // prettier-ignore
    return {
      pay_period: period,
      pay_period_also: [...(pay.frequency === 'monthly' ? [monthOf(pay.payDate)] : []), ...periodNames(pay).slice(1)],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
