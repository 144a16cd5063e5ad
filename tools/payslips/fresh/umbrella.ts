import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, words } from '../words.ts';

const LABELS = words({ basic: 'Basic Pay (NMW)', hours: 'Basic Pay (NMW)', overtime: 'Additional Hours', bonus: 'Additional Taxable Wage', commission: 'Commission', holiday: 'Holiday Pay - Advanced', tax: 'PAYE Income Tax', ni: 'Employees NI Contribution', pension: 'Employee Pension (NEST)', avc: 'Employee AVC', 'student-loan': 'Student Loan Repayment' }); // prettier-ignore

export const umbrella: PayslipLayout = {
  name: 'umbrella',
  like: 'an umbrella company, reconciliation and payslip on one page',
  type: 'payslip',
  size: A4,
  fonts: ['source-serif', 'helvetica', 'lato'],
  fontSize: 8.5,
  pay: { sector: 'private', frequency: 'weekly', rows: 7 },
  draw(sheet, pay, random) {
    const margin = random.pick([1_500, 2_200, 2_650, 3_000]);
    const levy = Math.round(pay.gross * 0.005);
    const days = random.pick([4, 5]);
    const total = pay.gross + pay.employerNi + pay.employerPension + levy + margin;
    const worked = days * Math.floor((total * 0.9) / days / 100) * 100;
    const costs = (value: number) => money(-value, { negative: 'brackets', pound: true });
    const pounds = (value: number) => money(value, { pound: true });
    sheet.text(48, 58, pay.employer.name, { size: 14, bold: true, colour: '#0b3c49' });
    sheet.text(48, 71, `${pay.employer.address.join(', ')}   |   PAYE Ref: ${pay.employer.payeReference}`, { size: 7.5 }); // prettier-ignore
    const facts: [string, string][] = [['Employee', longName(pay)], ['Employee No.', pay.employee.number], ['Tax Code', pay.taxCode], ['NI Number', niNumber(pay, false)], ['NI Category', pay.niLetter], ['Tax Week', `Week ${pay.period}`], ['Week Ending', date(pay.to, '31-Oct-26')], ['Date Paid', date(pay.payDate, '31-Oct-26')]]; // prettier-ignore
    facts.forEach(([label, value], n) => {
      const [x, y] = [48 + (n % 4) * 128, 94 + Math.floor(n / 4) * 26];
      sheet.text(x, y, label, { size: 7, colour: '#56707a' });
      sheet.text(x, y + 11, value, { bold: true });
    });
    const columns = [{ x: 54 }, { x: 270, align: 'right' }, { x: 390, align: 'right' }, { x: 541, align: 'right' }] as const; // prettier-ignore
    let y = 160;
    const band = (cells: readonly string[]) => {
      sheet.box(48, y - 10, 499, 15, { fill: '#dcebee' });
      row(sheet, y, columns, cells, { bold: true });
      y += 17;
    };
    const next = (cells: readonly string[], bold = false) => {
      row(sheet, y, columns, cells, { bold });
      y += 13;
    };
    band(['Assignment Income', 'Units', 'Rate', 'Total']);
    next(['Timesheet - Kestrel Staffing', `${days} days`, pounds(worked / days), pounds(worked)]);
    next(['Overtime and expenses billed', '', '', pounds(total - worked)]);
    next(['Total Company Income', '', '', pounds(total)], true);
    y += 8;
    band(['Less: Employment Costs', '', '', 'Total']);
    next(['Company Margin', '', '', costs(margin)]);
    next(["Employer's NI", '', '', costs(pay.employerNi)]);
    next(['Apprenticeship Levy', '', '', costs(levy)]);
    if (pay.pension !== null) next(['Employer Pension (NEST)', '', '', costs(pay.employerPension)]);
    next(['Available for Gross Pay', '', '', pounds(pay.gross)], true);
    y += 8;
    band(['Your Pay', 'Hours', 'Rate', 'This Week']);
    for (const line of pay.payments) next([LABELS[line.kind], line.units?.toFixed(2) ?? '', line.rate === undefined ? '' : pounds(line.rate), pounds(line.amount)]); // prettier-ignore
    next(['Total Gross Pay', '', '', pounds(pay.gross)], true);
    next(['Gross pay for tax', '', '', pounds(pay.taxable)]);
    y += 8;
    band(['Your Deductions', '', '', 'This Week']);
    for (const line of pay.deductions) next([LABELS[line.kind], '', '', pounds(line.amount)]);
    next(['Total Deductions', '', '', pounds(pay.totalDeductions)], true);
    y += 6;
    sheet.box(48, y - 12, 499, 20, { fill: '#0b3c49' });
    row(sheet, y + 2, columns, ['Net Pay to Bank', '', '', pounds(pay.net)], {
      bold: true,
      size: 11,
      colour: '#ffffff',
    });
    y += 32;
    sheet.text(54, y, 'Cumulative totals', { bold: true });
    const totals: [string, number][] = [['Gross pay', pay.ytd.gross], ['Gross pay for tax', pay.ytd.taxable], ['Income Tax', pay.ytd.tax], ['Employees NI', pay.ytd.ni], ['Pension', pay.ytd.pension]]; // prettier-ignore
    totals.forEach(([label, value], n) => {
      sheet.text(54 + n * 100, y + 14, label, { size: 7, colour: '#56707a' });
      sheet.text(54 + n * 100, y + 25, pounds(value));
    });
    const ending = date(pay.to, '31-Oct-26');
    return {
      pay_period: `Week ${pay.period}`,
      pay_period_also: [...periodNames(pay), ending, `Week Ending ${ending}`],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
