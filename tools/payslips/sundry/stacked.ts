import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, monthOf, words } from '../words.ts';

const LABELS = words({ basic: 'Basic salary', hours: 'Hourly paid work', overtime: 'Plain time overtime', bonus: 'Honorarium', commission: 'Marking fees', holiday: 'Holiday pay', sick: 'Occupational sick pay', shift: 'Unsocial hours', car: 'Travel allowance', weighting: 'London allowance', arrears: 'Arrears of pay', sacrifice: 'Childcare sacrifice', tax: 'Income tax', ni: 'EE NIC', pension: 'USS EE', avc: 'USS Investment Builder', 'student-loan': 'Student loan', 'postgraduate-loan': 'Postgraduate loan', union: 'UCU subscription', charity: 'Give as you earn', ticket: 'Season ticket loan', advance: 'Recovery of advance', attachment: 'Attachment of earnings', healthcare: 'Health cash plan' }); // prettier-ignore

export const stacked: PayslipLayout = {
  name: 'stacked',
  like: 'the web payslip of MHR People First or Access People for a university or a charity',
  type: 'payslip',
  size: A4,
  fonts: ['inter', 'lato', 'source-serif'],
  fontSize: 9.5,
  pay: { frequency: 'monthly', rows: 7 },
  draw(sheet, pay, random) {
    const tone = random.pick(['#0f766e', '#7c2d12', '#1e3a8a']);
    const pounds = (value: number) => money(value, { pound: true });
    const month = monthOf(pay.payDate);
    sheet.text(45, 55, pay.employer.name, { size: 13, bold: true });
    sheet.text(45, 80, `Pay for ${month}`, { size: 18, bold: true, colour: tone });
    sheet.text(45, 95, `Paid on ${date(pay.payDate, '31 October 2026')} to account ending ${pay.employee.account.slice(4)}`, { size: 9, colour: '#666666' }); // prettier-ignore
    const large: [string, number][] = [['Total payments', pay.gross], ['Total deductions', pay.totalDeductions], ['Net pay', pay.net]]; // prettier-ignore
    large.forEach(([label, value], n) => {
      sheet.box(45 + n * 172, 110, 160, 48, { fill: '#f3f4f6', radius: 5 });
      sheet.text(55 + n * 172, 127, label, { size: 8.5, colour: '#555555' });
      sheet.text(55 + n * 172, 147, pounds(value), { size: 15, bold: true, colour: tone });
    });
    const list = (x: number, title: string, lines: typeof pay.payments) => {
      sheet.text(x, 186, title, { bold: true, size: 11 });
      sheet.text(x + 244, 186, 'Amount', { size: 8, align: 'right', colour: '#666666' });
      sheet.line(x, 192, x + 244, 192, { stroke: tone });
      lines.forEach(({ kind, amount, ytd }, n) => {
        const y = 208 + n * 30;
        sheet.text(x, y, LABELS[kind]);
        sheet.text(x + 244, y, pounds(amount), { align: 'right' });
        sheet.text(x + 244, y + 11, `${pounds(ytd)} year to date`, { size: 7, align: 'right', colour: '#888888' });
        sheet.line(x, y + 17, x + 244, y + 17, { stroke: '#e5e7eb', thickness: 0.5 });
      });
    };
    list(45, 'Payments', pay.payments);
    list(305, 'Deductions', pay.deductions);
    const y = 224 + Math.max(pay.payments.length, pay.deductions.length) * 30;
    sheet.text(45, y, 'Paid by your employer', { bold: true, size: 11 });
    sheet.line(45, y + 6, 549, y + 6, { stroke: tone });
    const employer: [string, number][] = [['ER NIC', pay.employerNi], ...(pay.pension === null ? [] : [['USS ER', pay.employerPension] satisfies [string, number]])]; // prettier-ignore
    employer.forEach(([label, value], n) => {
      sheet.text(45 + n * 260, y + 22, label);
      sheet.text(289 + n * 260, y + 22, pounds(value), { align: 'right' });
    });
    sheet.text(45, y + 56, 'About you', { bold: true, size: 11 });
    sheet.line(45, y + 62, 549, y + 62, { stroke: tone });
    const facts: [string, string][] = [['Name', longName(pay)], ['Employee number', pay.employee.number], ['Department', pay.employee.department], ['Tax code', pay.taxCode], ['NI letter', pay.niLetter], ['NI number', niNumber(pay, true)], ['Tax period', `${pay.period}`], ['Taxable gross', pounds(pay.taxable)], ['Gross for NI', pounds(pay.niable)], ['PAYE reference', pay.employer.payeReference]]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      const [x, at] = [45 + (n % 4) * 128, y + 80 + Math.floor(n / 4) * 32];
      sheet.text(x, at, label, { size: 8, colour: '#777777' });
      sheet.text(x, at + 13, value);
    });
    return {
      pay_period: month,
      pay_period_also: periodNames(pay),
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
