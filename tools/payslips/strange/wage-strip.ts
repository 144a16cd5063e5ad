import type { Line } from '../figures.ts';
import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { date, money, rate, shortName, units, words } from '../words.ts';

/** A vertical bar marks a line break. */
const LABELS = words({ basic: 'Basic|Wage', hours: 'Flat|Hours', overtime: 'Overtime|x 1.5', bonus: 'Output|Bonus', commission: 'Comm-|ission', holiday: 'Holiday|Pay', sick: 'SSP', shift: 'Shift|Premium', car: 'Car|Allow', weighting: 'London|Allow', arrears: 'Back|Pay', sacrifice: 'Bike|Scheme', tax: 'PAYE|Tax', ni: "E'ee|Nat Ins", pension: "E'ee|Pension", avc: "E'ee|AVC", 'student-loan': 'Student|Loan', 'postgraduate-loan': 'P/G|Loan', union: 'Union|Subs', charity: 'Charity|GAYE', ticket: 'Season|Ticket', advance: 'Sub|Repaid', attachment: 'Court|Order', healthcare: 'Health|Plan' }); // prettier-ignore

export const wageStrip: PayslipLayout = {
  name: 'wage-strip',
  like: 'a line of the wages sheet, cut off for the employee',
  type: 'payslip',
  size: [841.89, 232],
  fonts: ['helvetica', 'archivo-narrow', 'roboto'],
  fontSize: 8,
  pay: { frequency: '4-weekly', rows: 6, refunds: 0.25 },
  draw(sheet, pay, random) {
    const comma = random.chance(0.6);
    const amount = (value: number) => money(value, { comma, negative: 'brackets' });
    const ended = date(pay.to, '31/10/26');
    sheet.text(20, 28, pay.employer.name, { size: 11, bold: true });
    sheet.text(822, 28, `4 weeks ended ${ended}`, { size: 10, bold: true, align: 'right' });
    const facts: [number, string, string][] = [[20, 'Employee', shortName(pay)], [170, 'No.', pay.employee.number], [250, 'Dept', pay.employee.department], [370, 'NI number', niNumber(pay, true)], [480, 'NI', pay.niLetter], [516, 'Code', pay.taxCode], [610, 'Tax week', `${pay.period}`], [684, 'Paid', date(pay.payDate, '31/10/26')]]; // prettier-ignore
    for (const [x, label, value] of facts) {
      sheet.text(x, 46, label, { size: 6.5, colour: '#555555' });
      sheet.text(x + sheet.widthOf(label, { size: 6.5 }) + 5, 46, value, { bold: true });
    }
    const columns: { head: string; line: Pick<Line, 'amount' | 'ytd' | 'units' | 'rate'>; sum?: boolean }[] = [
      ...pay.payments.map((line) => ({ head: LABELS[line.kind], line })),
      { head: 'Gross|Pay', line: { amount: pay.gross, ytd: pay.ytd.gross }, sum: true },
      ...pay.deductions.map((line) => ({ head: LABELS[line.kind], line })),
      { head: 'Total|Deducted', line: { amount: pay.totalDeductions, ytd: pay.ytd.deductions }, sum: true },
      { head: 'Net|Pay', line: { amount: pay.net, ytd: pay.ytd.net }, sum: true },
    ];
    const width = 742 / columns.length;
    const rows = ['Units', 'Rate', 'Amount', 'Year to date'];
    columns.forEach(({ head, line, sum }, n) => {
      const x = 80 + n * width;
      if (sum) sheet.box(x, 60, width, 110, { fill: '#e4e4e4' });
      sheet.lines(x + width - 4, 72, 9, head.split('|'), { size: 7, bold: true, align: 'right' });
      const value = line as Line;
      const cells = [units(value), rate(value, 3), amount(line.amount), amount(line.ytd)];
      cells.forEach((text, at) => {
        if (text !== '') sheet.text(x + width - 4, 101 + at * 21, text, { align: 'right', bold: at === 2 });
      });
    });
    rows.forEach((label, at) => sheet.text(24, 101 + at * 21, label, { size: 7, bold: at === 2 }));
    sheet.box(20, 60, 802, 110);
    for (let n = 0; n < columns.length; n++) sheet.line(80 + n * width, 60, 80 + n * width, 170, { thickness: 0.4 });
    for (let at = 0; at < 4; at++) sheet.line(20, 86 + at * 21, 822, 86 + at * 21, { thickness: 0.4 });
    const notes = ['Taxable', amount(pay.taxable), 'Taxable to date', amount(pay.ytd.taxable), "E'er Nat Ins", amount(pay.employerNi)]; // prettier-ignore
    if (pay.pension !== null) notes.push("E'er Pension", amount(pay.employerPension));
    const noteColumns = notes.map((_, n) => ({ x: 24 + Math.floor(n / 2) * 150 + (n % 2) * 66 }));
    row(sheet, 186, noteColumns, notes, { size: 7.5 });
    sheet.text(20, 214, `PAYE reference ${pay.employer.payeReference}. Paid by BACS to ${pay.employee.sortCode} ****${pay.employee.account.slice(4)}.`, { size: 7 }); // prettier-ignore
    return {
      pay_period: `4 weeks ended ${ended}`,
      pay_period_also: [ended, ...periodNames(pay), `Tax week ${pay.period}`],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
