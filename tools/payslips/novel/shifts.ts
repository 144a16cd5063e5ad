import { addDays } from '../../../domain/dates.ts';
import type { Line } from '../figures.ts';
import { inParts } from '../fresh/lines.ts';
import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, money, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Guaranteed Pay', hours: 'Hours @ Flat', overtime: 'Hours @ T1/2', bonus: 'Attendance Bonus', commission: 'Pick Rate Bonus', holiday: 'Hol Pay', sick: 'SSP', shift: 'Nights Premium', car: 'Travel Allce', weighting: 'London Allce', arrears: 'Back Pay', sacrifice: 'Sal Sac', tax: 'P.A.Y.E.', ni: 'N.I. EEs', pension: 'Pens EEs', avc: 'AVC EEs', 'student-loan': 'Stud Loan', 'postgraduate-loan': 'PG Loan', union: 'USDAW', charity: 'Charity', ticket: 'Bus Pass', advance: 'Sub', attachment: 'DEO', healthcare: 'HSF Health' }); // prettier-ignore
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

export const shifts: PayslipLayout = {
  name: 'shifts',
  like: 'the weekly payslip of a warehouse with shifts',
  type: 'payslip',
  size: A4,
  fonts: ['inconsolata', 'courier', 'archivo-narrow'],
  fontSize: 8.5,
  pay: { sector: 'private', frequency: 'weekly', rows: 7 },
  draw(sheet, pay, random) {
    const amount = (value: number) => money(value, { comma: false, negative: 'trailing' });
    const count = random.pick([3, 4, 5]);
    const ending = date(pay.to, '31-10-26');
    sheet.text(36, 40, pay.employer.name.toUpperCase(), { bold: true, size: 10 });
    sheet.text(36, 52, `SITE: ${pay.employer.address[1]!.toUpperCase()}`);
    sheet.text(559, 40, `WEEK ${pay.period}`, { bold: true, size: 10, align: 'right' });
    sheet.text(559, 52, `W/E ${ending}`, { align: 'right' });
    sheet.line(36, 58, 559, 58, { dash: 2 });
    const name = `${pay.employee.last.toUpperCase()}, ${pay.employee.first}`;
    row(sheet, 70, [{ x: 36 }, { x: 180 }, { x: 290 }, { x: 400 }, { x: 480 }], [name, `CLOCK ${pay.employee.number}`, `NI ${niNumber(pay, false)}`, `CODE ${pay.taxCode}`, `CAT ${pay.niLetter}`]); // prettier-ignore
    sheet.line(36, 76, 559, 76, { dash: 2 });
    const columns = [{ x: 36 }, { x: 80 }, { x: 215, align: 'right' }, { x: 275, align: 'right' }, { x: 370, align: 'right' }, { x: 559, align: 'right' }] as const; // prettier-ignore
    let y = 90;
    row(sheet, y, columns, ['DAY', 'DESCRIPTION', 'HRS', 'RATE', 'THIS WEEK', 'TO DATE'], { bold: true });
    const next = (cells: readonly string[], bold = false) => {
      y += 12;
      row(sheet, y, columns, cells, { bold });
    };
    for (const line of pay.payments) {
      const parts: Line[] = line.kind === 'hours' ? inParts(line, count) : [line];
      parts.forEach((part, n) => {
        const day = parts.length > 1 ? DAYS[new Date(`${addDays(pay.to, n - count)}T12:00:00Z`).getUTCDay()]! : '';
        const last = n === parts.length - 1;
        next([day, LABELS[line.kind], units(part), rate(part, 3), amount(part.amount), last ? amount(line.ytd) : '']);
      });
    }
    y += 3;
    sheet.line(275, y, 559, y);
    next(['', 'GROSS', '', '', amount(pay.gross), amount(pay.ytd.gross)], true);
    y += 8;
    for (const line of pay.deductions) next(['', LABELS[line.kind], '', '', amount(line.amount), amount(line.ytd)]);
    y += 3;
    sheet.line(275, y, 559, y);
    next(['', 'TOTAL STOPPAGES', '', '', amount(pay.totalDeductions), amount(pay.ytd.deductions)], true);
    y += 10;
    sheet.line(275, y, 559, y);
    next(['', 'NET AMOUNT PAYABLE', '', '', amount(pay.net), ''], true);
    y += 3;
    sheet.line(275, y, 559, y);
    sheet.line(275, y + 2, 559, y + 2);
    y += 14;
    next(['', 'TAXABLE', '', '', amount(pay.taxable), amount(pay.ytd.taxable)]);
    next(['', 'N.I. ERS', '', '', amount(pay.employerNi), amount(pay.ytd.employerNi)]);
    if (pay.pension !== null) next(['', 'PENS ERS', '', '', amount(pay.employerPension), amount(pay.ytd.employerPension)]); // prettier-ignore
    y += 20;
    sheet.line(36, y, 559, y, { dash: 2 });
    sheet.text(36, y + 14, `PAID ${date(pay.payDate, '31-10-26')} BY BACS TO ${pay.employee.sortCode} ****${pay.employee.account.slice(4)}`); // prettier-ignore
    sheet.text(36, y + 28, 'QUERIES TO THE TIME OFFICE BEFORE TUESDAY NOON');
    return {
      employer_name: pay.employer.name.toUpperCase(),
      pay_period: `WEEK ${pay.period}`,
      pay_period_also: [...periodNames(pay), ending, `W/E ${ending}`],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      ni_number: pay.employee.niNumber,
    };
  },
};
