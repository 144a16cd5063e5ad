import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, monthOf, periodWord, words } from '../words.ts';

const LABELS = words({ basic: 'Stipend', hours: 'Hours', overtime: 'Additional Duties', bonus: 'Honoraria', sick: 'Statutory Sick Pay', car: 'Travel Allowance', tax: 'Income Tax', ni: 'National Insurance Contributions', pension: 'Pension Contribution', avc: 'Additional Voluntary Contribution', 'student-loan': 'Student Loan Repayment', charity: 'Give As You Earn' }); // prettier-ignore

export const letter: PayslipLayout = {
  name: 'letter',
  like: 'a payslip on the letter head of a charity or a school, Payescape / Cintra',
  type: 'payslip',
  size: A4,
  fonts: ['source-serif', 'times', 'lato'],
  fontSize: 9.5,
  pay: { frequency: 'monthly', rows: 7 },
  draw(sheet, pay) {
    const grey = '#6b6b6b';
    const pounds = (value: number) => money(value, { pound: true });
    const period = monthOf(pay.payDate);
    sheet.text(297, 58, pay.employer.name, { size: 13, bold: true, align: 'center' });
    sheet.text(297, 72, pay.employer.address.join(' · '), { size: 8, align: 'center', colour: grey });
    sheet.line(200, 82, 395, 82, { stroke: grey });
    sheet.lines(60, 112, 13, [longName(pay), ...pay.employee.address]);
    sheet.text(535, 112, `Statement of pay for ${period}`, { align: 'right', bold: true });
    sheet.text(535, 126, `Payable on ${date(pay.payDate, '31 October 2026')}`, { align: 'right' });
    const facts: [string, string][] = [['PAYROLL NUMBER', pay.employee.number], ['TAX CODE', pay.taxCode], ['NI NUMBER', niNumber(pay, true)], ['NI TABLE', pay.niLetter], [`TAX ${periodWord(pay).toUpperCase()}`, `${pay.period}`]]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      sheet.text(60 + n * 98, 190, label, { size: 6, colour: grey, spacing: 0.4 });
      sheet.text(60 + n * 98, 203, value);
    });
    const column = (x: number, title: string, lines: readonly (readonly [string, number])[], total: readonly [string, number]) => {
      sheet.text(x, 236, title, { bold: true });
      sheet.line(x, 241, x + 225, 241, { thickness: 1 });
      lines.forEach(([label, value], n) => {
        sheet.text(x, 258 + n * 16, label);
        sheet.text(x + 225, 258 + n * 16, pounds(value), { align: 'right' });
      });
      const y = 258 + lines.length * 16 + 6;
      sheet.line(x, y - 13, x + 225, y - 13, { stroke: grey, thickness: 0.5 });
      sheet.text(x, y, total[0], { bold: true });
      sheet.text(x + 225, y, pounds(total[1]), { align: 'right', bold: true });
    }; // prettier-ignore
    column(60, 'Payments', pay.payments.map((line) => [LABELS[line.kind], line.amount] as const), ['Gross', pay.gross]); // prettier-ignore
    column(310, 'Deductions', pay.deductions.map((line) => [LABELS[line.kind], line.amount] as const), ['Deductions in total', pay.totalDeductions]); // prettier-ignore
    sheet.text(297, 430, `Amount credited to your account: ${pounds(pay.net)}`, { size: 12, bold: true, align: 'center' }); // prettier-ignore
    sheet.text(60, 470, 'Totals for the tax year to date', { bold: true });
    const totals: [string, number][] = [['Gross', pay.ytd.gross], ['Taxable', pay.ytd.taxable], ['Income Tax', pay.ytd.tax], ['NI', pay.ytd.ni]]; // prettier-ignore
    if (pay.pension !== null) totals.push(['Pension', pay.ytd.pension]);
    sheet.text(60, 486, totals.map(([label, value]) => `${label} ${pounds(value)}`).join('   '));
    const pension = pay.pension === null ? '' : ` and a pension contribution of ${pounds(pay.employerPension)}`;
    sheet.text(60, 504, `We also paid employer's National Insurance of ${pounds(pay.employerNi)}${pension}.`, { size: 8.5 }); // prettier-ignore
    sheet.text(60, 790, `PAYE reference ${pay.employer.payeReference}`, { size: 7.5, colour: grey });
    return {
      pay_period: period,
      pay_period_also: [...periodNames(pay), `TAX MONTH ${pay.period}`],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
