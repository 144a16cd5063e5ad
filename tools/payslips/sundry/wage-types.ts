import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4_LANDSCAPE } from '../sheet.ts';
import { date, money, rate, units, words } from '../words.ts';

const LABELS = words({ basic: 'Basic Salary', hours: 'Contract Hours', overtime: 'O/T Premium 1.5', bonus: 'Store Bonus', commission: 'Sales Commission', holiday: 'Holiday Pay', sick: 'Statutory Sick Pay', shift: 'Night Premium', car: 'Car Allowance', weighting: 'Location Pay', arrears: 'Back Pay', sacrifice: 'Sal Sac - Cycle', tax: 'Income Tax', ni: 'NI - Employee', pension: 'Pension EE', avc: 'Pension AVC EE', 'student-loan': 'Student Loan', 'postgraduate-loan': 'PG Loan', union: 'USDAW', charity: 'Payroll Giving', ticket: 'Season Ticket', advance: 'Pay Advance', attachment: 'Council Tax AEO', healthcare: 'Dental Plan' }); // prettier-ignore
const CODES = { basic: '1000', hours: '1010', overtime: '1200', bonus: '1500', commission: '1520', holiday: '1300', sick: '1400', shift: '1230', car: '1600', weighting: '1610', arrears: '1090', sacrifice: '1900', tax: '5010', ni: '5020', pension: '5100', avc: '5110', 'student-loan': '5200', 'postgraduate-loan': '5210', union: '6100', charity: '6200', ticket: '6300', advance: '6400', attachment: '6900', healthcare: '6500' } as const; // prettier-ignore

export const wageTypes: PayslipLayout = {
  name: 'wage-types',
  like: 'SD Worx or a supermarket chain on SAP: wage types with codes, landscape',
  type: 'payslip',
  size: A4_LANDSCAPE,
  fonts: ['helvetica', 'archivo-narrow', 'courier'],
  fontSize: 9,
  pay: { frequency: '4-weekly', rows: 8, sector: 'private', refunds: 0.1 },
  draw(sheet, pay, random) {
    const amount = (value: number) => money(value, { negative: 'trailing' });
    const span = `${date(pay.from, '31.10.2026')} - ${date(pay.to, '31.10.2026')}`;
    sheet.text(40, 48, pay.employer.name, { bold: true, size: 12 });
    sheet.lines(40, 62, 11, pay.employer.address, { size: 8 });
    sheet.text(420, 48, 'PAY ADVICE', { bold: true, size: 14, align: 'center' });
    sheet.text(800, 48, `Page 1 / 1`, { size: 8, align: 'right' });
    const facts: [string, string][] = [['Personnel no.', pay.employee.number], ['Name', `${pay.employee.last}, ${pay.employee.first}`], ['Payroll period', span], ['Week no.', `${pay.period}`], ['Credit date', date(pay.payDate, '31.10.2026')], ['NI number', niNumber(pay, false)], ['Tax code / basis', pay.taxCode], ['NI cat.', pay.niLetter], ['Tax ref.', pay.employer.payeReference], ['Store', `${random.digits(4)} ${pay.employee.address[1]!}`]]; // prettier-ignore
    sheet.box(40, 104, 762, 52);
    facts.forEach(([label, value], n) => {
      const [x, y] = [46 + (n % 5) * 152, 116 + Math.floor(n / 5) * 25];
      sheet.text(x, y, label, { size: 7 });
      sheet.text(x, y + 11, value, { size: 9, bold: true });
    });
    const columns = [{ x: 46 }, { x: 90 }, { x: 330, align: 'right' }, { x: 420, align: 'right' }, { x: 530, align: 'right' }, { x: 650, align: 'right' }] as const; // prettier-ignore
    sheet.box(40, 166, 762, 330);
    sheet.line(40, 184, 802, 184);
    row(sheet, 178, columns, ['Code', 'Wage type', 'Number', 'Rate', 'Amount GBP', 'Cumulative GBP'], { bold: true, size: 8 }); // prettier-ignore
    let y = 200;
    const next = (cells: readonly string[], bold = false) => {
      row(sheet, y, columns, cells, { bold });
      y += 15;
    };
    for (const line of pay.payments) next([CODES[line.kind], LABELS[line.kind], units(line), rate(line), amount(line.amount), amount(line.ytd)]); // prettier-ignore
    next(['/101', 'Total gross', '', '', amount(pay.gross), amount(pay.ytd.gross)], true);
    y += 4;
    for (const line of pay.deductions) next([CODES[line.kind], LABELS[line.kind], '', '', amount(-line.amount), amount(-line.ytd)]); // prettier-ignore
    next(['/110', 'Total deductions', '', '', amount(-pay.totalDeductions), amount(-pay.ytd.deductions)], true);
    y += 4;
    next(['/559', 'Bank transfer', '', '', amount(pay.net), amount(pay.ytd.net)], true);
    y += 8;
    next(['/401', 'Taxable pay', '', '', amount(pay.taxable), amount(pay.ytd.taxable)]);
    next(['/402', 'NIable pay', '', '', amount(pay.niable), amount(pay.ytd.niable)]);
    next(['/403', 'NI - Employer', '', '', amount(pay.employerNi), amount(pay.ytd.employerNi)]);
    if (pay.pension !== null) next(['/404', 'Pension ER', '', '', amount(pay.employerPension), amount(pay.ytd.employerPension)]); // prettier-ignore
    sheet.text(40, 512, `Paid to sort code ${pay.employee.sortCode}, account ****${pay.employee.account.slice(4)}. Queries: People Services, 0345 ${random.digits(3)} ${random.digits(4)}.`, { size: 8 }); // prettier-ignore
    return {
      pay_period: span,
      pay_period_also: [span.replace(' - ', ' to '), ...periodNames(pay)],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
