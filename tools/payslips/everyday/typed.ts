import type { PayslipLayout } from '../layout.ts';
import { niNumber, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, rate, words } from '../words.ts';

const LABELS = words({ basic: 'Wages', hours: 'Wages', overtime: 'Extra hours', bonus: 'Bonus', commission: 'Commission', holiday: 'Holiday pay', sick: 'Statutory sick pay', shift: 'Early starts', car: 'Car allowance', arrears: 'Owed from last time', tax: 'Income tax', ni: 'National Insurance', pension: 'Your pension contribution', avc: 'Your extra pension contribution', 'student-loan': 'Student loan repayment', 'postgraduate-loan': 'Postgraduate loan repayment', advance: 'Advance paid back', attachment: 'Attachment of earnings order', ticket: 'Season ticket' }); // prettier-ignore

export const typed: PayslipLayout = {
  name: 'typed',
  like: 'what a small employer types who reports with HMRC Basic PAYE Tools, which prints no payslips',
  type: 'payslip',
  size: A4,
  fonts: ['times', 'helvetica', 'source-serif'],
  fontSize: 11,
  pay: { sector: 'private', rows: 7 },
  draw(sheet, pay, random) {
    const pound = random.chance(0.5);
    const amount = (value: number) => money(value, { pound });
    const ended = date(pay.to, '31 October 2026');
    const span = { monthly: 'month', weekly: 'week', fortnightly: 'two weeks', '4-weekly': 'four weeks' }[pay.frequency]; // prettier-ignore
    sheet.text(70, 74, pay.employer.name, { size: 15, bold: true });
    sheet.text(70, 90, pay.employer.address.join(', '), { size: 9.5 });
    sheet.text(70, 126, `Payslip for the ${span} ended ${ended}`, { size: 13, bold: true });
    const facts: [string, string][] = [['Name', longName(pay)], ['National Insurance number', niNumber(pay, true)], ['Tax code', pay.taxCode], ['Paid on', date(pay.payDate, '31 October 2026')]]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      sheet.text(70, 152 + n * 16, `${label}:`);
      sheet.text(240, 152 + n * 16, value);
    });
    const columns = [{ x: 76 }, { x: 420, align: 'right' }, { x: 519, align: 'right' }] as const;
    const from = 232;
    let y = from + 17;
    row(sheet, y, columns, ['', 'Tax year so far', span.endsWith('weeks') ? 'This period' : `This ${span}`], { bold: true, size: 10 }); // prettier-ignore
    const next = (label: string, year: number, now: number, bold = false) => {
      sheet.line(70, y + 6, 525, y + 6, { thickness: 0.5 });
      y += 20;
      row(sheet, y, columns, [label, amount(year), amount(now)], { bold });
    };
    for (const line of pay.payments) {
      const worked = line.units === undefined ? '' : ` (${line.units} hours at £${rate(line, 2)})`;
      next(`${LABELS[line.kind]}${worked}`, line.ytd, line.amount);
    }
    next('Pay before deductions', pay.ytd.gross, pay.gross, true);
    for (const line of pay.deductions) next(LABELS[line.kind], line.ytd, line.amount);
    next('Total deductions', pay.ytd.deductions, pay.totalDeductions, true);
    next('Pay after deductions', pay.ytd.net, pay.net, true);
    sheet.box(70, from, 455, y + 6 - from);
    for (const x of [335, 427]) sheet.line(x, from, x, y + 6, { thickness: 0.5 });
    y += 34;
    const too = pay.pension === null ? '' : ` and ${money(pay.employerPension, { pound: true })} into your pension`;
    const foot = [`We have also paid ${money(pay.employerNi, { pound: true })} of employer's National Insurance${too}.`, `Employer PAYE reference ${pay.employer.payeReference}. NI category ${pay.niLetter}.`]; // prettier-ignore
    sheet.lines(70, y, 15, foot, { size: 10 });
    return {
      pay_period: ended,
      pay_period_also: [`${span} ended ${ended}`, `${span[0]!.toUpperCase()}${span.slice(1)} ended ${ended}`],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
