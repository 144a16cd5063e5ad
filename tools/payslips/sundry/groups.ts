import type { Line } from '../figures.ts';
import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, money, words } from '../words.ts';

const LABELS = words({ basic: 'Base Pay', hours: 'Regular Hours', overtime: 'Overtime Hours', bonus: 'Performance Bonus', commission: 'Commission Payment', holiday: 'Vacation Pay', sick: 'Statutory Sick Pay', shift: 'Shift Differential', car: 'Car Allowance', weighting: 'Location Allowance', arrears: 'Retroactive Pay', sacrifice: 'Salary Sacrifice Bike', tax: 'PAYE', ni: 'NI Employee', pension: 'Workplace Pension Employee', avc: 'AVC Employee', 'student-loan': 'Student Loan', 'postgraduate-loan': 'Postgraduate Loan', union: 'Union Dues', charity: 'Charitable Giving', ticket: 'Season Ticket Loan', advance: 'Recovery', attachment: 'Court Order', healthcare: 'Private Medical' }); // prettier-ignore
const STATUTORY = ['tax', 'ni', 'student-loan', 'postgraduate-loan', 'attachment'];
const PENSIONS = ['pension', 'avc'];

export const groups: PayslipLayout = {
  name: 'groups',
  like: 'Oracle Fusion or a global HR suite: element groups with subtotals, year to date first',
  type: 'payslip',
  size: A4,
  fonts: ['helvetica', 'roboto', 'archivo-narrow'],
  fontSize: 9,
  pay: { sector: 'private', frequency: 'monthly', rows: 7 },
  draw(sheet, pay, random) {
    const grey = random.pick(['#e4e4e4', '#dce6f1', '#e8e3d9']);
    const [from, to] = [date(pay.from, '31-Oct-2026'), date(pay.to, '31-Oct-2026')];
    sheet.text(40, 46, 'Payslip', { size: 16, bold: true });
    sheet.text(40, 62, pay.employer.name, { size: 10, bold: true });
    sheet.text(40, 74, pay.employer.address.join(', '), { size: 8 });
    const facts: [string, string][] = [['Employee Name', `${pay.employee.first} ${pay.employee.last}`], ['Person Number', pay.employee.number], ['Job', pay.employee.job], ['NI Number', niNumber(pay, false)], ['Tax Code', pay.taxCode], ['NI Category', pay.niLetter], ['Period Start Date', from], ['Period End Date', to], ['Payment Date', date(pay.payDate, '31-Oct-2026')], ['Period Number', `${pay.period}`], ['PAYE Reference', pay.employer.payeReference], ['Annual Salary', money(pay.salary * 100)]]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      const [x, y] = [40 + (n % 3) * 175, 98 + Math.floor(n / 3) * 15];
      sheet.text(x, y, label, { size: 8, bold: true });
      sheet.text(x + 82, y, value, { size: 8 });
    });
    const columns = [{ x: 46 }, { x: 440, align: 'right' }, { x: 549, align: 'right' }] as const;
    let y = 172;
    const head = (title: string) => {
      sheet.box(40, y - 11, 515, 15, { fill: grey });
      row(sheet, y, columns, [title, 'Year to Date', 'Current Amount'], { bold: true, size: 8.5 });
      y += 17;
    };
    const next = (cells: readonly string[], bold = false) => {
      row(sheet, y, columns, cells, { bold });
      y += 14;
    };
    const group = (title: string, lines: readonly Line[], total: string) => {
      if (lines.length === 0) return;
      head(title);
      for (const { kind, amount, ytd } of lines) next([LABELS[kind], money(ytd), money(amount)]);
      const sum = (of: (line: Line) => number) => money(lines.reduce((all, line) => all + of(line), 0));
      next([total, sum((line) => line.ytd), sum((line) => line.amount)], true);
      y += 8;
    };
    head('Summary');
    next(['Gross Earnings', money(pay.ytd.gross), money(pay.gross)]);
    next(['Total Deductions', money(pay.ytd.deductions), money(pay.totalDeductions)]);
    next(['Net Payment', money(pay.ytd.net), money(pay.net)], true);
    y += 8;
    group('Earnings', pay.payments, 'Total Earnings');
    group('Pension Deductions', pay.deductions.filter(({ kind }) => PENSIONS.includes(kind)), 'Total Pension Deductions'); // prettier-ignore
    group('Statutory Deductions', pay.deductions.filter(({ kind }) => STATUTORY.includes(kind)), 'Total Statutory Deductions'); // prettier-ignore
    group('Voluntary Deductions', pay.deductions.filter(({ kind }) => !STATUTORY.includes(kind) && !PENSIONS.includes(kind)), 'Total Voluntary Deductions'); // prettier-ignore
    head('Employer Charges');
    next(['NI Employer', money(pay.ytd.employerNi), money(pay.employerNi)]);
    if (pay.pension !== null) next(['Workplace Pension Employer', money(pay.ytd.employerPension), money(pay.employerPension)]); // prettier-ignore
    y += 8;
    head('Balances');
    next(['Taxable Pay', money(pay.ytd.taxable), money(pay.taxable)]);
    next(['NIable Earnings', money(pay.ytd.niable), money(pay.niable)]);
    return {
      pay_period: `${from} to ${to}`,
      pay_period_also: [`${from} - ${to}`, from, to, ...periodNames(pay)],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
