import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Basic Salary', hours: 'National Minimum Wage', overtime: 'Overtime Hours', bonus: 'Performance Bonus', commission: 'Discretionary Bonus', holiday: 'Holiday Pay Advanced', tax: 'PAYE Tax', ni: 'EE NIC', pension: 'EE Pension', avc: 'EE AVC', 'student-loan': 'Student Loan', attachment: 'Court Order' }); // prettier-ignore

export const assignment: PayslipLayout = {
  name: 'assignment',
  like: 'an umbrella company, the reckoning beside the payslip',
  type: 'payslip',
  size: A4,
  fonts: ['lato', 'inter', 'helvetica'],
  fontSize: 8.5,
  pay: { sector: 'private', frequency: 'weekly', rows: 7 },
  draw(sheet, pay, random) {
    const navy = random.pick(['#1f2a55', '#3b3b3b', '#5a1846']);
    const fee = random.pick([1_500, 2_000, 2_500]);
    const levy = Math.round(pay.gross * 0.005);
    const company = pay.gross + pay.employerNi + pay.employerPension + levy + fee;
    const minus = (value: number) => money(value, { negative: 'minus' });
    sheet.box(0, 0, 595.28, 44, { fill: navy });
    sheet.text(36, 28, pay.employer.name, { size: 14, bold: true, colour: '#ffffff' });
    sheet.text(559, 28, 'PAY STATEMENT', { size: 9, align: 'right', colour: '#ffffff', spacing: 1 });
    sheet.lines(36, 66, 12, [longName(pay), ...pay.employee.address]);
    const facts: [string, string][] = [['Tax week', `${pay.period}`], ['Payment date', date(pay.payDate, '31 Oct 2026')], ['Tax code', pay.taxCode], ['NI no. / table', `${niNumber(pay, false)} / ${pay.niLetter}`], ['PAYE ref', pay.employer.payeReference]]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      sheet.text(420, 66 + n * 12, label, { align: 'right', colour: '#666666' });
      sheet.text(428, 66 + n * 12, value);
    });
    const half = (x: number, title: string) => {
      sheet.box(x, 136, 256, 18, { fill: navy });
      sheet.text(x + 8, 148, title, { bold: true, colour: '#ffffff' });
      sheet.box(x, 154, 256, 330, { stroke: navy });
    };
    half(36, 'Assignment reconciliation');
    half(303, 'Payslip');
    const left = [{ x: 44 }, { x: 284, align: 'right' }] as const;
    const right = [{ x: 311 }, { x: 440, align: 'right' }, { x: 488, align: 'right' }, { x: 551, align: 'right' }] as const; // prettier-ignore
    let y = 172;
    const one = (label: string, value: number, bold = false) => {
      row(sheet, y, left, [label, minus(value)], { bold });
      y += 15;
    };
    one('Invoice value (net of VAT)', company, true);
    y += 6;
    sheet.text(44, y, 'Less', { colour: '#666666' });
    y += 15;
    one('Umbrella margin', -fee);
    one('ER NIC', -pay.employerNi);
    if (pay.pension !== null) one('ER Pension', -pay.employerPension);
    one('Apprenticeship Levy', -levy);
    y += 6;
    one('Total deductions from assignment', pay.gross - company);
    one('Gross taxable pay', pay.gross, true);
    y = 172;
    const two = (cells: readonly string[], bold = false) => {
      row(sheet, y, right, cells, { bold });
      y += 15;
    };
    row(sheet, y, right, ['Payments', 'Units', 'Rate', '£'], { bold: true, colour: navy });
    y += 15;
    for (const line of pay.payments) two([LABELS[line.kind], units(line), rate(line, 2), minus(line.amount)]);
    two(['Gross pay', '', '', money(pay.gross)], true);
    y += 8;
    row(sheet, y, right, ['Deductions', '', '', '£'], { bold: true, colour: navy });
    y += 15;
    for (const line of pay.deductions) two([LABELS[line.kind], '', '', minus(line.amount)]);
    two(['Total employee deductions', '', '', money(pay.totalDeductions)], true);
    sheet.box(303, 460, 256, 24, { fill: '#e9e9f2', stroke: navy });
    row(sheet, 476, right, ['NET PAY', '', '', money(pay.net, { pound: true })], { bold: true, size: 11 });
    sheet.text(36, 510, 'Year to date', { bold: true, colour: navy });
    const totals: [string, number][] = [['Gross pay', pay.ytd.gross], ['Taxable pay', pay.ytd.taxable], ['PAYE Tax', pay.ytd.tax], ['EE NIC', pay.ytd.ni], ['ER NIC', pay.ytd.employerNi], ['EE Pension', pay.ytd.pension]]; // prettier-ignore
    totals.forEach(([label, value], n) => {
      sheet.text(36 + n * 88, 526, label, { size: 7.5, colour: '#666666' });
      sheet.text(36 + n * 88, 538, money(value));
    });
    return {
      pay_period: `${pay.period}`,
      pay_period_also: [...periodNames(pay), `Tax week ${pay.period}`],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
