import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, periodWord, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Wages', hours: 'Hours', overtime: 'Babysitting hours', bonus: 'Christmas present', commission: 'Proxy parenting', holiday: 'Holiday pay', sick: 'Statutory Sick Pay', shift: 'Overnight stays', car: 'Use of own car', weighting: 'London supplement', arrears: 'Wages owed from before', sacrifice: 'Childcare voucher sacrifice', tax: 'Income tax (PAYE)', ni: 'National Insurance', pension: 'Pension, NEST', avc: 'Pension, NEST additional', 'student-loan': 'Student loan', 'postgraduate-loan': 'Postgraduate loan', advance: 'Loan paid back', attachment: 'Attachment of earnings', healthcare: 'Gym' }); // prettier-ignore
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const FAMILIES = ['Aldous', 'Cartwright', 'Delacroix-Hume', 'Entwistle', 'Iqbal', 'Prendergast', 'Ravenscroft', 'Singh', 'van der Berg', 'Yeo']; // prettier-ignore

export const household: PayslipLayout = {
  name: 'household',
  like: 'the payslip that a nanny payroll agency makes for a family',
  type: 'payslip',
  size: A4,
  fonts: ['times', 'source-serif', 'lato'],
  fontSize: 11,
  pay: { sector: 'private', rows: 5, refunds: 0.25 },
  draw(sheet, pay, random) {
    const pounds = (value: number) => money(value, { pound: true, negative: 'CR' });
    const family = `${random.pick(['Mrs', 'Mr', 'Ms', 'Dr', 'Mr & Mrs'])} ${random.letter('ABCDEGHJLMNPRST')} ${random.pick(FAMILIES)}`; // prettier-ignore
    const weekday = DAYS[new Date(`${pay.payDate}T12:00:00Z`).getUTCDay()]!;
    const paid = date(pay.payDate, '31 October 2026');
    const word = `tax ${periodWord(pay).toLowerCase()} ${pay.period}`;
    const [from, to] = [date(pay.from, '31 October 2026'), date(pay.to, '31 October 2026')];
    sheet.text(70, 80, 'Payslip', { size: 18, bold: true });
    sheet.text(70, 106, `For ${longName(pay)}, ${from} to ${to}`);
    sheet.text(70, 122, `Employed by: ${family}, ${pay.employer.address.join(', ')}`);
    sheet.text(70, 138, `NI number: ${niNumber(pay, true)}    NI letter: ${pay.niLetter}    Tax code: ${pay.taxCode}    This is ${word}`); // prettier-ignore
    let y = 180;
    const led = (label: string, value: string, style: { bold?: boolean; size?: number } = {}) => {
      const [start, stop] = [70 + sheet.widthOf(label, style) + 6, 525 - sheet.widthOf(value, style) - 6];
      const dots = '.'.repeat(Math.max(0, Math.floor((stop - start) / sheet.widthOf('.'.repeat(20)) / 0.05)));
      sheet.text(70, y, label, style);
      sheet.text(525 - sheet.widthOf(value, style) - 6, y, dots, { align: 'right', colour: '#777777' });
      sheet.text(525, y, value, { ...style, align: 'right' });
      y += 19;
    };
    for (const line of pay.payments) {
      const hours = line.units === undefined ? '' : `, ${units(line)} at £${rate(line, 2)} an hour`;
      led(`${LABELS[line.kind]}${hours}`, money(line.amount, { pound: true }));
    }
    led('Gross pay', pounds(pay.gross), { bold: true });
    y += 10;
    sheet.text(70, y, 'From this has been taken:');
    y += 20;
    for (const line of pay.deductions) led(LABELS[line.kind], pounds(line.amount));
    led('Taken altogether', pounds(pay.totalDeductions));
    y += 12;
    led(`Net pay, for ${weekday} ${paid}`, pounds(pay.net), { bold: true, size: 13 });
    y += 26;
    const { ytd } = pay;
    const pension = pay.pension === null ? '' : `, and ${pounds(ytd.pension)} went into your pension`;
    sheet.lines(70, y, 16, [
      `Since 6 April you have earned ${pounds(ytd.gross)}, of which ${pounds(ytd.taxable)} was taxable. You have paid`,
      `${pounds(ytd.tax)} of tax and ${pounds(ytd.ni)} of National Insurance${pension}.`,
    ]);
    y += 44;
    const both = pay.pension === null ? '' : ` and ${pounds(pay.employerPension)} into the pension`;
    sheet.text(70, y, `On top of this your employer pays ${pounds(pay.employerNi)} of National Insurance${both}.`, { size: 10 }); // prettier-ignore
    sheet.text(70, 770, `Employer's PAYE reference: ${pay.employer.payeReference}`, { size: 9 });
    sheet.text(70, 783, 'Payroll by Little Steps Nanny Payroll. We do not keep any part of your wages.', { size: 9, colour: '#555555' }); // prettier-ignore
    return {
      employer_name: family,
      pay_period: `${from} to ${to}`,
      pay_period_also: [`${from} - ${to}`, ...periodNames(pay), word],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
