import { inParts } from '../fresh/lines.ts';
import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { TWO_THIRDS } from '../sheet.ts';
import { date, longName, money, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Salary', hours: 'Hours - Front of House', overtime: 'Hours - Late', bonus: 'Tronc', commission: 'Service Charge', holiday: 'Holiday Accrued', sick: 'SSP', shift: 'Split Shift', car: 'Taxi Home', weighting: 'London Top Up', arrears: 'Correction', sacrifice: 'Sal Sac Bike', tax: 'PAYE', ni: 'EE NI', pension: 'EE Pension (NEST)', avc: 'EE AVC (NEST)', 'student-loan': 'Student Loan', 'postgraduate-loan': 'PGL', union: 'Union', charity: 'Charity', ticket: 'Uniform', advance: 'Advance on Wages', attachment: 'DEA', healthcare: 'Meals' }); // prettier-ignore

export const bistro: PayslipLayout = {
  name: 'bistro',
  like: 'BrightPay or Planday for a restaurant, by the week',
  type: 'payslip',
  size: TWO_THIRDS,
  fonts: ['roboto', 'helvetica', 'lato'],
  fontSize: 9,
  pay: { sector: 'private', frequency: 'weekly', rows: 6 },
  draw(sheet, pay, random) {
    const blue = random.pick(['#1c75bc', '#2a6f97', '#8c4a2f']);
    const pounds = (value: number) => money(value, { pound: true });
    const week = `Wk ${pay.period}`;
    sheet.box(0, 0, 595.28, 30, { fill: blue });
    sheet.text(28, 20, 'PAYSLIP', { bold: true, size: 12, colour: '#ffffff' });
    sheet.text(567, 20, `${week}   Paid ${date(pay.payDate, '31 Oct 2026')}`, { size: 10, align: 'right', colour: '#ffffff' }); // prettier-ignore
    sheet.lines(28, 52, 13, [longName(pay), ...pay.employee.address]);
    sheet.text(380, 52, pay.employer.name, { bold: true });
    sheet.lines(380, 65, 13, pay.employer.address);
    sheet.text(28, 118, `NI Number: ${niNumber(pay, false)}   NI Table: ${pay.niLetter}   Tax Code: ${pay.taxCode}   Works No: ${pay.employee.number}`, { size: 8.5 }); // prettier-ignore
    sheet.box(396, 132, 171, 400, { fill: '#eeeeee' });
    const columns = [{ x: 28 }, { x: 220, align: 'right' }, { x: 290, align: 'right' }, { x: 380, align: 'right' }] as const; // prettier-ignore
    let y = 146;
    const next = (cells: readonly string[], style: { bold?: boolean; colour?: string } = {}) => {
      row(sheet, y, columns, cells, style);
      y += 16;
    };
    const rule = () => sheet.line(28, y - 11.5, 380, y - 11.5, { stroke: blue });
    next(['Payments', 'Hours', 'Rate', 'Amount'], { bold: true, colour: blue });
    rule();
    y += 2;
    for (const line of pay.payments) {
      inParts(line, line.kind === 'hours' ? 2 : 1).forEach((part, n) => {
        const label = n === 1 ? 'Hours - Kitchen' : LABELS[line.kind];
        next([label, units(part), part.rate === undefined ? '' : `£${rate(part, 2)}`, pounds(part.amount)]);
      });
    }
    rule();
    next(['Total Pay', '', '', pounds(pay.gross)], { bold: true });
    y += 10;
    next(['Deductions', '', '', 'Amount'], { bold: true, colour: blue });
    rule();
    y += 2;
    for (const line of pay.deductions) next([LABELS[line.kind], '', '', pounds(line.amount)]);
    rule();
    next(['Total Deductions', '', '', pounds(pay.totalDeductions)], { bold: true });
    y += 8;
    sheet.box(28, y - 6, 352, 26, { fill: blue });
    sheet.text(36, y + 11, 'Net Pay', { bold: true, size: 12, colour: '#ffffff' });
    sheet.text(374, y + 11, pounds(pay.net), { bold: true, size: 12, align: 'right', colour: '#ffffff' });
    const side = [{ x: 404 }, { x: 559, align: 'right' }] as const;
    let at = 150;
    const block = (title: string, list: readonly (readonly [string, number])[]) => {
      sheet.text(404, at, title, { bold: true, colour: blue });
      for (const [label, value] of list) row(sheet, (at += 16), side, [label, pounds(value)], { size: 8.5 });
      at += 30;
    };
    block('Year to Date', [['Taxable Gross', pay.ytd.taxable], ['PAYE', pay.ytd.tax], ['EE NI', pay.ytd.ni], ['ER NI', pay.ytd.employerNi], ['EE Pension', pay.ytd.pension], ['ER Pension', pay.ytd.employerPension]]); // prettier-ignore
    block('Employer', [['ER NI', pay.employerNi], ...(pay.pension === null ? [] : [['ER Pension', pay.employerPension] as const])]); // prettier-ignore
    sheet.lines(404, at, 13, ['Paid by: Bank transfer', `PAYE ref: ${pay.employer.payeReference}`], { size: 8.5 });
    return {
      pay_period: week,
      pay_period_also: [...periodNames(pay), `wk ${pay.period}`],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
