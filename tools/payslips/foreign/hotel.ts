import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4_LANDSCAPE } from '../sheet.ts';
import { date, frequencyWord, longName, money, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Salary', hours: 'Basic Rate', overtime: 'Overtime Rate', bonus: 'Tronc', commission: 'Service Charge', holiday: 'Holiday', sick: 'SSP', shift: 'Late Shift Supp', tax: 'PAYE Tax', ni: 'Employee NI', pension: 'Ee Pension', avc: 'Ee AVC', 'student-loan': 'St Loan', 'postgraduate-loan': 'PG Loan', ticket: 'Accommodation', advance: 'Cash Advance', healthcare: 'Meals on Duty' }); // prettier-ignore

export const hotel: PayslipLayout = {
  name: 'hotel',
  like: 'Fourth Hospitality, landscape',
  type: 'payslip',
  size: A4_LANDSCAPE,
  fonts: ['inter', 'roboto', 'helvetica'],
  fontSize: 8,
  pay: { rows: 9 },
  draw(sheet, pay, random) {
    const band = random.pick(['#111827', '#7c2d12', '#14532d']);
    const comma = random.chance(0.5);
    const amount = (value: number) => money(value, { comma });
    const range = `${date(pay.from, '31-Oct-2026')} to ${date(pay.to, '31-Oct-2026')}`;
    sheet.text(36, 46, longName(pay), { size: 13, bold: true });
    sheet.text(36, 58, `${pay.employee.department} / ${pay.employee.job}`);
    sheet.text(806, 46, date(pay.payDate, '31-Oct-2026'), { size: 13, align: 'right' });
    sheet.text(806, 58, 'Pay date', { align: 'right' });
    const facts: [string, string][] = [['Company', pay.employer.name], ['Pay period', range], ['Frequency', `${frequencyWord(pay.frequency)} (${pay.period})`], ['Tax code', pay.taxCode], ['NI', `${niNumber(pay, false)} ${pay.niLetter}`]]; // prettier-ignore
    const columns = [36, 306, 466, 586, 676];
    sheet.line(36, 68, 806, 68, { stroke: '#bbbbbb' });
    facts.forEach(([label, value], n) => {
      sheet.text(columns[n]!, 80, label, { size: 6.5, bold: true });
      sheet.text(columns[n]!, 91, value, { size: n === 0 ? 7 : 8 });
    });
    sheet.line(36, 98, 806, 98, { stroke: '#bbbbbb' });
    const title = (x: number, width: number) => sheet.box(x, 110, width, 16, { fill: band });
    const head = { bold: true, colour: '#ffffff', size: 7.5 };
    const left = [{ x: 42 }, { x: 176, align: 'right' }, { x: 226, align: 'right' }, { x: 286, align: 'right' }, { x: 350, align: 'right' }] as const; // prettier-ignore
    const middle = [{ x: 374 }, { x: 500, align: 'right' }, { x: 566, align: 'right' }] as const;
    const right = [{ x: 590 }, { x: 730, align: 'right' }, { x: 800, align: 'right' }] as const;
    title(36, 320);
    title(368, 204);
    title(584, 222);
    row(sheet, 121, left, ['Earnings', 'Units', 'Rate', 'Current', 'YTD'], head);
    row(sheet, 121, middle, ['Deductions', 'Current', 'YTD'], head);
    row(sheet, 121, right, ['Employer & taxable', 'Current', 'YTD'], head);
    pay.payments.forEach((line, n) => row(sheet, 142 + n * 16, left, [LABELS[line.kind], units(line), rate(line, 2), amount(line.amount), amount(line.ytd)])); // prettier-ignore
    pay.deductions.forEach((line, n) => row(sheet, 142 + n * 16, middle, [LABELS[line.kind], amount(line.amount), amount(line.ytd)])); // prettier-ignore
    const others: [string, number, number][] = [['Taxable pay', pay.taxable, pay.ytd.taxable], ['NI-able pay', pay.niable, pay.ytd.niable], ['Employer NI', pay.employerNi, pay.ytd.employerNi]]; // prettier-ignore
    if (pay.pension !== null) others.push(['Er Pension', pay.employerPension, pay.ytd.employerPension]);
    others.forEach(([label, now, total], n) => row(sheet, 142 + n * 16, right, [label, amount(now), amount(total)]));
    const sums: [string, number, number][] = [['Gross pay', pay.gross, pay.ytd.gross], ['Deductions', pay.totalDeductions, pay.ytd.deductions], ['Net pay', pay.net, pay.ytd.net]]; // prettier-ignore
    sheet.box(36, 330, 770, 44, { stroke: band, thickness: 1.2 });
    sums.forEach(([label, now, total], n) => {
      const x = 50 + n * 260;
      sheet.text(x, 357, label, { size: 10 });
      sheet.text(x + 150, 357, money(now, { comma, pound: true }), { size: 13, bold: true, align: 'right' });
      sheet.text(x + 160, 357, `YTD ${amount(total)}`, { size: 7 });
      if (n < 2) sheet.text(x + 238, 357, n === 0 ? '-' : '=', { size: 13 });
    });
    sheet.text(36, 560, `${pay.employer.name}, ${pay.employer.address.join(', ')}. PAYE reference ${pay.employer.payeReference}. Employee ${pay.employee.number}`, { size: 6.5 }); // prettier-ignore
    return {
      pay_period: range,
      pay_period_also: [...periodNames(pay), range.replace(' to ', ' - '), `${frequencyWord(pay.frequency)} (${pay.period})`],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    }; // prettier-ignore
  },
};
