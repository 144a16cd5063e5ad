import type { PayslipLayout } from '../layout.ts';
import { niNumber, periodNames, row } from '../parts.ts';
import { A4 } from '../sheet.ts';
import { date, longName, money, monthOf, periodWord, words } from '../words.ts';

const LABELS = words({ basic: 'Base salary', hours: 'Hourly wages', overtime: 'Overtime hours', holiday: 'Holiday pay', sick: 'Statutory sick pay', tax: 'Income tax (PAYE)', ni: 'National Insurance', pension: 'Workplace pension', avc: 'Additional pension', 'student-loan': 'Student loan', 'postgraduate-loan': 'Postgraduate loan', healthcare: 'Health insurance', sacrifice: 'Cycle scheme (salary sacrifice)' }); // prettier-ignore

export const payfit: PayslipLayout = {
  name: 'payfit',
  like: 'PayFit',
  type: 'payslip',
  size: A4,
  fonts: ['inter', 'lato', 'roboto'],
  fontSize: 8.5,
  pay: { rows: 8 },
  draw(sheet, pay, random) {
    const blue = random.pick(['#0066cc', '#1b2a4a', '#3a4fd0']);
    const soft = '#6d7787';
    const minus = (value: number) => money(-value);
    const monthly = pay.frequency === 'monthly';
    const [from, to] = [date(pay.from, '31 Oct 2026'), date(pay.to, '31 Oct 2026')];
    const period = monthly ? monthOf(pay.payDate) : `${from} to ${to}`;
    sheet.text(40, 54, 'Payslip', { size: 20, bold: true, colour: blue });
    sheet.text(40, 70, period, { size: 11, colour: soft });
    sheet.box(40, 86, 252, 74, { fill: '#f5f7fa', radius: 4 });
    sheet.text(50, 101, 'EMPLOYER', { size: 6.5, colour: soft, spacing: 0.6 });
    sheet.text(50, 114, pay.employer.name, { bold: true, size: 8 });
    sheet.lines(50, 126, 10.5, [...pay.employer.address.slice(0, 2), `PAYE reference: ${pay.employer.payeReference}`], { size: 7.5 }); // prettier-ignore
    sheet.box(303, 86, 252, 74, { fill: '#f5f7fa', radius: 4 });
    sheet.text(313, 101, 'EMPLOYEE', { size: 6.5, colour: soft, spacing: 0.6 });
    sheet.text(313, 114, longName(pay), { bold: true, size: 8 });
    sheet.lines(313, 126, 10.5, [`${pay.employee.job} - ${pay.employee.department}`, `NI number: ${niNumber(pay, false)}   NI category: ${pay.niLetter}`, `Tax code: ${pay.taxCode}   Tax ${periodWord(pay).toLowerCase()}: ${pay.period}`], { size: 7.5 }); // prettier-ignore
    const columns = [{ x: 46 }, { x: 310, align: 'right' }, { x: 370, align: 'right' }, { x: 460, align: 'right' }, { x: 549, align: 'right' }] as const; // prettier-ignore
    let y = 186;
    row(sheet, y, columns, ['', 'Base', 'Rate', 'Employee', 'Employer'], { size: 7.5, colour: soft });
    const heading = (text: string) => {
      y += 20;
      sheet.text(40, y, text, { bold: true, colour: blue });
      sheet.line(40, y + 5, 555, y + 5, { stroke: blue, thickness: 0.8 });
    };
    const next = (cells: readonly string[], bold = false) => {
      y += 16;
      if (bold) sheet.box(40, y - 11, 515, 16, { fill: '#eaf0f8' });
      row(sheet, y, columns, cells, { bold });
    };
    heading('Earnings');
    for (const line of pay.payments) next([LABELS[line.kind], line.units?.toFixed(2) ?? '', line.rate === undefined ? '' : (line.rate / 100).toFixed(2), money(line.amount), '']); // prettier-ignore
    next(['Gross pay', '', '', money(pay.gross), ''], true);
    heading('Taxes and contributions');
    const employer: Partial<Record<string, string>> = { ni: money(pay.employerNi), pension: money(pay.employerPension) }; // prettier-ignore
    const base: Partial<Record<string, string>> = { tax: money(pay.taxable), ni: money(pay.niable), pension: money(pay.gross) }; // prettier-ignore
    for (const line of pay.deductions) {
      const share = line.kind === 'pension' ? `${((line.amount * 100) / pay.gross).toFixed(2)}%` : '';
      next([LABELS[line.kind], base[line.kind] ?? '', share, minus(line.amount), employer[line.kind] ?? '']);
    }
    next(['Total', '', '', minus(pay.totalDeductions), money(pay.employerNi + pay.employerPension)], true);
    y += 34;
    sheet.box(303, y - 20, 252, 32, { fill: blue, radius: 4 });
    sheet.text(315, y, 'Net pay', { bold: true, size: 11, colour: '#ffffff' });
    sheet.text(545, y + 1, money(pay.net, { pound: true }), { bold: true, size: 14, colour: '#ffffff', align: 'right' }); // prettier-ignore
    sheet.text(40, y - 8, `Paid by bank transfer on ${date(pay.payDate, '31 Oct 2026')}`, { size: 8 });
    sheet.text(40, y + 5, `Account ending in ${pay.employee.account.slice(4)}`, { size: 8, colour: soft });
    y += 50;
    sheet.text(40, y, 'Since the beginning of the tax year', { bold: true, colour: blue });
    const totals: [string, number][] = [['Gross pay', pay.ytd.gross], ['Taxable pay', pay.ytd.taxable], ['Income tax', pay.ytd.tax], ['Employee NI', pay.ytd.ni], ['Employer NI', pay.ytd.employerNi]]; // prettier-ignore
    if (pay.pension !== null) totals.push(['Employee pension', pay.ytd.pension], ['Net pay', pay.ytd.net]);
    else totals.push(['Net pay', pay.ytd.net]);
    totals.forEach(([label, value], n) => {
      sheet.text(40 + n * 74, y + 18, label, { size: 7, colour: soft });
      sheet.text(40 + n * 74, y + 30, money(value), { size: 8 });
    });
    return {
      pay_period: period,
      pay_period_also: [...periodNames(pay), `${from} - ${to}`],
      pay_date: pay.payDate,
      tax_code: pay.taxCode,
      paye_reference: pay.employer.payeReference,
      ni_number: pay.employee.niNumber,
    };
  },
};
