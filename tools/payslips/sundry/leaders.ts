import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames } from '../parts.ts';
import { A5_LANDSCAPE } from '../sheet.ts';
import { date, longName, money, words } from '../words.ts';

const LABELS = words({ basic: 'Salary', hours: 'Wages', overtime: 'Overtime', holiday: 'Holiday pay', sick: 'Statutory sick pay (SSP)', shift: 'Sleep-in allowance', car: 'Mileage', weighting: 'Area allowance', arrears: 'Pay arrears', sacrifice: 'Less: salary exchange (bike)', tax: 'Income tax (PAYE)', ni: 'National Insurance (NIC)', pension: 'Pension contribution', avc: 'Additional voluntary contribution', 'student-loan': 'Student loan repayment', 'postgraduate-loan': 'Postgraduate loan repayment', union: 'Union subscription', charity: 'Charitable giving', ticket: 'Loan repayment', advance: 'Advance of wages', attachment: 'Attachment of earnings', healthcare: 'Health plan' }); // prettier-ignore

export const leaders: PayslipLayout = {
  name: 'leaders',
  like: 'what an accountant or a parish council types for few people, from a template',
  type: 'payslip',
  size: A5_LANDSCAPE,
  fonts: ['times', 'courier', 'source-serif'],
  fontSize: 10,
  pay: { frequency: 'monthly', rows: 6 },
  draw(sheet, pay, random) {
    const day = date(pay.payDate, '31 October 2026');
    const period = `${date(pay.from, '31 October 2026')} to ${date(pay.to, '31 October 2026')}`;
    sheet.text(297, 40, 'STATEMENT OF PAY', { bold: true, size: 14, align: 'center' });
    sheet.text(40, 66, `To: ${longName(pay)}`);
    sheet.text(555, 66, `Date of payment: ${day}`, { align: 'right' });
    sheet.text(40, 81, `For the period ${period}`);
    sheet.text(555, 81, `Tax month ${pay.period}`, { align: 'right' });
    sheet.text(40, 96, `NI No. ${niNumber(pay, true)}   Tax code ${pay.taxCode}   NI letter ${pay.niLetter}`);
    sheet.line(40, 104, 555, 104);
    const dot = sheet.widthOf('.');
    const entry = (x: number, y: number, label: string, amount: string, bold = false) => {
      const end = x + 245;
      const space = 245 - sheet.widthOf(label, { bold }) - sheet.widthOf(amount, { bold }) - 8;
      sheet.text(x, y, `${label} ${'.'.repeat(Math.max(2, Math.floor(space / dot)))}`, { bold });
      sheet.text(end, y, amount, { align: 'right', bold });
    };
    const amount = (value: number) => money(value, { pound: true });
    sheet.text(40, 122, 'Pay', { bold: true });
    pay.payments.forEach(({ kind, amount: paid }, n) => entry(40, 140 + n * 16, LABELS[kind], amount(paid)));
    sheet.text(310, 122, 'Less', { bold: true });
    pay.deductions.forEach(({ kind, amount: taken }, n) => entry(310, 140 + n * 16, LABELS[kind], amount(taken)));
    const y = 150 + Math.max(pay.payments.length, pay.deductions.length) * 16;
    entry(40, y, 'Gross pay', amount(pay.gross), true);
    entry(310, y, 'Total deductions', amount(pay.totalDeductions), true);
    entry(310, y + 24, 'Net pay', amount(pay.net), true);
    if (pay.pension !== null) sheet.text(40, y + 24, `Employer pension contribution ${amount(pay.employerPension)}`, { size: 9 }); // prettier-ignore
    sheet.text(40, y + 44, `Total pay to date ${amount(pay.ytd.gross)}, tax to date ${amount(pay.ytd.tax)}, NI to date ${amount(pay.ytd.ni)}`, { size: 9 }); // prettier-ignore
    sheet.line(40, 358, 555, 358);
    sheet.text(40, 374, pay.employer.name, { bold: true });
    sheet.text(40, 388, pay.employer.address.join(', '), { size: 9 });
    sheet.text(555, 374, `PAYE reference ${pay.employer.payeReference}`, { align: 'right', size: 9 });
    sheet.text(555, 388, random.pick(['Please keep this statement', 'Computer generated', 'E. & O. E.']), { align: 'right', size: 9 }); // prettier-ignore
    return {
      pay_period: period,
      pay_period_also: [period.replace(' to ', ' - '), `Tax month ${pay.period}`, ...periodNames(pay)],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
