import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, rate, words } from '../words.ts';

const LABELS = words({ basic: 'Salary', hours: 'Hours worked', overtime: 'Overtime', sick: 'Sick pay (statutory)', shift: 'On call', arrears: 'Arrears', sacrifice: 'Salary sacrifice - EV', tax: 'Income tax', ni: 'National Insurance', pension: 'Workplace pension', avc: 'Extra pension', 'student-loan': 'Student loan', 'postgraduate-loan': 'Postgraduate loan', advance: 'Salary advance', attachment: 'Attachment of earnings', healthcare: 'Medical cover' }); // prettier-ignore

export const shares: PayslipLayout = {
  name: 'shares',
  like: 'a young payroll service for start-ups (Onfolk, PayFit-like), employee and employer side by side',
  type: 'payslip',
  size: A4,
  fonts: ['inter', 'roboto', 'lato'],
  fontSize: 9.5,
  pay: { sector: 'private', frequency: 'monthly', rows: 7 },
  draw(sheet, pay, random) {
    const accent = random.pick(['#ff5a5f', '#3f37c9', '#00897b']);
    const pounds = (value: number) => money(value, { pound: true });
    const period = `${date(pay.from, '31 Oct 2026')} to ${date(pay.to, '31 Oct 2026')}`;
    sheet.box(48, 44, 8, 22, { fill: accent });
    sheet.text(64, 60, pay.employer.name, { size: 14, bold: true });
    sheet.text(64, 74, pay.employer.address.join(', '), { size: 8, colour: '#777777' });
    sheet.text(547, 60, 'Take home', { size: 9, align: 'right', colour: '#777777' });
    sheet.text(547, 80, pounds(pay.net), { size: 18, bold: true, align: 'right', colour: accent });
    const facts: [string, string][] = [['Employee', longName(pay)], ['Pay date', date(pay.payDate, '31 Oct 2026')], ['Pay period', period], ['Tax code', pay.taxCode], ['NI number', niNumber(pay, true)], ['NI category', pay.niLetter], ['PAYE scheme', pay.employer.payeReference], ['Tax month', `${pay.period}`]]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      const [x, y] = [48 + (n % 4) * 128, 112 + Math.floor(n / 4) * 30];
      sheet.text(x, y, label, { size: 7.5, colour: '#777777' });
      sheet.text(x, y + 12, value, { size: n === 2 ? 8.5 : 9.5 });
    });
    let y = 190;
    const columns = [{ x: 48 }, { x: 420, align: 'right' }, { x: 547, align: 'right' }] as const;
    const head = (cells: readonly string[]) => {
      row(sheet, y, columns, cells, { bold: true, size: 9, colour: accent });
      sheet.line(48, y + 6, 547, y + 6, { stroke: accent });
      y += 21;
    };
    const next = (cells: readonly string[], bold = false) => {
      row(sheet, y, columns, cells, { bold });
      y += 18;
    };
    head(['Earnings', '', 'Amount']);
    for (const line of pay.payments) {
      const label = LABELS[line.kind];
      const detail = line.units === undefined ? label : `${label} (${line.units} h at £${rate(line, 2)})`;
      next([detail, '', pounds(line.amount)]);
    }
    next(['Gross pay', '', pounds(pay.gross)], true);
    y += 12;
    head(['Contributions and deductions', 'Employee', 'Employer']);
    for (const { kind, amount } of pay.deductions) {
      const theirs = kind === 'ni' ? pounds(pay.employerNi) : kind === 'pension' ? pounds(pay.employerPension) : '-';
      next([LABELS[kind], pounds(amount), theirs]);
    }
    const employers = pay.employerNi + (pay.pension === null ? 0 : pay.employerPension);
    next(['Total', pounds(pay.totalDeductions), pounds(employers)], true);
    y += 12;
    head(['This tax year', 'Employee', 'Employer']);
    next(['Gross pay', pounds(pay.ytd.gross), '']);
    next(['Taxable pay', pounds(pay.ytd.taxable), '']);
    next(['Income tax', pounds(pay.ytd.tax), '-']);
    next(['National Insurance', pounds(pay.ytd.ni), pounds(pay.ytd.employerNi)]);
    if (pay.pension !== null) next(['Pension', pounds(pay.ytd.pension), pounds(pay.ytd.employerPension)]);
    return {
      pay_period: period,
      pay_period_also: [period.replace(' to ', ' - '), ...periodNames(pay)],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
