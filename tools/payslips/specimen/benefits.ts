import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4_LANDSCAPE } from '../sheet.ts';
import { date, longName, money, words } from '../words.ts';

const LABELS = words({ basic: 'Base Salary', hours: 'Base Pay', overtime: 'Overtime', bonus: 'Annual Bonus', commission: 'Sales Incentive', holiday: 'Holiday Purchase Refund', sick: 'SSP', shift: 'Flex Fund', car: 'Car Cash', weighting: 'Regional Allowance', arrears: 'Retro Base Salary', sacrifice: 'Electric Car Exchange', tax: 'Tax', ni: 'Nat Ins', pension: 'Aegon Retirement', avc: 'Aegon Additional', 'student-loan': 'Student Loan', 'postgraduate-loan': 'PG Loan', union: 'Unite', charity: 'GAYE', ticket: 'Travel Loan', advance: 'Sharesave', attachment: 'CTAEO', healthcare: 'Dental' }); // prettier-ignore

export const benefits: PayslipLayout = {
  name: 'benefits',
  like: 'ADP iHCM or Alight for a large company with flexible benefits',
  type: 'payslip',
  size: A4_LANDSCAPE,
  fonts: ['inter', 'archivo-narrow', 'helvetica'],
  fontSize: 8.5,
  pay: { sector: 'private', frequency: 'monthly', rows: 9, hourly: false },
  draw(sheet, pay, random) {
    const red = random.pick(['#d0271d', '#00426a', '#5b2a86']);
    const [from, to] = [date(pay.from, '31/10/2026'), date(pay.to, '31/10/2026')];
    sheet.text(36, 56, pay.employer.name, { size: 20, bold: true, colour: red });
    sheet.text(806, 46, 'Your pay statement', { size: 13, align: 'right' });
    sheet.text(806, 62, `${from} - ${to}`, { size: 10, align: 'right', colour: '#555555' });
    sheet.line(36, 72, 806, 72, { stroke: red, thickness: 2 });
    const facts: [string, string][] = [['Name', longName(pay)], ['Employee ID', pay.employee.number], ['Cost Centre', random.digits(5)], ['Pay Date', date(pay.payDate, '31/10/2026')], ['Tax Period', `${pay.period}`], ['Tax Code', pay.taxCode], ['NI Number', niNumber(pay, false)], ['NI Category', pay.niLetter]]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      const x = n === 0 ? 36 : 72 + n * 92;
      sheet.text(x, 90, label, { size: 7.5, colour: '#777777' });
      sheet.text(x, 103, value, { bold: true });
    });
    const panel = (x: number, width: number, title: string, lines: readonly (readonly [string, number, number])[], total: readonly [string, number, number]) => {
      const columns = [{ x: x + 8 }, { x: x + width - 74, align: 'right' }, { x: x + width - 8, align: 'right' }] as const; // prettier-ignore
      sheet.box(x, 122, width, 250, { stroke: '#bbbbbb', radius: 4 });
      sheet.box(x, 122, width, 18, { fill: red, radius: 4 });
      row(sheet, 134, columns, [title, 'This Period', 'Year to Date'], { bold: true, colour: '#ffffff', size: 8 });
      lines.forEach(([label, now, year], n) => row(sheet, 156 + n * 16, columns, [label, money(now), money(year)]));
      sheet.line(x + 8, 350, x + width - 8, 350, { stroke: '#bbbbbb' });
      row(sheet, 364, columns, [total[0], money(total[1]), money(total[2])], { bold: true });
    }; // prettier-ignore
    const lines = (of: typeof pay.payments) => of.map(({ kind, amount, ytd }) => [LABELS[kind], amount, ytd] as const);
    panel(36, 260, 'Payments', lines(pay.payments), ['Gross Payments', pay.gross, pay.ytd.gross]);
    panel(306, 250, 'Deductions', lines(pay.deductions), ['Total Deductions', pay.totalDeductions, pay.ytd.deductions]); // prettier-ignore
    const own = pay.pension === null ? [] : [['Aegon Retirement (Company)', pay.employerPension, pay.ytd.employerPension] as const]; // prettier-ignore
    const share = pay.pension === null ? 0 : pay.employerPension;
    const yearly = pay.ytd.employerNi + (pay.pension === null ? 0 : pay.ytd.employerPension);
    panel(566, 240, 'Company Contributions', [['Nat Ins (Company)', pay.employerNi, pay.ytd.employerNi], ...own], ['Total', pay.employerNi + share, yearly]); // prettier-ignore
    sheet.box(566, 384, 240, 40, { fill: red, radius: 4 });
    sheet.text(576, 408, 'Amount paid', { size: 12, bold: true, colour: '#ffffff' });
    sheet.text(796, 410, money(pay.net, { pound: true }), { size: 16, bold: true, colour: '#ffffff', align: 'right' });
    const notes: [string, number, number][] = [['Taxable Pay', pay.taxable, pay.ytd.taxable], ['NIable Pay', pay.niable, pay.ytd.niable], ['Annual Salary', pay.salary * 100, 0]]; // prettier-ignore
    notes.forEach(([label, now, year], n) => row(sheet, 396 + n * 14, [{ x: 44 }, { x: 222, align: 'right' }, { x: 288, align: 'right' }], [label, money(now), year === 0 ? '' : money(year)], { size: 8 })); // prettier-ignore
    sheet.lines(314, 396, 14, [`Paid into account ending ${pay.employee.account.slice(4)}`, `Employer PAYE reference ${pay.employer.payeReference}`, `Flex window: ${random.int(1, 28)} to 30 November`], { size: 8 }); // prettier-ignore
    return {
      pay_period: `${from} - ${to}`,
      pay_period_also: [`${from} to ${to}`, ...periodNames(pay)],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
