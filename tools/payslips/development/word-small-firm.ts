import type { PayslipLayout } from '../layout.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, monthOf, words } from '../words.ts';

const LABELS = words({ basic: 'Wages', hours: 'Wages', tax: 'Income Tax (PAYE)', ni: 'National Insurance', pension: 'Pension contribution', overtime: 'Overtime', 'student-loan': 'Student loan repayment' }); // prettier-ignore

export const wordSmallFirm: PayslipLayout = {
  name: 'word-small-firm',
  like: 'a payslip made in a word processor',
  type: 'payslip',
  size: A4,
  fonts: ['times', 'source-serif', 'helvetica'],
  fontSize: 11,
  pay: { rows: 6 },
  draw(sheet, pay, random) {
    const negative = random.pick(['minus', 'brackets'] as const);
    sheet.text(297, 90, pay.employer.name, { size: 18, bold: true, align: 'center' });
    sheet.text(297, 108, pay.employer.address.join(', '), { align: 'center', size: 10 });
    sheet.text(297, 140, 'PAYSLIP', { size: 14, bold: true, align: 'center' });
    const style = random.pick(['31 October 2026', '31/10/2026', '31.10.2026'] as const);
    const monthly = pay.frequency === 'monthly';
    const period = monthly ? monthOf(pay.payDate) : `${date(pay.from, style)} to ${date(pay.to, style)}`;
    let y = 165;
    const line = (left: string, right: string, style: { bold?: boolean; fill?: string } = {}) => {
      sheet.box(90, y, 270, 22, { stroke: '#000000', ...(style.fill && { fill: style.fill }) });
      sheet.box(360, y, 145, 22, { stroke: '#000000', ...(style.fill && { fill: style.fill }) });
      sheet.text(97, y + 15, left, { bold: style.bold === true });
      sheet.text(498, y + 15, right, { bold: style.bold === true, align: 'right' });
      y += 22;
    };
    const pounds = (amount: number) => money(amount, { pound: true, negative });
    line('Name', longName(pay));
    line('National Insurance No.', pay.employee.niNumber);
    line('Tax code', pay.taxCode);
    line(monthly ? 'Month' : 'Pay period', period);
    line('Date paid', date(pay.payDate, style));
    for (const each of pay.payments) {
      const hours = each.units === undefined ? '' : ` (${each.units} hours at £${(each.rate! / 100).toFixed(2)})`;
      line(`${LABELS[each.kind]}${hours}`, pounds(each.amount));
    }
    line('Gross pay', pounds(pay.gross), { bold: true, fill: '#e6e6e6' });
    for (const each of pay.deductions) line(`Less: ${LABELS[each.kind]}`, pounds(each.amount));
    line('Total deductions', pounds(pay.totalDeductions), { bold: true });
    line('NET PAY', pounds(pay.net), { bold: true, fill: '#e6e6e6' });
    y += 18;
    sheet.text(90, y + 4, `Year to date:  gross pay ${money(pay.ytd.gross, { pound: true })},  tax ${money(pay.ytd.tax, { pound: true })},  NI ${money(pay.ytd.ni, { pound: true })}`, { size: 10 }); // prettier-ignore
    if (random.chance(0.6)) sheet.text(90, y + 20, `Employer's NI this period ${money(pay.employerNi, { pound: true })}`, { size: 10 }); // prettier-ignore
    return { pay_period: period, pay_date: pay.payDate, tax_code: pay.taxCode, ni_number: pay.employee.niNumber };
  },
};
